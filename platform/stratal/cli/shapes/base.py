"""What all shapes share, and the shape of an error."""

from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, JsonValue

ScopeName = Annotated[str, BeforeValidator(str)]  # "user:alice"


class Shape(BaseModel):
    """A result; made from any object with the same fields."""

    # Built when first used: a command prints one of them.
    model_config = ConfigDict(frozen=True, from_attributes=True, defer_build=True)

    @classmethod
    def of(cls, source: object) -> Self:
        """The shape of `source`, field by field."""
        return cls.model_validate(source)


class ErrorBody(Shape):
    """What went wrong, and what to do next."""

    type: str
    message: str
    hint: str
    details: dict[str, JsonValue]


class Failed(Shape):
    """What every command prints instead when it fails."""

    error: ErrorBody
