"""Models: what they take, what they cost, and how a name was found."""

from stratal.cli.shapes.base import Shape
from stratal.providers.models import Way


class PricesShape(Shape):
    """US dollars for a million tokens; null: the source gives no price of its own for it."""

    input: float
    output: float
    cache_read: float | None
    cache_write: float | None
    above: int  # tokens of a prompt from which on all of it costs `long`; 0: there is no `long`
    long: "PricesShape | None"


class ModelShape(Shape):
    """What the names that begin with `match` take, in tokens."""

    provider: str
    match: str
    window: int
    max_input: int
    max_output: int
    family: str
    cache_minimum: int
    tier: str
    flags: tuple[str, ...]
    prices: PricesShape | None
    source: str
    as_of: str
    checked: str  # what a second source says: agrees, absent, or what differs
    retires: str  # the day its maker shuts it down; empty: none is announced
    known: bool  # false: the numbers are assumed


class ModelList(Shape):
    """Models."""

    models: tuple[ModelShape, ...]


class ModelFound(Shape):
    """The one model a name resolves to, how, why, and known names that look like it."""

    model: str
    models: tuple[ModelShape, ...]
    way: Way
    why: str
    near: tuple[str, ...]
