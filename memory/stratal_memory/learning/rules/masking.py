"""A message with what is not the user's own word made unreadable: quotations, code, material."""

import re

from stratal_memory.learning.rules.records import record_start

# Stands where masked text stood: no letter, so no value reaches over it.
MASK = "\N{OBJECT REPLACEMENT CHARACTER}"

_SAME_LENGTH = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "\t": " ", "\xa0": " ", "\r": "\n"})
_QUOTED = (
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"^[ \t]{0,8}>[^\n]*", re.MULTILINE),
    re.compile(r"`[^`\n]*`"),
    # A quotation has at least three words; "Rex" in quotation marks is a name.
    re.compile(r'"[^"\s]++ ++[^"\s]++ ++[^"\n]*+"'),
    re.compile(r"“[^“”\s]++ ++[^“”\s]++ ++[^“”\n]*+”"),
    re.compile(r"«[^«»\n]*»"),
    re.compile(r"(?<!\w)'[^'\s]++ [^'\s]++ [^'\n]*+'(?!\w)"),
)
# What follows is material to work on, not a statement of the user's.
_MATERIAL = re.compile(
    r"\b(?:translate|proofread|rewrite|rephrase|paraphrase|summari[sz]e|correct|fix|improve|edit"
    r"|review|polish|shorten|letter|essay|e-?mail|story|poem|draft|article|lyrics|transcript|log"
    r"|dialogue|text|paragraph|sentence|message|example|quote)\b[^\n.!?:]{0,80}:",
    re.IGNORECASE,
)


def masked(text: str) -> str:
    """`text` at its length, with quotations, code, pasted material and records unreadable."""
    plain = text.translate(_SAME_LENGTH)
    for pattern in _QUOTED:
        plain = pattern.sub(lambda match: MASK * len(match.group()), plain)
    material = _MATERIAL.search(plain)
    start = min(material.start() if material else len(plain), record_start(plain))
    return plain[:start] + MASK * (len(plain) - start)
