"""Memories by what they are about."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, or_

from stratal_memory.truth.schema import memories


def about(facets: Collection[str]) -> ColumnElement[bool]:
    """What is kept under one of `facets`, or below one: "pet" stands for "pet.cat" too."""
    below = (memories.c.facet.startswith(f"{one}.", autoescape=True) for one in sorted(facets))
    return or_(memories.c.facet.in_(sorted(facets)), *below)
