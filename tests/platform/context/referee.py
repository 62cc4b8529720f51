"""What a request must keep to, written from the issue and apart from the validator.

Nothing of `stratal.context` is used but the values it gives and `Counter`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from operator import attrgetter

from stratal.context.budget import Budget
from stratal.context.counting import Counter
from stratal.context.request import Request
from stratal_memory.records import Message, Role

SMALLEST_RESULT = 200  # characters that a result keeps, besides its note
NOTE = (
    "\n[... shortened to 200 of 200,000 characters; "
    'expand_result("0123456789ab") shows the rest ...]\n'
)
SHORTENED = re.compile(
    r"(.*?)\n(?:\[\.\.\. shortened to [\d,]+ of|\.\.\. \[truncated - full result \()"
    r" ?([\d,]+) characters[^\]]*\](?:\n(.*))?",
    re.DOTALL,
)
_rest = attrgetter(
    *("role", "id", "tool_calls", "tool_call_id", "tool_failed", "reasoning", "opaque", "media")
)
SAYS_NOTHING = (
    "[interrupted; outcome unknown] Outcome unknown: it may have taken effect. Don't call it again "
    "before that was looked up or the person was asked."
)
SLACK = 8  # tokens a result may take more than reckoned here, cut elsewhere in the text


def size(request: Request, counter: Counter) -> int:
    """Tokens of everything that is sent, counted one by one."""
    system = sum(
        counter.count_messages([Message(role=Role.SYSTEM, text=block.text)])
        for block in request.system
    )
    said = sum(counter.count_messages([message]) for message in request.messages)
    return system + said + sum(counter.count_tools([tool]) for tool in request.tools)


def overrun(request: Request, budget: Budget, counter: Counter) -> int:
    """Tokens over the window, or over what the provider takes; 0 or less when it fits."""
    used = (size(request, counter) + budget.overhead) * (1 + budget.margin)
    over = used + request.max_output - budget.window
    if budget.max_input is not None:
        over = max(over, used - budget.max_input)
    return ceil(over)


def misplaced(request: Request) -> Iterator[str]:
    """Calls and results that are parted, doubled, in another order or alone; wrong ends."""
    messages = request.messages
    if messages[0].role not in (Role.USER, Role.CONTEXT):
        yield f"it begins with {messages[0].role}"
    if messages[-1].role == Role.ASSISTANT:
        yield "it ends with an answer"
    seen: set[str] = set()
    index = 0
    while index < len(messages):
        message = messages[index]
        index += 1
        asked = [call.id for call in message.tool_calls]
        answered = [one.tool_call_id for one in messages[index : index + len(asked)]]
        roles = {one.role for one in messages[index : index + len(asked)]} - {Role.TOOL}
        if message.role == Role.TOOL:
            yield f"the result {message.tool_call_id} stands alone"
        if asked != answered or roles:
            yield f"the calls {asked} are answered by {answered}"
        if seen & set(asked) or len(set(asked)) < len(asked):
            yield f"one of the calls {asked} was made before"
        if not (message.text.strip() or message.tool_calls or message.media):
            yield f"message {index - 1} is empty"
        seen.update(asked)
        index += len(asked)


def misremembered(request: Request, stored: Sequence[Sequence[Message]]) -> Iterator[str]:
    """Stored turns that are not there as they were said: whole, newest, in order, once each.

    The last of `stored` is the turn in hand.
    """
    sent = [message for message in request.messages if message.role != Role.CONTEXT]
    speech = [message for message in sent if message.role != Role.TOOL]
    said = [message for turn in stored for message in turn if _speaks(message)]
    if speech[-1].id == stored[-1][0].id:  # P25: the message in hand without its tool loop
        said = said[: next(n for n, one in enumerate(said) if one.id == speech[-1].id) + 1]
    newest = said[-len(speech) :]
    if [one.id for one in speech] != [one.id for one in newest]:
        yield f"it holds {[one.id for one in speech]}, and {[one.id for one in newest]} was said"
        return
    if speech[0].role != Role.USER:
        yield f"it begins inside a turn, at {speech[0].id}"
    results: dict[str, Message] = {}  # the first one of each call
    for one in (one for turn in stored for one in turn if one.role == Role.TOOL):
        results.setdefault(one.tool_call_id, one)
    shown = [one for one in sent if one.role == Role.TOOL and one.id]
    answers = [(results[one.tool_call_id], one) for one in shown]
    for then, now in (*zip(newest, speech, strict=True), *answers):
        if _rest(then) != _rest(now):
            yield f"{then.id} has other calls, attachments or ids than were stored"
        yield from _altered(then, now)


def _speaks(message: Message) -> bool:
    says = message.tool_calls or message.text.strip()
    return message.role == Role.USER or (message.role == Role.ASSISTANT and bool(says))


def _altered(said: Message, kept: Message) -> Iterator[str]:
    """A shorter text begins and ends as it was said, and says how long it was."""
    if kept.text == said.text or (said.role == Role.USER and not said.text.strip()):
        return
    found = SHORTENED.fullmatch(kept.text)
    begins, length, ends = found.groups("") if found else ("", "", "")
    if length != f"{len(said.text):,}" or not said.text.startswith(begins):
        yield f"{said.id} ({said.role}) was altered"
    elif not said.text.endswith(ends):
        yield f"{said.id} ({said.role}) ends otherwise than it was said"


def rightly_refused(
    fixed: Sequence[Message], *, tokens: int, budget: Budget, counter: Counter
) -> bool:
    """Whether the turn in hand could not be sent even with its results as short as they get.

    `fixed` is the turn with its system prompt, `tokens` those of the tools.
    """
    answered = {one.tool_call_id for one in fixed}
    unanswered = [
        Message(role=Role.TOOL, text=SAYS_NOTHING, tool_call_id=call.id)
        for one in fixed
        for call in one.tool_calls
        if call.id not in answered
    ]
    least = [_smallest(one) for one in fixed] + unanswered
    slack = SLACK * sum(one.role == Role.TOOL for one in least)
    used = counter.count_messages(least) + tokens + budget.overhead + slack
    room = budget.window - budget.output_reserve
    room = room if budget.max_input is None else min(room, budget.max_input)
    return used * (1 + budget.margin) > room


def _smallest(message: Message) -> Message:
    if message.role != Role.TOOL or len(message.text) <= SMALLEST_RESULT:
        return message
    begin, end = SMALLEST_RESULT * 2 // 3, SMALLEST_RESULT // 3
    return replace(message, text=message.text[:begin] + NOTE + message.text[-end:])
