r"""Write the table of known models from litellm's list, checked against genai-prices.

For maintainers; it reads two wheels and needs no network itself:

    pip download --no-deps -d /tmp/wheels litellm genai-prices
    .venv/bin/python -m scripts.make_models --litellm /tmp/wheels/litellm-*.whl \
        --genai-prices /tmp/wheels/genai_prices-*.whl --as-of 2026-11-20

What makers say on their own pages stands in `model_facts.json` and wins over both; what a host says
of a maker's model never exceeds the maker's numbers. Disagreements are printed, and stand in the
rows. Both packages are under the MIT licence: `assets/models.LICENSE.txt` keeps their notices.
"""

import argparse
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias, cast

from scripts.model_choice import chosen
from scripts.model_sources import Entry, GenaiPrices, Second, litellm, version_of
from stratal.providers.models import bare
from stratal.tokens.families import family_of

TARGET = Path(__file__).parents[1] / "platform" / "stratal" / "assets" / "models.json"
FACTS = Path(__file__).with_name("model_facts.json")

Row: TypeAlias = dict[str, object]  # as it stands in the table

# Ours: theirs, where genai-prices has another word.
SECOND = {"bedrock": "aws", "gemini": "google", "moonshot": "moonshotai", "xai": "x-ai"}
DATED = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d|\d{4}|\d\d-20\d\d)$")
FLAGS = {
    "tools": "supports_function_calling",
    "vision": "supports_vision",
    "pdf": "supports_pdf_input",
    "audio": "supports_audio_input",
    "reasoning": "supports_reasoning",
    "schema": "supports_response_schema",
    "prefill": "supports_assistant_prefill",
    "caching": "supports_prompt_caching",
    "mid_conversation_system": "supports_mid_conversation_system",
}
RATES = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cache_read": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
}
# A word of the name puts a model into a tier; the first line that fits wins. No word: by price.
TIERS = (
    ("high", r"opus|fable|mythos|astra"),
    (
        "low",
        r"haiku|luna|nano|(?<!ge)mini(?!max)|lite|micro|tiny|small|turbo|-air|\b(?:\d|1[0-4])b",
    ),
    ("default", r"gemini.*flash|sonnet|-sol|terra|medium|nova-pro|sonar-pro"),
    ("low", r"flash|fast|lightning|-[23]\db\b"),
    ("high", r"-pro\b|(?<!mini)max\b|large|premier|ultra|maverick"),
)
HIGH_FROM, LOW_BELOW = Decimal(20), Decimal(1)  # dollars for a million tokens of output
# PROVIDERS, section 4: OpenAI's limits by the maximum input litellm gives.
OPENAI_LIMITS = {
    272_000: (400_000, 272_000),
    400_000: (400_000, 272_000),
    922_000: (1_050_000, 922_000),
    1_050_000: (1_050_000, 922_000),
}
GPT = re.compile(r"gpt-[5-9]|chat-latest")
NEWER = re.compile(r"-\d{1,2}(?!\d)")  # after gpt-5: the rest of gpt-5.6, which is another model
CLOSE = Decimal("0.05")  # 1,000,000 and 1,048,576 are one window


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The two wheels and the curated facts."""

    first: Mapping[str, Entry]
    first_name: str
    second: GenaiPrices
    facts: tuple[Row, ...]
    as_of: str


def table(sources: Sources) -> list[Row]:
    """All rows, by provider and then by name."""
    found: dict[tuple[str, str], Row] = {}
    for provider, name, entry in chosen(sources.first, as_of=sources.as_of):
        found.setdefault((provider, name), _row(provider, name, entry, sources))
    for fact in sources.facts:
        key = (str(fact["provider"]), str(fact["match"]))
        found[key] = _with_fact(found.get(key), fact, sources)
    rows = _without_repeats(found)
    return [row for _, row in sorted(rows.items())]


def _row(provider: str, name: str, entry: Entry, sources: Sources) -> Row:
    fact = _fact_for(provider, name, sources.facts)
    window, reads, writes = _limits(name, entry)
    if fact is not None:
        window = min(window, cast(int, fact["window"]))
        reads = min(reads, window, cast(int, fact["max_input"]))
        writes = min(writes, cast(int, fact["max_output"]))
    row: Row = {
        "provider": provider,
        "match": name,
        "window": window,
        "max_input": min(reads, window),
        "max_output": min(writes, window),
        "family": _family(provider, name),
        "cache_minimum": _cache_minimum(name, entry, fact),
        "tier": _tier(name, entry),
        "flags": _flags(entry),
        "source": sources.first_name,
        "as_of": sources.as_of,
    }
    prices = _prices(entry)
    if prices:
        row["prices"] = prices
    if "deprecation_date" in entry:
        row["retires"] = str(entry["deprecation_date"])
    row["checked"] = _checked(row, sources.second)
    return row


def _fact_for(provider: str, name: str, facts: tuple[Row, ...]) -> Row | None:
    """The maker's own words on a model, wherever it is hosted; None for the maker's own row."""
    if any((fact["provider"], fact["match"]) == (provider, name) for fact in facts):
        return None  # the whole fact is laid over it, and what it changes is said
    wanted = bare(name)
    named = {bare(str(fact["match"])): fact for fact in facts}
    fitting = [key for key in named if _begins(wanted, key) and not NEWER.match(wanted[len(key) :])]
    return named[max(fitting, key=len)] if fitting else None


def _begins(name: str, key: str) -> bool:
    return bool(key) and name.startswith(key) and not name[len(key) : len(key) + 1].isalnum()


def _limits(name: str, entry: Entry) -> tuple[int, int, int]:
    """Window, maximum input and output; litellm's input is the window, but for newer GPTs."""
    reads, writes = (int(cast(int, entry[f"max_{way}_tokens"])) for way in ("input", "output"))
    if GPT.match(bare(name)) and reads in OPENAI_LIMITS:
        return (*OPENAI_LIMITS[reads], min(writes, 128_000))
    return reads, reads, min(writes, reads)


def _family(provider: str, name: str) -> str:
    """The family of the model itself: Azure hosts more than OpenAI's."""
    maker = "" if provider == "azure" else provider
    return family_of(provider=maker, model=bare(name))


def _cache_minimum(name: str, entry: Entry, fact: Row | None) -> int:
    """The shortest prefix that is cached; the most demanding number where nobody says it."""
    if fact is not None:
        return cast(int, fact["cache_minimum"])
    said = entry.get("prompt_cache_min_tokens")
    if said:
        return int(cast(int, said))
    if "caching" not in _flags(entry):
        return 0
    if re.match(r"gpt-|o\d", bare(name)):
        return 1_024
    return 2_048 if "gemini-2.5" in name else 4_096


def _flags(entry: Entry) -> list[str]:
    flags = [flag for flag, key in FLAGS.items() if entry.get(key)]
    if "caching" not in flags and entry.get("cache_read_input_token_cost"):
        flags.append("caching")
    if entry.get("supports_sampling_params") is False:
        flags.append("no_sampling")
    return flags


def _tier(name: str, entry: Entry) -> str:
    for tier, words in TIERS:
        if re.search(words, name.casefold()):
            return tier
    output = _million(entry.get("output_cost_per_token"))
    if output is None or LOW_BELOW <= output < HIGH_FROM:
        return "default"
    return "high" if output >= HIGH_FROM else "low"


def _million(price: object) -> Decimal | None:
    return Decimal(str(price)) * 1_000_000 if price else None


def _prices(entry: Entry) -> dict[str, object]:
    """Dollars for a million tokens; empty where nothing is known or nothing is charged."""
    prices = _rates(entry, "")
    steps = [re.fullmatch(r"input_cost_per_token(_above_(\d+)k_tokens)", key) for key in entry]
    for step in filter(None, steps):
        long = _rates(entry, step[1])
        if prices and long:
            prices |= {"above": int(step[2]) * 1_000, "long": long}
    return prices


def _rates(entry: Entry, suffix: str) -> dict[str, object]:
    found = {ours: _million(entry.get(f"{theirs}{suffix}")) for ours, theirs in RATES.items()}
    rates: dict[str, object] = {ours: price for ours, price in found.items() if price is not None}
    return rates if "input" in rates and "output" in rates else {}


def _with_fact(row: Row | None, fact: Row, sources: Sources) -> Row:
    """The maker's words, and from the list what they leave open."""
    given: Row = {"flags": [], "tier": _tier(str(fact["match"]), {}), **(row or {}), **fact}
    provider, name = str(given["provider"]), str(given["match"])
    given["family"] = _family(provider, name)
    checked = [_checked(given, sources.second)]
    prices = _seconds_prices(_second(provider, name, sources.second))
    if "prices" not in given and prices:
        given["prices"] = prices
        checked.append("its prices stand here")
    if row is not None:
        kept = ("window", "max_input", "max_output", "cache_minimum")
        said = [f"{sources.first_name} {key} {row[key]}" for key in kept if row[key] != given[key]]
        checked += said
    given["checked"] = "; ".join(checked)
    return given


def _seconds_prices(second: Second | None) -> dict[str, object]:
    priced = second.prices if second else {}
    found = {name: priced.get(f"{name}_mtok") for name in RATES}
    rates: dict[str, object] = {name: price for name, price in found.items() if price is not None}
    return rates if "input" in rates and "output" in rates else {}


def _second(provider: str, name: str, second: GenaiPrices) -> Second | None:
    return second.find(SECOND.get(provider, provider), name.casefold()) if name else None


def _checked(row: Row, source: GenaiPrices) -> str:
    """`agrees`, `absent`, or `differs:` with what the second source has instead."""
    second = _second(str(row["provider"]), str(row["match"]), source)
    if second is None or (second.window is None and not second.prices):
        return "absent"
    wrong = [f"window {second.window}"] if _apart(row["window"], second.window) else []
    prices = cast("Mapping[str, object]", row.get("prices", {}))
    for name in RATES:
        theirs = second.prices.get(f"{name}_mtok")
        if _apart(prices.get(name), theirs):
            wrong.append(f"{name} {theirs}")
    return f"differs: {', '.join(wrong)}" if wrong else "agrees"


def _apart(ours: object, theirs: int | Decimal | None) -> bool:
    if ours is None or theirs is None:
        return False
    mine = Decimal(str(ours))
    return abs(mine - theirs) > CLOSE * max(mine, Decimal(theirs))


def _without_repeats(found: Mapping[tuple[str, str], Row]) -> dict[tuple[str, str], Row]:
    """Rows whose absence would change what some name gets; the maker's facts always stay."""
    kept: dict[tuple[str, str], Row] = {}
    spelled: set[tuple[str, str]] = set()
    for (provider, name), row in sorted(found.items(), key=lambda one: (len(one[0][1]), one[0])):
        names = [key[1] for key in kept if key[0] == provider and _begins(name, key[1])]
        before = max(names, key=len, default="")
        spelling = (provider, name.casefold().replace(".", "-"))
        repeats = spelling in spelled or (before and _repeats(name, row, kept[provider, before]))
        if not repeats or "litellm" not in str(row["source"]):
            kept[provider, name] = row
            spelled.add(spelling)
    return kept


def _repeats(name: str, row: Row, before: Row) -> bool:
    rest = name[len(str(before["match"])) :].replace(".", "-")
    telling = ["window", "max_input", "max_output", "cache_minimum", "family", "prices"]
    if not DATED.search(name):
        telling += ["tier", "flags"]
    same = all(row.get(key) == before.get(key) for key in telling)
    return same and not NEWER.match(rest)


def written(rows: list[Row]) -> str:
    """The table as JSON, one row a line."""
    lines = [f"  {json.dumps(_ordered(row), default=_number)}" for row in rows]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _ordered(row: Row) -> Row:
    order = ("provider", "match", "window", "max_input", "max_output", "family", "cache_minimum")
    rest = ("tier", "flags", "prices", "retires", "source", "as_of", "checked")
    return {key: row[key] for key in (*order, *rest) if key in row}


def _number(value: object) -> int | float:
    """A Decimal as the shortest number that reads back as it."""
    if not isinstance(value, Decimal):
        raise TypeError(f"{value!r} does not belong in the table")
    return int(value) if value == int(value) else float(value)


def main(arguments: list[str] | None = None) -> None:
    """Write the table and print what the sources disagree on."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--litellm", type=Path, required=True, metavar="WHEEL")
    parser.add_argument("--genai-prices", type=Path, required=True, metavar="WHEEL")
    parser.add_argument("--as-of", required=True, metavar="DAY", help="today, as 2026-11-20")
    parser.add_argument("--facts", type=Path, default=FACTS)
    parser.add_argument("--out", type=Path, default=TARGET)
    given = parser.parse_args(arguments)
    sources = Sources(
        first=litellm(given.litellm),
        first_name=version_of(given.litellm),
        second=GenaiPrices(given.genai_prices, as_of=given.as_of),
        facts=tuple(json.loads(given.facts.read_text(encoding="utf-8"))),
        as_of=given.as_of,
    )
    rows = table(sources)
    given.out.write_text(written(rows), encoding="utf-8")
    for row in rows:
        if row["checked"] not in ("agrees", "absent"):
            print(f"{row['provider']}:{row['match']}: {row['checked']}")
    print(f"{given.out}: {len(rows):,} rows")


if __name__ == "__main__":
    main()
