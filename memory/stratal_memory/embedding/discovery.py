"""Which embedding model this machine has, and which one the settings ask for."""

from importlib.util import find_spec
from pathlib import Path

from stratal_memory.embedding import pins
from stratal_memory.embedding.embedder import Embedder
from stratal_memory.embedding.hashing import HashEmbedder
from stratal_memory.embedding.onnx import Form, OnnxEmbedder
from stratal_memory.embedding.sentence_transformers import SentenceTransformerEmbedder
from stratal_memory.errors import EmbeddingError

AUTOMATIC, NONE = "", "none"
KNOWN = (
    "none",
    f"onnx:{pins.MODEL}",
    f"onnx:{pins.MODEL}?int8",
    "onnx:PATH",
    "onnx:PATH?int8",
    "st:MODEL",
    "st:MODEL?download",
    "hash:384",
)
GET_ONE = (
    f"Run `pip install {pins.PACKAGE_VERSION}` or `stratal models pull`, "
    "or go on without: search by words works."
)


def find_embedder(setting: str, *, models_dir: Path) -> Embedder | None:
    """The embedder `setting` names; for `""` the pinned model if it is on this machine, else None.

    The pinned model is looked for in the installed model package, then in
    `models_dir/all-MiniLM-L6-v2`; its files must have the pinned hashes. `"none"` is None as well.
    The other settings are in `KNOWN`: `?int8` takes the faster, slightly coarser number format,
    `?download` lets sentence-transformers fetch the model. `onnx:PATH` takes any model shaped like
    all-MiniLM-L6-v2 and is not pinned.

    Raises `EmbeddingError` when what was named is unknown, missing or unusable, and
    `ModelHashMismatch` when the pinned model's files are not the pinned ones: nothing else is
    silently taken instead.
    """
    if setting == NONE:
        return None
    if setting == AUTOMATIC:
        folder = _pinned_folder(models_dir)
        return OnnxEmbedder(folder, pinned=True) if folder else None
    engine, _, rest = setting.partition(":")
    name, _, option = rest.partition("?")
    if engine == "onnx" and name and option in ("", "int8"):
        return _onnx(name, models_dir, form="int8" if option else "float32")
    if engine == "st" and name and option in ("", "download"):
        return SentenceTransformerEmbedder(name, download=option == "download")
    if engine == "hash" and rest.isascii() and rest.isdigit() and int(rest) > 0:
        return HashEmbedder(int(rest))
    raise EmbeddingError(
        f"the embedding model {setting!r} is not known", hint=f"Known are: {', '.join(KNOWN)}."
    )


def _onnx(name: str, models_dir: Path, *, form: Form) -> OnnxEmbedder:
    if name != pins.MODEL:
        return OnnxEmbedder(Path(name).expanduser(), form=form)
    folder = _pinned_folder(models_dir)
    if folder is None:
        raise EmbeddingError(
            f"the embedding model {pins.MODEL} is neither installed nor in {models_dir}",
            hint=GET_ONE,
        )
    return OnnxEmbedder(folder, form=form, pinned=True)


def _pinned_folder(models_dir: Path) -> Path | None:
    return next((f for f in (packaged_model(), models_dir / pins.MODEL) if f and f.is_dir()), None)


def packaged_model() -> Path | None:
    """The folder of the installed model package, or None when it is not installed.

    The package is found, not imported: importing it may import torch.
    """
    spec = find_spec(pins.PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"
