"""The sections of the settings that say what is learned from messages, and what never is."""

from datetime import timedelta

from pydantic import Field, field_validator

from stratal.parts import Part
from stratal_memory.errors import InputError
from stratal_memory.learning.privacy import Policy, Privacy
from stratal_memory.learning.settings import GateSettings


class LearningPart(Part):
    """Who reads messages for facts, and when; the rules always do, at once and at no cost.

    A model that reads too costs about 3,000 tokens in and 300 out for each reading: some 1,700 are
    its instructions and the facts already known. It reads when `buffer_tokens` were said, after a
    pause, when another conversation begins, when the user asks to remember, and at consolidation.
    """

    model: str = "auto"
    """`auto` (the maker's `low`; none with `offline:`), a tier, `same`, `none`, a model string."""
    zone: str = ""
    """The IANA name of the user's time zone, as Europe/Berlin; empty: this machine's."""
    buffer_tokens: int = Field(default=1_024, ge=1)
    """How many tokens of the user's wait at most until they are read, at four characters each."""
    idle_minutes: int = Field(default=10, ge=0)
    """They are read after this much silence however few they are."""
    daily_tokens: int = Field(default=500_000, ge=0)
    """Tokens a day, in and out, models may take for one user's memory; 0: no limit."""
    daily_usd: float = Field(default=1.0, ge=0)
    """US dollars a day, where the model's prices are known; 0: no limit."""

    @field_validator("zone")
    @classmethod
    def _known(cls, value: str) -> str:
        try:
            return GateSettings(zone=value).zone
        except InputError as error:
            raise ValueError(f"{error} {error.hint}") from error

    def gate(self, privacy: "PrivacyPart") -> GateSettings:
        """The same as the memory room reads it."""
        return GateSettings(
            privacy=privacy.policies(),
            zone=self.zone,
            buffer_tokens=self.buffer_tokens,
            buffer_idle=timedelta(minutes=self.idle_minutes),
        )


class PrivacyPart(Part):
    """What memory does with identifiers: `redact`, `block` the sentence they stand in, or `keep`.

    It rules what is remembered, however it came in. Secrets, card numbers and IBANs never reach
    the history either, whatever stands here.
    """

    email: Policy = Policy.REDACT
    """E-mail addresses."""
    phone: Policy = Policy.REDACT
    """Telephone numbers."""
    address: Policy = Policy.REDACT
    """Streets with a house number."""
    ip: Policy = Policy.REDACT
    """Addresses of computers."""
    national_id: Policy = Policy.REDACT
    """Numbers of passports, social security and tax."""
    card: Policy = Policy.REDACT
    """Numbers of bank cards."""
    iban: Policy = Policy.REDACT
    """Numbers of bank accounts."""
    secret: Policy = Policy.REDACT
    """Passwords and keys; they can't be kept."""

    @field_validator("secret")
    @classmethod
    def _never(cls, value: Policy) -> Policy:
        if value is Policy.KEEP:
            raise ValueError("secrets can't be kept in memory; write redact or block")
        return value

    def policies(self) -> Privacy:
        """The same as the memory room reads it."""
        return Privacy(
            email=self.email,
            phone=self.phone,
            address=self.address,
            ip=self.ip,
            national_id=self.national_id,
            card=self.card,
            iban=self.iban,
            secret=self.secret,
        )
