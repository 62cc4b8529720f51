"""Summaries of older turns: by a model where there is one, by rules where it fails."""

from stratal.summarizing.job import Complete, Count, Job, Made, Method
from stratal.summarizing.summarize import summarize

__all__ = ["Complete", "Count", "Job", "Made", "Method", "summarize"]
