"""How models look to people: a table of all, and the whole record of one."""

from collections.abc import Iterator

from rich.console import RenderableType

from stratal.cli.shapes.models import ModelFound, ModelList, ModelShape, PricesShape
from stratal.cli.terminal import cell, lines, table

ROOMY = 110  # columns of a terminal from which on every column of the table is shown
UNKNOWN = "-"


def all_models(found: ModelList, *, width: int) -> RenderableType:
    """The table, narrower on a terminal of less than `ROOMY` columns."""
    if not found.models:
        return cell("no model is like that", "dim")
    roomy = width >= ROOMY
    columns = ["window", "input", "output", "in/out $", *(["cache"] if roomy else [])]
    made = table("model", *columns, "tier", *(["counts as"] if roomy else []), right=(*columns,))
    for one in found.models:
        numbers = [one.window, one.max_input, one.max_output]
        shown = [*map(short, numbers), _price(one), *([f"{one.cache_minimum:,}"] if roomy else [])]
        rest = [one.tier, *([one.family] if roomy else [])]
        made.add_row(
            cell(f"{one.provider}:{one.match}"), *map(cell, shown), *(cell(t, "dim") for t in rest)
        )
    sources = sorted({(one.source, one.as_of) for one in found.models})
    notes = [f"source: {source}, {day}" for source, day in sources]
    legend = "Dollars are for a million tokens; `stratal models NAME` shows the whole record."
    return lines(
        made, cell(f"{len(found.models)} models. {legend}"), *(cell(n, "dim") for n in notes)
    )


def one_model(found: ModelFound) -> RenderableType:
    """The record of the one model, with why it is that."""
    made = table("", "")
    made.show_header = False
    for name, value in _record(found):
        made.add_row(cell(name, "dim"), cell(value))
    return made


def short(tokens: int) -> str:
    """A number of tokens in at most five characters.

    >>> short(1_050_000), short(922_000), short(16_384), short(131_072), short(512)
    ('1.05M', '922k', '16k', '131k', '512')
    """
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"
    return f"{tokens // 1_000}k" if tokens >= 1_000 else str(tokens)


def _price(one: ModelShape) -> str:
    return f"{one.prices.input:g}/{one.prices.output:g}" if one.prices else UNKNOWN


def _record(found: ModelFound) -> Iterator[tuple[str, str]]:
    (one,) = found.models
    yield "model", found.model
    yield "row", f"{one.provider}:{one.match}" if one.match else UNKNOWN
    yield "found", f"{found.way}: {found.why}"
    yield "window", f"{one.window:,} tokens" + ("" if one.known else ", assumed")
    yield "input, output", f"at most {one.max_input:,} and {one.max_output:,}"
    yield "counts as", one.family
    yield "cached from", f"{one.cache_minimum:,} tokens" if one.cache_minimum else UNKNOWN
    yield "tier", one.tier
    yield "can", ", ".join(one.flags) or UNKNOWN
    yield "prices", _prices(one.prices) if one.prices else "not known"
    if one.prices and one.prices.long:
        yield f"above {short(one.prices.above)}", _prices(one.prices.long)
    if one.retires:
        yield "ends", one.retires
    yield "source", f"{one.source}, {one.as_of}" if one.as_of else one.source
    yield "checked", one.checked or UNKNOWN
    if found.near:
        yield "near", ", ".join(found.near)


def _prices(prices: PricesShape) -> str:
    """Dollars for a million tokens, in words."""
    parts = [f"input ${prices.input:g}", f"output ${prices.output:g}"]
    if prices.cache_read is not None:
        parts.append(f"cache read ${prices.cache_read:g}")
    if prices.cache_write is not None:
        parts.append(f"cache write ${prices.cache_write:g}")
    return ", ".join(parts) + " for a million tokens"
