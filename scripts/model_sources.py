"""The two packages `make_models.py` reads: their wheels, as plain values, without running them."""

import ast
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import cast

Entry = Mapping[str, object]  # one model of litellm's file
LITELLM_FILE = "litellm/model_prices_and_context_window_backup.json"
GENAI_FILE = "genai_prices/data.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """What genai-prices says of one model: tokens, and US dollars for a million tokens."""

    window: int | None
    prices: Mapping[str, Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A constructor call in a Python file: its name and its named arguments."""

    name: str
    args: tuple[object, ...]
    named: Mapping[str, object]


def version_of(wheel: Path) -> str:
    """`litellm 1.109.1`, from the wheel's file name."""
    name, version = wheel.name.split("-")[:2]
    return f"{name.replace('_', '-')} {version}"


def litellm(wheel: Path) -> dict[str, Entry]:
    """Litellm's models by their names; every price is a Decimal."""
    with zipfile.ZipFile(wheel) as packed:
        return cast(dict[str, Entry], json.loads(packed.read(LITELLM_FILE), parse_float=Decimal))


class GenaiPrices:
    """The models of genai-prices, read off its data file by its syntax alone."""

    def __init__(self, wheel: Path, *, as_of: str) -> None:
        with zipfile.ZipFile(wheel) as packed:
            tree = ast.parse(packed.read(GENAI_FILE))
        assigned = [node.value for node in tree.body if isinstance(node, ast.AnnAssign)]
        providers = next(value for value in map(_value, filter(None, assigned)) if value)
        self._models = {
            str(provider.named["id"]): cast(Sequence[Call], provider.named["models"])
            for provider in cast(Sequence[Call], providers)
        }
        self._as_of = as_of

    def find(self, provider: str, name: str) -> Second | None:
        """What it says of `name`; None when no model of `provider` matches."""
        for model in self._models.get(provider, ()):
            if _matches(cast(Call, model.named["match"]), name):
                window = model.named.get("context_window")
                prices = self._current(model.named.get("prices"))
                return Second(window=cast("int | None", window), prices=prices)
        return None

    def _current(self, prices: object) -> dict[str, Decimal]:
        if isinstance(prices, list):  # the last that has begun is in force
            begun = [one for one in cast(list[Call], prices) if self._begun(one)]
            prices = begun[-1].named["prices"] if begun else None
        if not isinstance(prices, Call):
            return {}
        found = {name: _base(price) for name, price in prices.named.items()}
        return {name: price for name, price in found.items() if price is not None}

    def _begun(self, price: Call) -> bool:
        """Whether it is in force all day on the day of the table."""
        constraint = price.named.get("constraint")
        if constraint is None:
            return True
        if not isinstance(constraint, Call) or constraint.name != "StartDateConstraint":
            return False
        year, month, day = cast(Call, constraint.named["start_date"]).args
        return f"{year:04}-{month:02}-{day:02}" <= self._as_of


def _base(price: object) -> Decimal | None:
    if isinstance(price, Call):  # TieredPrices: the first step
        price = price.named["base"]
    return price if isinstance(price, Decimal) else None


def _value(node: ast.expr) -> object:
    """Constants, lists and calls as values; a Decimal as itself, another call as a `Call`."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List):
        return [_value(one) for one in node.elts]
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func).rpartition(".")[2]
        args = tuple(_value(one) for one in node.args)
        if name == "Decimal":
            return Decimal(str(args[0]))
        named = {str(one.arg): _value(one.value) for one in node.keywords}
        return Call(name=name, args=args, named=named)
    return None


def _matches(clause: Call, name: str) -> bool:
    """Whether a clause of genai-prices names `name`; an unknown kind of clause does not."""
    (argument,) = clause.named.values()
    if clause.name in ("ClauseOr", "ClauseAnd"):
        parts = [_matches(part, name) for part in cast(list[Call], argument)]
        return any(parts) if clause.name == "ClauseOr" else all(parts)
    text = str(argument)
    return {
        "ClauseEquals": name == text,
        "ClauseStartsWith": name.startswith(text),
        "ClauseEndsWith": name.endswith(text),
        "ClauseContains": text in name,
        "ClauseRegex": clause.name == "ClauseRegex" and re.search(text, name) is not None,
    }.get(clause.name, False)
