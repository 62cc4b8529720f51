from pathlib import Path

import pytest

from stratal_memory.embedding import discovery, pins
from stratal_memory.embedding.discovery import find_embedder, packaged_model
from stratal_memory.errors import EmbeddingError, ModelHashMismatch


def no_package() -> None:
    """Stands in for `packaged_model` on a machine without the model package."""


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    # A patch, because the package is installed for the tests that embed.
    monkeypatch.setattr(discovery, "packaged_model", no_package)


def pulled(models_dir: Path, source: Path) -> Path:
    folder = models_dir / pins.MODEL
    folder.mkdir(parents=True)
    for file in pins.FILES:
        (folder / file.name).symlink_to(source / file.name)
    return folder


def test_the_installed_package_is_found_without_importing_it(tmp_path: Path) -> None:
    folder = packaged_model()

    embedder = find_embedder("", models_dir=tmp_path)

    assert folder is not None
    assert folder.name == "model"
    assert embedder is not None
    assert embedder.generation.id == "all-MiniLM-L6-v2@53aa51172d14/384"


@pytest.mark.usefixtures("without_package")
def test_no_model_on_the_machine_is_none(tmp_path: Path) -> None:
    assert find_embedder("", models_dir=tmp_path) is None


def test_none_means_none_even_where_a_model_is_installed(tmp_path: Path) -> None:
    assert find_embedder("none", models_dir=tmp_path) is None


@pytest.mark.usefixtures("without_package")
def test_a_model_pulled_earlier_is_found(tmp_path: Path, model_folder: Path) -> None:
    pulled(tmp_path, model_folder)

    embedder = find_embedder("", models_dir=tmp_path)

    assert embedder is not None
    assert embedder.generation.model == "all-MiniLM-L6-v2"


@pytest.mark.usefixtures("without_package")
def test_a_pulled_model_with_another_hash_is_refused(tmp_path: Path, model_folder: Path) -> None:
    weights = pulled(tmp_path, model_folder) / "model.safetensors"
    weights.unlink()
    weights.write_bytes(b"something else")

    with pytest.raises(ModelHashMismatch, match="53aa51172d14"):
        find_embedder("", models_dir=tmp_path)


@pytest.mark.usefixtures("without_package")
def test_the_named_model_that_is_nowhere_is_an_error_that_says_how_to_get_it(
    tmp_path: Path,
) -> None:
    with pytest.raises(EmbeddingError, match="neither installed nor in") as raised:
        find_embedder("onnx:all-MiniLM-L6-v2", models_dir=tmp_path)

    assert "stratal models pull" in raised.value.hint


@pytest.mark.parametrize(
    ("setting", "generation"),
    [
        ("onnx:all-MiniLM-L6-v2", "all-MiniLM-L6-v2@53aa51172d14/384"),
        ("onnx:all-MiniLM-L6-v2?int8", "all-MiniLM-L6-v2@53aa51172d14-int8/384"),
        ("hash:384", "hash@1/384"),
        ("hash:16", "hash@1/16"),
    ],
)
def test_a_setting_names_a_generation(tmp_path: Path, setting: str, generation: str) -> None:
    embedder = find_embedder(setting, models_dir=tmp_path)

    assert embedder is not None
    assert embedder.generation.id == generation


def test_a_configured_path_is_taken_before_the_installed_package(
    tmp_path: Path, model_folder: Path
) -> None:
    folder = pulled(tmp_path, model_folder)

    embedder = find_embedder(f"onnx:{folder}?int8", models_dir=tmp_path / "other")

    assert embedder is not None
    assert embedder.generation.id == "all-MiniLM-L6-v2@53aa51172d14-int8/384"


def test_a_configured_path_that_is_wrong_is_an_error_not_another_model(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"nowhere.config\.json can't be read"):
        find_embedder(f"onnx:{tmp_path / 'nowhere'}", models_dir=tmp_path)


@pytest.mark.parametrize(
    "setting",
    [
        "minilm",
        "onnx",
        "onnx:",
        "onnx:all-MiniLM-L6-v2?int4",
        "st:",
        "st:x?int8",
        "hash:",
        "hash:0",
        "hash:-3",
        "hash:²",
        "hash:many",
        "openai:text-embedding-3-small",
        "ONNX:x",
        " ",
    ],
)
def test_an_unknown_setting_lists_the_known_ones(tmp_path: Path, setting: str) -> None:
    with pytest.raises(EmbeddingError, match="is not known") as raised:
        find_embedder(setting, models_dir=tmp_path)

    assert "onnx:PATH" in raised.value.hint
