import json
from pathlib import Path

import pytest

from stratal_memory.embedding.model_folder import open_model
from stratal_memory.errors import EmbeddingError, ModelHashMismatch

FILES = ("config.json", "tokenizer.json", "model.safetensors")


@pytest.fixture
def folder(tmp_path: Path, model_folder: Path) -> Path:
    """A model folder one may damage: links to the installed files."""
    copy = tmp_path / "my-model"
    copy.mkdir()
    for name in FILES:
        (copy / name).symlink_to(model_folder / name)
    return copy


def replace(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.write_text(text)


def test_the_pinned_files_are_accepted_wherever_they_lie(folder: Path) -> None:
    model = open_model(folder, pinned=True)

    assert model.name == "all-MiniLM-L6-v2"
    assert model.weights.sha256.startswith("53aa51172d14")


@pytest.mark.parametrize("name", FILES)
def test_one_changed_byte_is_refused_where_the_model_is_pinned(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[-1] ^= 1
    (folder / name).unlink()
    (folder / name).write_bytes(content)

    with pytest.raises(ModelHashMismatch, match=name):
        open_model(folder, pinned=True)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("pinned", [True, False])
def test_a_missing_file_is_named(folder: Path, name: str, pinned: bool) -> None:
    (folder / name).unlink()

    with pytest.raises(EmbeddingError, match=name):
        open_model(folder, pinned=pinned)


def test_other_weights_of_the_same_shape_are_named_after_their_folder(folder: Path) -> None:
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").write_bytes(content)

    model = open_model(folder, pinned=False)

    assert model.name == "my-model"
    assert not model.weights.sha256.startswith("53aa51172d14")


def test_a_model_of_another_architecture_is_refused_by_what_differs(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text()) | {"num_hidden_layers": 12}
    replace(folder / "config.json", json.dumps(config))

    with pytest.raises(EmbeddingError, match="num_hidden_layers is 12") as raised:
        open_model(folder, pinned=False)

    assert "st:MODEL" in raised.value.hint


def test_a_model_that_does_not_pool_by_the_mean_is_refused(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    replace(folder / "1_Pooling" / "config.json", '{"pooling_mode_mean_tokens": false}')

    with pytest.raises(EmbeddingError, match="pooling_mode_mean_tokens is False"):
        open_model(folder, pinned=False)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ("{}", "kind None with 0 words"),
        ('{"model": {"type": "BPE", "vocab": {"a": 0}}}', "kind 'BPE' with 1 words"),
    ],
)
def test_an_unsuited_tokenizer_says_what_is_wrong(folder: Path, text: str, what: str) -> None:
    replace(folder / "tokenizer.json", text)

    with pytest.raises(EmbeddingError, match=what):
        open_model(folder, pinned=False)
