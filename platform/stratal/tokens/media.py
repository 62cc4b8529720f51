"""Tokens of one attachment, by the formula the model's maker publishes where there is one.

Sizes nobody measured count as the most such an attachment can take.
"""

import math
from dataclasses import dataclass

from stratal_memory.records import Media, MediaKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Patches:
    """An image cut into squares of `side` pixels, after it was scaled down to both limits."""

    side: int  # pixels
    edge: int  # pixels, the longest side a model sees
    limit: int  # patches
    times: float = 1.0  # tokens a patch

    @property
    def most(self) -> int:
        """The tokens of an image as large as the model sees any."""
        return math.ceil(self.limit * self.times)

    def tokens(self, width: int, height: int) -> int:
        """Tokens of an image of `width` x `height` pixels."""
        scale = min(1.0, self.edge / max(width, height))
        across, down = width * scale / self.side, height * scale / self.side
        if math.ceil(across) * math.ceil(down) > self.limit:
            # OpenAI's own words: shrink to the limit, then until one side is whole patches.
            shrink = math.sqrt(self.limit / (across * down))
            across, down = across * shrink, down * shrink
            whole = min(max(1, math.floor(side)) / side for side in (across, down))
            across, down = across * min(1.0, whole), down * min(1.0, whole)
        # A side that was made whole must not become one more by the last bit of a float.
        patches = math.ceil(across - 1e-9) * math.ceil(down - 1e-9)
        return math.ceil(max(1, min(patches, self.limit)) * self.times)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiles:
    """An image in tiles of 512 pixels: fitted into 2,048, its short side brought down to 768."""

    base: int  # tokens an image
    tile: int  # tokens a tile

    @property
    def most(self) -> int:
        """The tokens of 768 x 2,048 pixels: eight tiles."""
        return self.base + 8 * self.tile

    def tokens(self, width: int, height: int) -> int:
        """Tokens of an image of `width` x `height` pixels."""
        scale = min(1.0, 2_048 / max(width, height))
        scale *= min(1.0, 768 / (min(width, height) * scale))
        tiles = math.ceil(width * scale / 512) * math.ceil(height * scale / 512)
        return self.base + tiles * self.tile


@dataclass(frozen=True, slots=True, kw_only=True)
class Flat:
    """The same for every image."""

    most: int  # tokens

    def tokens(self, width: int, height: int) -> int:
        """`most`, whatever the size."""
        return self.most


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaRule:
    """What one family of models takes for each kind of attachment."""

    image: Patches | Tiles | Flat
    page: int = 3_000  # tokens a page of a document
    second: float = 32.0  # tokens a second of sound


# platform.claude.com, "Vision" (2026): an image costs ceil(width/28) x ceil(height/28), scaled to
# 1,568 pixels and 1,568 tokens, from 4.7 on to 2,576 and 4,784. (The older width x height / 750 is
# the same within 5 %.) "PDF support": 1,500 to 3,000 tokens of text a page; 2,481 were measured at
# most for a page with its picture. Claude takes no sound.
_CLAUDE = MediaRule(image=Patches(side=28, edge=2_576, limit=4_784))
_CLAUDE_46 = MediaRule(image=Patches(side=28, edge=1_568, limit=1_568))

# developers.openai.com, "Images and vision": patches of 32 pixels. 10,000 patches and 6,000 pixels
# are said for gpt-5.5; gpt-6 took 11,970 uncut for a photo of 12 megapixels (measured by others),
# more is unknown. "Managing costs": a token for each 100 ms of sound.
_GPT_6 = Patches(side=32, edge=6_000, limit=12_000, times=1.2)
_OPENAI_SECOND = 10.0


def _small(times: float, *, limit: int = 1_536) -> Patches:
    return Patches(side=32, edge=2_048, limit=limit, times=times)


# By model, up to its end or a hyphen: "gpt-5" is not "gpt-5.5". The documents say 1.62 and 2.46
# for the small gpt-5 models; bills of 1.2 and 1.5 were seen. The larger is the safe one.
_OPENAI: dict[str, Patches | Tiles] = {
    "gpt-4": Tiles(base=85, tile=170),
    "gpt-4o": Tiles(base=85, tile=170),
    "gpt-4.1": Tiles(base=85, tile=170),
    "gpt-4.5": Tiles(base=85, tile=170),
    "gpt-4o-mini": Tiles(base=2_833, tile=5_667),
    "gpt-4.1-mini": _small(1.62),
    "gpt-4.1-nano": _small(2.46),
    "o1": Tiles(base=75, tile=150),
    "o3": Tiles(base=75, tile=150),
    "o4-mini": _small(1.72),
    "gpt-5": Tiles(base=70, tile=140),
    "gpt-5.1": Tiles(base=70, tile=140),
    "gpt-5-mini": _small(1.62),
    "gpt-5-nano": _small(2.46),
    "gpt-5.2": _small(1.2),
    "gpt-5.3": _small(1.2),
    "gpt-5.4": _small(1.2, limit=2_500),
    "gpt-5.4-mini": _small(1.62),
    "gpt-5.4-nano": _small(2.46),
    "gpt-5.5": Patches(side=32, edge=6_000, limit=10_000, times=1.2),
}

# ai.google.dev, "Understand and count tokens": 32 tokens a second; an image of Gemini 3 takes up
# to 1,120 (1,101 measured), a page 560.
_GEMINI = MediaRule(image=Flat(most=1_120), page=560)

# Open models differ by a factor of ten; 1,600 is Llama 3.2's largest. Our own choice.
_OTHER = MediaRule(image=Flat(most=1_600))

# For what nobody measured; our own: ten pages, five minutes.
UNKNOWN_PAGES = 10
UNKNOWN_SECONDS = 300.0


def media_tokens(media: Media, *, family: str, model: str = "") -> int:
    """The tokens one attachment takes in a model of `family`; `model` makes OpenAI's exact.

    >>> media_tokens(Media(source="a.png", width=1_092, height=1_092), family="claude")
    1521
    """
    rule = _rule(family, model=model.rsplit("/", 1)[-1])
    if media.kind == MediaKind.AUDIO:
        known = 0 < media.seconds < math.inf
        return math.ceil((media.seconds if known else UNKNOWN_SECONDS) * rule.second)
    if media.kind == MediaKind.DOCUMENT:
        return rule.page * (media.pages if media.pages > 0 else UNKNOWN_PAGES)
    if media.width > 0 and media.height > 0:
        return rule.image.tokens(media.width, media.height)
    return rule.image.most


def _rule(family: str, *, model: str) -> MediaRule:
    if family == "openai":
        return MediaRule(image=_openai_image(model), second=_OPENAI_SECOND)
    if model.startswith("gemini"):
        return _GEMINI
    return {"claude": _CLAUDE, "claude-4.6": _CLAUDE_46}.get(family, _OTHER)


def _openai_image(model: str) -> Patches | Tiles:
    """By the longest name of the table that `model` begins with, else as gpt-6."""
    parts = model.split("-")
    for length in range(len(parts), 0, -1):
        found = _OPENAI.get("-".join(parts[:length]))
        if found is not None:
            return found
    return _GPT_6
