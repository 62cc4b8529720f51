"""One candidate judged: is it said, is it new, may it be kept, is it worth it. No storage here."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from stratal_memory.errors import InputError
from stratal_memory.learning.candidates import Found
from stratal_memory.learning.injections import Injections
from stratal_memory.learning.privacy import Hidden, Policy, Privacy, hidden, without
from stratal_memory.learning.visible import seen
from stratal_memory.learning.worth import Verdict, Worth, worth

_LABEL = re.compile(r"\[[^\[\]\n]{2,40}\]")
_WORD = re.compile(r"\w")
_GREETING = re.compile(
    r"\W*(?:(?:hi+|hello|hey+|hiya|yo|good (?:morning|evening|afternoon|night)|bye|goodbye|thanks?"
    r"|thank you|thx|cheers|ok(?:ay)?|cool|great|yes|no|yep|nope|sure|lol|haha\w*|welcome|you|again"
    r"|there|all|everyone|so much|very much|a lot)\W*)+\Z",
    re.IGNORECASE,
)
_HEARTBEAT = re.compile(
    r"\W*(?:ping|pong|test(?:ing)?(?: \w+){0,2}|still there|heartbeat\w*|keep-?alive|continue"
    r"|go on|next)?\W*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A candidate without what may not be kept, and what becomes of it."""

    found: Found
    quote: str  # the user's words it rests on
    worth: Worth
    restated: str | None = None  # id of the memory it repeats; empty for a prompt of ours

    @property
    def verdict(self) -> Verdict:
        """What becomes of it."""
        return self.worth.verdict


def judged(
    found: Found,
    message: str,
    *,
    stretches: Sequence[Hidden] = (),
    injected: Injections | None = None,
    privacy: Privacy,
) -> Judged:
    """What becomes of `found`, which was found in `message`; the first reason against it counts.

    `stretches` is what `privacy.hidden` says of the message.
    """
    clean = _clean(found, privacy)
    start, end = found.span
    inside = [one for one in stretches if one.start < end and one.end > start]
    quote = without(message, inside, start=start, end=end)
    against = _said(found, message) or _forbidden(found, clean, inside, privacy)
    if against:
        return Judged(found=clean, quote=quote, worth=_refusal(against))
    known = injected.restated(found.quote) if injected and not found.explicit else None
    if known is not None:
        reason = f"repeats what was recalled: “{known.text[:60]}”"
        if not known.memory:
            reason = f"restates a text of ours: “{known.text[:60]}”"
        return Judged(found=clean, quote=quote, worth=_refusal(reason), restated=known.memory)
    return Judged(found=clean, quote=quote, worth=worth(clean))


def _refusal(reason: str) -> Worth:
    return Worth(verdict=Verdict.EPISODE, reason=reason, confidence=0.0)


def _said(found: Found, message: str) -> str:
    try:
        found.checked_against(message)
    except InputError as error:
        return str(error)
    return ""


def _forbidden(found: Found, clean: Found, inside: Sequence[Hidden], privacy: Privacy) -> str:
    """Why privacy refuses it; empty when it may be kept without its identifiers.

    What stands `inside` its words counts too: our rewording may break the shape of a secret.
    """
    everything = [*inside, *hidden(found.text, privacy)]
    secret = next((one for one in everything if one.label.startswith("[secret")), None)
    if secret is not None or "[secret: " in found.quote:
        kind = secret.label[1:-1].removeprefix("secret: ") if secret else "redacted"
        return f"it holds a secret ({kind})"
    blocked = next((one for one in everything if one.policy is Policy.BLOCK), None)
    if blocked is not None:
        return f"it holds {blocked.label[1:-1]}, which the policy blocks"
    if clean.value != found.value and not _WORD.search(_LABEL.sub("", clean.value)):
        return f"without its {_kinds(inside or everything)} nothing is left of it"
    return ""


def _kinds(stretches: Sequence[Hidden]) -> str:
    return ", ".join(dict.fromkeys(one.label[1:-1] for one in stretches)) or "identifier"


def _clean(found: Found, privacy: Privacy) -> Found:
    def kept(text: str) -> str:
        plain = seen(text)
        return without(plain, hidden(plain, privacy))

    return replace(
        found, text=kept(found.text), value=kept(found.value), instead_of=kept(found.instead_of)
    )


def nothing_in(text: str) -> str:
    """Why a message without a candidate stays in the episode only.

    >>> nothing_in("hey there!"), nothing_in("ping")
    ('a greeting or an acknowledgement', 'a heartbeat')
    """
    if _HEARTBEAT.match(text):
        return "a heartbeat" if text.strip() else "it is empty"
    if _GREETING.match(text):
        return "a greeting or an acknowledgement"
    if text.rstrip().endswith("?"):
        return "a question"
    return "it states nothing lasting about the user"
