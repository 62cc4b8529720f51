"""What a rule or a model found in a message, before it is judged and resolved."""

from dataclasses import dataclass
from datetime import datetime

from stratal_memory.errors import InputError
from stratal_memory.records import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One statement about the user, and the words of the message it rests on.

    `text` stands on its own and speaks of "the user"; relative dates in it are resolved.
    """

    text: str  # "The user moved to Lisbon in May 2026."
    value: str  # what two statements of one facet are compared by: "Lisbon"
    span: tuple[int, int]  # characters into the message
    quote: str  # message[span[0]:span[1]], exactly
    rule: str  # which rule found it: "identity.home"
    facet: str = ""  # "home", "family.sister", "preference.drink", "note"; may be empty
    single_valued: bool = False  # a new value replaces the old one instead of joining it
    kind: Kind = Kind.SEMANTIC
    valid_from: datetime | None = None  # UTC; when it became or becomes true, if that was said
    valid_to: datetime | None = None  # UTC; the end of the day or month a plan is for
    correction: bool = False  # the user corrects what was said before
    retracts: bool = False  # the value is true no more
    explicit: bool = False  # "remember that ..."
    instead_of: str = ""  # the value this one replaces, when the user named it

    def checked_against(self, message: str) -> "Found":
        """The candidate itself, when its quote stands in `message` where it says.

        Raises `InputError` otherwise: evidence that is not in the source is no evidence.
        """
        start, end = self.span
        if not self.quote or message[start:end] != self.quote:
            raise InputError(
                f"characters {start}-{end} of the message are not {self.quote[:40]!r}",
                hint="Refuse the candidate: what it rests on was not said.",
            )
        return self
