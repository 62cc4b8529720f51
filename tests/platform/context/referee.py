"""What a request must keep to, written from the issue and apart from the validator.

Nothing of `stratal.context` is used but the values it gives and `Counter`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stratal.context.budget import Budget
from stratal.context.counting import Counter
from stratal.context.request import Request
from stratal_memory.records import Message, Role

SMALLEST_RESULT = 200  # characters that a result keeps, besides its note
NOTE = '[... shortened to 200 of 200,000 characters; expand_result("012345678901") shows the rest ...]'
SAYS_NOTHING = "[interrupted; outcome unknown]"
SLACK = 4  # tokens a result may take more than reckoned here, cut elsewhere in the text


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
    return int(over) if over == int(over) else int(over) + (over > 0)


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
    wanted = [
        message
        for turn in stored
        for message in turn
        if message.role == Role.USER
        or (message.role == Role.ASSISTANT and (message.tool_calls or message.text.strip()))
    ]
    alone = len(speech) == 1 or speech[-1].id == stored[-1][0].id  # P25: without its tool loop
    if alone and speech[-1].id != wanted[-1].id:
        last = next(n for n, one in enumerate(wanted) if one.id == speech[-1].id)
        wanted = wanted[: last + 1]
    newest = wanted[len(wanted) - len(speech) :]
    if [one.id for one in speech] != [one.id for one in newest]:
        yield f"it holds {[one.id for one in speech]}, and {[one.id for one in newest]} was said"
    if speech[0].role != Role.USER:
        yield f"it begins inside a turn, at {speech[0].id}"
    for said, kept in zip(newest, speech, strict=True):
        if said.media != kept.media:
            yield f"{said.id} lost an attachment"
        if (said.tool_calls, said.reasoning) != (kept.tool_calls, kept.reasoning):
            yield f"{said.id} has other calls than were made"
        yield from _altered(said, kept)
    results = {one.id: one for turn in stored for one in turn if one.role == Role.TOOL}
    for message in sent:
        if message.role == Role.TOOL and message.id:
            yield from _altered(results[message.id], message)
            if results[message.id].tool_call_id != message.tool_call_id:
                yield f"{message.id} answers another call than it was given for"


def _altered(said: Message, kept: Message) -> Iterator[str]:
    """A shorter text begins as it was said and says how long it was."""
    if kept.text == said.text or (said.role == Role.USER and not said.text.strip()):
        return
    begins = kept.text.split("\n[... shortened")[0].split("\n... [truncated")[0]
    length = f"{len(said.text):,} characters"
    if not said.text.startswith(begins) or length not in kept.text[len(begins) :]:
        yield f"{said.id} ({said.role}) was altered"


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
