"""What the ways of saying that something is over are made of."""

import re
from dataclasses import dataclass
from functools import cache

from stratal_memory.learning.rules.rule import ADVERBS, spaced

# `closing.kinds_of` sorts facets into these.
OWNED, OTHER, HOBBY, COURSE, HEALTH = "owned", "other", "hobby", "course", "health"
WORK, HOME, PERSON, ROMANCE, PET, PLAN = "work", "home", "person", "romance", "pet", "plan"
THINGS = (OWNED, OTHER)
DOINGS = (HOBBY, COURSE)
MOST = (*THINGS, *DOINGS, WORK, PERSON, PLAN, HEALTH)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to say it: `what` names the thing, `new` what took its place, `rest` goes on."""

    source: str
    kinds: tuple[str, ...]
    named: str = ""  # what is over where the words don't say it: "we broke up"

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first asked for."""
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(spaced(source), re.IGNORECASE)


WE = (
    rf"(?:(?:I|we|I've|we've|I have|we have|I'd|me and \w+) )?{ADVERBS}(?:eventually )?"
    r"(?:had to |ended up |(?:finally )?decided to |went and |have now )?"
)
I_AM = rf"(?:(?:I'm|I am|we're|we are|I was|we were|I've been|I have been|I got|we got) ){ADVERBS}"
WHAT = r"(?P<what>[^,;:]{2,80}?)"
NEW = r"(?P<new>[^,;:]{2,60}?)"
WHEN = (
    r"(?: (?:last|this|on|in|yesterday|today|tonight|earlier|recently|now|already|at last|after all"
    r"|too|tbh|for good|ages|finally|unfortunately|sadly|completely|fully|btw|(?:a|\d+|two|three"
    r"|few"
    r"|couple of|a few) (?:\w+ )?(?:days?|weeks?|months?|years?|while) ago)\b[^,;:]*)?"
)
END = (
    rf"{WHEN}(?P<rest>(?:,? (?:and|so|but|because|since|as|cause|cos) .*|[,;:(].*"
    r"| [-–—] .*)?)\Z"
)
NOT_NOW = r"(?: any ?more| any longer| these days| now)"
HAS = r"(?:'s|'ve| has| have| is| are| was| were| got| had)"
SO = r"(?: (?:finally|now|officially|just|sadly|all|also|fully|completely|totally|already))*"
GAVE = r"(?:gave|given|give)"
DOING = (
    r"(?:(?:using|doing|playing|taking|going to|attending|learning|studying|working at|working for"
    r"|working on|reading|watching|training for|being on|wearing|seeing|renting|driving|with"
    r"|practi[sc]ing|paying for) )"
)
IN = r"(?:to |at |in |for |with |on |an? )?"
