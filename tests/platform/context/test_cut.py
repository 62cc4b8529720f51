from dataclasses import replace

from stratal.context.compression.results import ResultRules
from stratal.context.compression.strategies import Overflow
from stratal.context.cut import KeptHistory, kept
from stratal.context.history import HistoryRules, Past, read
from stratal_memory.records import Media, Message
from tests.platform.context.making import Words, assistant, tool, user

Turn = list[Message]
ROOM = 100
TEN = " ".join(["word"] * 10)
LONG = "w" * 400 + " word" * 29  # 30 tokens, 545 characters


class Talk:
    """A conversation of turns of ten words, whose cut is carried on as a session does."""

    def __init__(self, rules: HistoryRules | None = None) -> None:
        self.rules = rules or HistoryRules()
        self.turns: list[Turn] = []
        self.after = self.aged = 0

    def say(self, *messages: Message) -> None:
        rows = sum(map(len, self.turns))
        self.turns.append([replace(one, seq=rows + n) for n, one in enumerate(messages, 1)])

    def past(self) -> Past:
        shown = (turn for turn in reversed(self.turns) if turn[0].seq > self.after)
        return Past(turns=shown, aged=self.aged, rules=self.rules)

    def look(self, *, room: int = ROOM, current: int = 1) -> KeptHistory:
        """What is shown of it, the cut moved where it had to."""
        words = Words()
        newest = read(self.past(), room=room, current=current, counter=words)
        history = kept(newest, room=room, current=current, counter=words)
        if history.moved:
            self.after = max(self.after, history.moved.after)
            self.aged = max(self.aged, history.moved.aged)
        return history


def looked(text: str, number: int) -> tuple[Message, ...]:
    call = f"c{number}"
    return (user("look"), assistant("", call), tool(text, call), assistant("done"))


def test_the_cut_stays_while_the_history_fits_and_then_frees_thirty_percent() -> None:
    talk = Talk()
    moved: list[int] = []
    for number in range(1, 31):
        talk.say(user(TEN))
        history = talk.look()
        assert history.tokens <= ROOM
        if history.moved:
            moved.append(number)
            assert history.tokens <= ROOM * 0.7
            assert talk.look().moved is None
            assert talk.look().messages == history.messages

    assert moved == [11, 15, 19, 23, 27]


def test_between_cuts_every_history_begins_with_the_one_before() -> None:
    talk = Talk()
    before: tuple[Message, ...] = ()
    for _ in range(50):
        talk.say(user(TEN), assistant("word"))
        history = talk.look()
        if history.moved is None:
            assert history.messages[: len(before)] == before
        before = history.messages


def test_the_cut_names_the_row_of_the_newest_turn_that_is_hidden() -> None:
    talk = Talk()
    for _ in range(11):
        talk.say(user(TEN))

    moved = talk.look().moved

    assert moved is not None
    assert (moved.after, moved.turns) == (4, 4)
    assert moved.reason == "the history took more than its 100 tokens"


def test_results_age_only_when_the_history_no_longer_fits() -> None:  # covers C2, C3
    talk = Talk(HistoryRules(results=ResultRules(age_after=4, age_over=100)))
    for number in range(3):
        talk.say(*looked(LONG, number))
        history = talk.look()
        assert history.moved is None
        assert "truncated" not in str(history.messages)

    talk.say(user(TEN))
    history = talk.look()

    assert history.moved is not None
    assert history.moved.aged == 10  # the newest four are rows 11 to 13 and the message in hand
    assert "full result (545 characters)" in str(history.messages)


def test_ageing_alone_may_free_enough_and_then_no_turn_is_left_out() -> None:  # covers C2
    talk = Talk(HistoryRules(results=ResultRules(age_after=4, age_over=100)))
    long = "w" + " " * 3_000 + "word " * 60
    talk.say(*looked(long, 0))
    talk.say(*looked("word " * 40, 1))

    history = talk.look()

    assert history.moved is not None
    assert (history.moved.after, history.moved.turns) == (0, 0)
    assert history.moved.reason == "old tool results were aged"
    assert len(history.messages) == 8
    assert talk.look().messages == history.messages
    assert talk.look().moved is None


def test_what_was_aged_keeps_its_bytes_in_later_turns() -> None:
    talk = Talk(HistoryRules(results=ResultRules(age_after=4, age_over=100)))
    for number in range(4):
        talk.say(*looked(LONG, number))
    aged = next(one for one in talk.look().messages if "truncated" in one.text)

    for _ in range(2):
        talk.say(user("word"), assistant("word"))
        again = talk.look()
        assert again.moved is None
        assert aged in again.messages


def test_results_age_at_every_turn_where_the_rules_say_so() -> None:  # covers C2
    rules = HistoryRules(results=ResultRules(age_after=4, age_over=100), age_every_turn=True)
    talk = Talk(rules)
    talk.say(*looked(LONG, 0))
    assert "truncated" not in str(talk.look().messages)

    talk.say(user("word"), assistant("word"))
    history = talk.look(current=2)

    assert history.moved is None
    assert "truncated" in str(history.messages)


def test_a_turn_in_hand_counts_among_the_newest_messages() -> None:  # covers C2
    rules = HistoryRules(results=ResultRules(age_after=4, age_over=100), age_every_turn=True)
    talk = Talk(rules)
    talk.say(*looked(LONG, 0))

    assert "truncated" not in str(talk.look(current=2).messages)
    assert "truncated" in str(talk.look(current=3).messages)


def test_pictures_stay_with_their_messages_when_the_history_is_cut() -> None:  # covers P41
    picture = Media(source="https://example.org/a.png")
    talk = Talk()
    for _ in range(12):
        talk.say(replace(user(TEN), media=(picture,)))

    history = talk.look()

    assert history.moved is not None
    assert all(one.media == (picture,) for one in history.messages)


def test_the_newest_turn_alone_is_shortened_instead_of_left_out() -> None:
    talk = Talk(HistoryRules(results=ResultRules(limit=None)))
    talk.say(user(TEN))
    talk.say(*looked("word " * 500, 1))

    history = talk.look(room=150)

    assert history.messages[0].text == "look"
    assert history.shortened[0].call == "c1"
    assert "expand_result" in history.messages[2].text
    assert history.tokens <= 150
    assert talk.after == 1  # what was not even read is hidden too, and gets a summary


def test_a_newest_turn_that_has_to_be_shortened_again_does_not_move_the_cut_again() -> None:
    talk = Talk(HistoryRules(results=ResultRules(limit=None, age_after=None)))
    talk.say(user(TEN))
    talk.say(*looked("word " * 500, 1))
    talk.look(room=150)

    again = talk.look(room=150)

    assert again.shortened
    assert again.moved is None


def test_never_more_turns_or_messages_than_the_rules_allow() -> None:  # covers Os4, Z15, Z17
    for rules in (HistoryRules(sliding_turns=3), HistoryRules(max_messages=5)):
        talk = Talk(rules)
        for _ in range(8):
            talk.say(user("word"), assistant("word"))

        history = talk.look()

        assert len(history.messages) == 6
        assert history.moved is None
        assert history.left == 10


def test_half_the_turns_go_where_picoclaw_is_followed() -> None:  # covers P24, Ps3
    talk = Talk(HistoryRules(overflow=Overflow.DROP_HALF))
    for _ in range(11):
        talk.say(user(TEN))

    history = talk.look()

    assert len(history.messages) == 6  # turns[11 // 2] is the first that stays
    assert talk.after == 5


def test_forty_percent_of_the_messages_stay_where_octo_is_followed() -> None:  # covers C10
    talk = Talk(HistoryRules(overflow=Overflow.KEEP_FRACTION, share=0.4))
    for _ in range(20):
        talk.say(user("word " * 6))

    assert len(talk.look().messages) == 8


def test_a_newest_turn_that_can_not_be_shortened_enough_is_hidden_by_the_cut() -> None:
    calls = [f"c{number}" for number in range(200)]
    talk = Talk()
    talk.say(user(TEN), assistant("word"))
    talk.say(user("look"), assistant("", *calls), *(tool("ok", call) for call in calls))

    history = talk.look()

    assert history.messages == ()
    assert history.moved is not None
    assert (history.moved.after, history.moved.turns) == (3, 1)  # or no summary stands for it
    assert talk.look().moved is None


def test_and_so_it_is_where_it_is_the_only_one() -> None:
    calls = [f"c{number}" for number in range(200)]
    talk = Talk()
    talk.say(user("look"), assistant("", *calls), *(tool("ok", call) for call in calls))

    moved = talk.look().moved

    assert moved is not None
    assert (moved.after, moved.turns) == (1, 1)
