"""How people type: small letters, lost apostrophes and stops, openers, slips of the finger."""

import re
from random import Random

OPENERS = ("btw ", "oh and ", "so ", "fyi, ", "hm, ", "by the way, ", "also ", "ok so ", "haha ")
ENDINGS = (" lol", " :)", "!", ".", ".", " tbh", "...", " haha", "!!", " 😅")
PLAIN_WORDS = (
    "about",
    "always",
    "because",
    "called",
    "everything",
    "favourite",
    "finally",
    "moved",
    "morning",
    "really",
    "started",
    "switched",
    "together",
    "watching",
    "working",
    "years",
    "yesterday",
)
SLIPS = 0.06  # share of messages with one


def typed(rng: Random, text: str) -> str:
    """`text` as somebody in a chat would have typed it; no value of a fact is misspelt."""
    if rng.random() < 0.15:
        text = rng.choice(OPENERS) + text
    if rng.random() < 0.45:
        text = text.lower()
    if rng.random() < 0.25:
        text = re.sub(
            r"\b(I|don|can|it|that|we|won|isn|what|there)'(m|t|s|re|ve|d|ll)\b", r"\1\2", text
        )
    if rng.random() < SLIPS:
        text = _slip(rng, text)
    if text[-1].isalnum() and rng.random() < 0.5:
        text += rng.choice(ENDINGS)
    return text


def _slip(rng: Random, text: str) -> str:
    """Two letters of one common word changed places."""
    found = [word for word in text.split() if word in PLAIN_WORDS]
    if not found:
        return text
    word = rng.choice(found)
    place = rng.randrange(1, len(word) - 2)
    slipped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return text.replace(word, slipped, 1)
