import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from stratal_memory.learning.rules import extract


def _load() -> ModuleType:
    """tests/ holds no packages, so the neighbour is loaded by its path."""
    path = Path(__file__).with_name("dialogues.py")
    spec = importlib.util.spec_from_file_location("learning_dialogues", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
