"""What memory does with identifiers and secrets: a policy a kind, and the text it leaves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from stratal_memory.errors import InputError
from stratal_memory.learning.identifiers import Identified, Identifier, identified
from stratal_memory.learning.redaction import find_secrets


class Policy(StrEnum):
    """What becomes of a text an identifier stands in."""

    BLOCK = "block"  # nothing of the sentence is remembered
    REDACT = "redact"  # it is remembered without the identifier
    KEEP = "keep"  # it is remembered as it was said


@dataclass(frozen=True, slots=True, kw_only=True)
class Privacy:
    """The policy of each kind; what a user says of themselves by name or town is none of them.

    It rules what is *remembered*: facts, searchable messages, episodes, events, however they came
    in: said, typed by hand, imported. Documents keep e-mail addresses and the like, which they were
    given for, and lose secrets, cards and IBANs as the history does. The history keeps what was
    typed ("write to ana@mail.example" must work in the next turn too) without its
    secrets, card numbers and IBANs, which `redaction.redact` takes out before the first write.
    """

    email: Policy = Policy.REDACT
    phone: Policy = Policy.REDACT
    address: Policy = Policy.REDACT
    ip: Policy = Policy.REDACT
    national_id: Policy = Policy.REDACT
    card: Policy = Policy.REDACT
    iban: Policy = Policy.REDACT
    secret: Policy = Policy.REDACT

    def __post_init__(self) -> None:
        if self.secret is Policy.KEEP:
            raise InputError(
                "secrets can't be kept in memory",
                hint="Use 'redact' or 'block' for secrets; a password manager keeps them.",
            )

    def of(self, kind: Identifier) -> Policy:
        """The policy of one kind."""
        return {
            Identifier.EMAIL: self.email,
            Identifier.PHONE: self.phone,
            Identifier.ADDRESS: self.address,
            Identifier.IP: self.ip,
            Identifier.NATIONAL_ID: self.national_id,
            Identifier.CARD: self.card,
            Identifier.IBAN: self.iban,
        }[kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """A stretch of a text that memory may not hold, in characters, and what it is."""

    start: int
    end: int
    label: str  # "[e-mail]", "[secret: GitHub token]"
    policy: Policy


def hidden(text: str, privacy: Privacy) -> list[Hidden]:
    """What of `text` memory may not hold, in order, never overlapping.

    >>> [one.label for one in hidden("ana@mail.example, ghp_" + "a1B2" * 9, Privacy())]
    ['[e-mail]', '[secret: GitHub token]']
    """
    found = [
        Hidden(start=one.start, end=one.end, label=f"[secret: {one.kind}]", policy=privacy.secret)
        for one in find_secrets(text)
        if one.kind not in {Identifier.CARD, Identifier.IBAN}
    ]
    found += [
        _hidden(one, privacy) for one in identified(text) if privacy.of(one.kind) is not Policy.KEEP
    ]
    kept: list[Hidden] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif one.end > kept[-1].end:  # two overlap: no end of the later one may stay
            kept[-1] = replace(kept[-1], end=one.end)
    return kept


def _hidden(one: Identified, privacy: Privacy) -> Hidden:
    return Hidden(
        start=one.start, end=one.end, label=f"[{one.kind.value}]", policy=privacy.of(one.kind)
    )


def without(
    text: str, stretches: Sequence[Hidden], *, start: int = 0, end: int | None = None
) -> str:
    """The characters from `start` to `end` of `text`, a label for each hidden stretch among them.

    One that is cut by the bounds is hidden too.

    >>> without("to ana@mail.example", hidden("to ana@mail.example", Privacy()), start=5)
    '[e-mail]'
    """
    last = len(text) if end is None else end
    parts: list[str] = []
    position = start
    for one in stretches:
        if one.end <= position or one.start >= last:
            continue
        parts += (text[position : max(position, one.start)], one.label)
        position = one.end
    return "".join((*parts, text[min(position, last) : last]))
