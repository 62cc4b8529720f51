"""The index answers as the plain comparison does, whatever is put into it."""

from hypothesis import given
from hypothesis import strategies as st

from stratal_memory.learning.injected import restates, strip_injected
from stratal_memory.learning.injections import SESSIONS, Injected, Injections, Recollected

# Few words, so that sentences meet; long ones, so that some texts count verbatim.
WORDS = st.sampled_from(["I", "live", "in", "Porto", "tea", "considerable", "straße", "STRASSE"])
TEXTS = st.lists(WORDS, max_size=24).map(" ".join)


@given(known=st.lists(TEXTS, max_size=8), sentence=TEXTS)
def test_a_sentence_restates_what_the_comparison_with_every_text_says(
    known: list[str], sentence: str
) -> None:
    index = Injections([Injected(text, f"mem_{n}") for n, text in enumerate(known)])

    expected = restates(sentence, known)
    found = index.restated(sentence)

    assert (found and found.memory) == (None if expected is None else f"mem_{expected}")


@given(known=st.lists(TEXTS, max_size=8), around=TEXTS, data=st.data())
def test_what_stands_word_for_word_is_blanked_out_as_with_every_text(
    known: list[str], around: str, data: st.DataObject
) -> None:
    copied = data.draw(st.sampled_from([*known, ""]))
    text = f"{around}{copied}{around} {copied[:50]}"
    index = Injections([Injected(one) for one in known])

    assert strip_injected(text, index.verbatim(text)) == strip_injected(text, known)


def test_a_memory_goes_before_a_prompt_of_ours_that_says_the_same() -> None:
    index = Injections([Injected("I live in Porto"), Injected("I live in Porto", "mem_1")])

    found = index.restated("I live in Porto")

    assert found is not None
    assert found.memory == "mem_1"


class Loading:
    """Gives a text for each memory, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[set[str]] = []

    def __call__(self, ids: frozenset[str]) -> list[Injected]:
        self.asked.append(set(ids))
        return [Injected(f"the secret number of {id} is known", id) for id in sorted(ids)]


def test_only_what_is_new_is_loaded_and_what_was_erased_is_forgotten() -> None:
    kept, load = Recollected(), Loading()

    kept.of("s", frozenset("ab"), ours=(), load=load)
    more = kept.of("s", frozenset("abc"), ours=(), load=load)
    less = kept.of("s", frozenset("bc"), ours=(), load=load)

    assert load.asked == [{"a", "b"}, {"c"}, {"b", "c"}]
    assert more.restated("the secret number of a is known") is not None
    assert less.restated("the secret number of a is known") is None


def test_few_conversations_are_kept_the_latest() -> None:
    kept, load = Recollected(), Loading()

    for number in range(SESSIONS + 1):
        kept.of(f"s{number}", frozenset("a"), ours=(), load=load)
    kept.of(f"s{SESSIONS}", frozenset("a"), ours=(), load=load)
    kept.of("s0", frozenset("a"), ours=(), load=load)

    assert len(load.asked) == SESSIONS + 2


def test_conversations_and_prompts_of_ours_do_not_mix() -> None:
    kept, load = Recollected(), Loading()

    kept.of("s", frozenset("a"), ours=(), load=load)
    other = kept.of("t", frozenset(), ours=("I am the prompt",), load=load)

    assert other.restated("the secret number of a is known") is None
    assert other.restated("I am the prompt") == Injected("I am the prompt")
