"""A year of one user's talk, made by a seed, with what is true at every moment of it.

The same seed and days make the same year on every machine: no clock, no network, no library.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

from data.simulated_year.plot import plotted
from data.simulated_year.telling import Noise, Telling
from data.simulated_year.wording import FAMILIES, kinds, values
from data.simulated_year.year import START, Year

TURNS = (1, 1, 2, 2, 3, 3, 4, 5, 6)  # of the user in a session: 2 to 12 messages
CHATTY = range(150, 220)  # days of long talk with nothing new in it


def simulated_year(seed: int, *, days: int = 365) -> Year:
    """The year of `seed`, or its like in fewer days with fewer kinds of facts."""
    family = seed % FAMILIES
    rng = Random(f"year {seed} {days}")
    telling = Telling(rng=rng, noise=Noise(rng=rng, family=family))
    strangers = values((family + 2) % FAMILIES)
    waiting = plotted(rng, kinds(), values(family), strangers=strangers, days=days, start=START)
    for session, at in enumerate(_sessions(rng, days)):
        due = [event for event in waiting if event.day <= (at - START).days]
        turns = rng.choice(TURNS) + (2 if (at - START).days in CHATTY else 0)
        now, room = due[: min(6, max(turns, 2))], min(6, turns)
        waiting = [event for event in waiting if event not in now]
        telling.session(session, at, now, room=room)
    return Year(seed=seed, days=days, said=tuple(telling.said), truth=tuple(telling.truth))


def _sessions(rng: Random, days: int) -> Iterator[datetime]:
    """When sessions begin: most days one, some two or none, and gaps of days without a word."""
    silent: set[int] = set()
    for _ in range(days // 60):
        first = rng.randrange(5, days)
        silent.update(range(first, first + rng.randint(4, 14)))
    for day in range(days):
        if day in silent:
            continue
        count = rng.choice((1, 2, 2, 2)) if day in CHATTY else rng.choice((0, 0, 1, 1, 1, 1, 2))
        hours = sorted(rng.sample(range(7, 22, 2), count))
        yield from (
            START + timedelta(days=day, hours=hour, minutes=rng.randrange(50)) for hour in hours
        )
