"""Schemas of strangers: passed on when every provider takes them, refused alone when not."""

import json
from typing import Any

import pytest

from stratal.errors import InputError
from stratal.tools.mcp_schema import DEEPEST, MOST, cleaned, fitted


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        node = {"type": "object", "properties": {"a": node}}
    return node


def test_a_plain_schema_is_passed_on_as_canonical_json() -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}

    assert fitted(schema) == (
        '{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}'
    )


def test_what_no_maker_takes_at_the_root_is_left_out_there_alone() -> None:
    union = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    schema = {"$schema": "http://x", "oneOf": [{}], "properties": {"a": union}}

    assert json.loads(fitted(schema)) == {"type": "object", "properties": {"a": union}}


def test_words_in_a_schema_are_short_and_visible() -> None:
    properties = {"a": {"type": "string", "description": "x\u200b\n\ny" + "z" * 1_000}}

    made = json.loads(fitted({"properties": properties}))

    said = made["properties"]["a"]["description"]
    assert said.startswith("x yzz")
    assert len(said) == 300


def test_a_property_may_be_called_description() -> None:
    properties = {"description": {"type": "string"}, "title": {"type": "string"}}

    assert json.loads(fitted({"properties": properties}))["properties"] == properties


def test_a_schema_that_is_long_by_its_words_goes_without_them() -> None:
    properties = {f"p{n}": {"type": "string", "description": "w" * 200} for n in range(200)}

    text = fitted({"properties": properties})

    assert len(text) <= MOST
    assert json.loads(text)["properties"]["p7"] == {"type": "string"}


def test_a_reference_inside_the_schema_is_kept() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/A~1b"}}, "$defs": {"A/b": {"type": "string"}}}

    assert json.loads(fitted(schema))["properties"]["a"] == {"$ref": "#/$defs/A~1b"}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string"}, "no object but 'string'"),
        ({"type": ["object", "null"]}, "no object"),
        ({"properties": []}, "names no properties"),
        ({"properties": {"näme": {}}}, "a parameter called 'näme'"),
        ({"properties": {"": {}}}, "a parameter called ''"),
        ({"properties": {"a": {"$ref": "https://evil.example/s"}}}, "refers to 'https://evil"),
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, "which is not in it"),
        ({"properties": {"a": {"enum": ["x" * MOST]}}}, "characters, 16,000 are allowed"),
        (nested(DEEPEST + 1), "nested more than 32 deep"),
    ],
)
def test_a_schema_that_some_provider_refuses_says_why(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        fitted(schema)


def test_a_text_that_is_short_enough_stays_whole() -> None:
    assert cleaned("Reads a file.", most=13) == "Reads a file."
