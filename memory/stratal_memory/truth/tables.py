"""Every table of the truth: what migrations and the residue scan look through."""

from stratal_memory.truth import (
    schema_consolidation,
    schema_jobs,
    schema_procedures,
    schema_skills,
    schema_tools,
    schema_usefulness,
)
from stratal_memory.truth.schema import metadata

__all__ = [
    "metadata",
    "schema_consolidation",
    "schema_jobs",
    "schema_procedures",
    "schema_skills",
    "schema_tools",
    "schema_usefulness",
]
