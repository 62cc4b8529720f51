"""The slash commands of a conversation, by name."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from stratal.cli.compact import compacted_view
from stratal.cli.ledger_view import ledger_view
from stratal.cli.memory import hits, hits_view, memories, memories_view
from stratal.cli.memory_editing import acted, acted_view
from stratal.cli.memory_versions import story_of, story_view
from stratal.cli.session import sessions_view
from stratal.cli.shapes.talk import Compacted, SessionList, SessionShape
from stratal.cli.skills_shape import skill_list
from stratal.cli.skills_view import skills_view
from stratal.cli.talk import Talk
from stratal.cli.terminal import cell, lines, table
from stratal.errors import InputError
from stratal.prompt.sections import Mode
from stratal.reply import Reply
from stratal_memory.recall.candidates import Verdict

SHOWN = 20  # rows of a list in a conversation


@dataclass(frozen=True, slots=True)
class Slash:
    """One command: what follows its name, what it does, and the doing."""

    takes: str
    help: str
    run: Callable[[Talk, str], None]


def run_slash(talk: Talk, line: str) -> None:
    """Do what `/name rest` says; `InputError` for a name there is none of."""
    name, _, rest = line.partition(" ")
    command = SLASH.get(name)
    if command is None:
        close = difflib.get_close_matches(name, SLASH, n=1)
        hint = f"Did you mean {close[0]}?" if close else "/help shows what there is."
        raise InputError(f"there is no {name[:40]}", hint=hint)
    command.run(talk, rest.strip())


def _context(talk: Talk, rest: str) -> None:
    if rest:
        talk.terminal.print(ledger_view(talk.agent.preview(rest)))
    elif talk.last is None:
        talk.terminal.note("nothing was said yet; /context TEXT shows what a message would bring")
    else:
        talk.terminal.print(ledger_view(talk.last.ledger, usage=talk.last.usage))


def _compact(talk: Talk, rest: str) -> None:
    talk.terminal.print(compacted_view(Compacted.of(talk.agent.compact())))


def _memory(talk: Talk, rest: str) -> None:
    if rest:
        found = talk.agent.search(rest, limit=SHOWN)
        talk.terminal.print(hits_view(hits(found, talk.agent.gate())))
    else:
        talk.terminal.print(memories_view(memories(talk.agent.facts.known(limit=SHOWN))))


def _remember(talk: Talk, rest: str) -> None:
    done = talk.agent.facts.add(rest)
    talk.terminal.print(cell(f"{done.action}: {done.memory.text}", "green"))


def _forget(talk: Talk, rest: str) -> None:
    if not rest:
        raise InputError("forget what?", hint="/memory shows what is remembered, with ids.")
    talk.terminal.print(acted_view(acted(talk.agent.editing.forget(rest))))


def _why(talk: Talk, rest: str) -> None:
    if rest:
        talk.terminal.print(story_view(story_of(talk.agent, rest)))
    elif talk.last is None:
        talk.terminal.note("nothing was answered yet; /why ID explains a memory")
    else:
        _explain(talk, talk.last)


def _explain(talk: Talk, reply: Reply) -> None:
    """What the last answer rests on: what the model was shown, and the words it used."""
    used = {citation.memory: citation.quote for citation in reply.citations}
    shown = [one for one in reply.ledger.candidates if one.verdict is Verdict.IN]
    if not shown:
        talk.terminal.print(cell("no memory was shown to the model", "dim"))
        return
    made = table("score", "source", "used", "id", right=("score",))
    for one in shown:
        quote = used.get(one.memory, "")
        made.add_row(
            cell(f"{one.score:.2f}"),
            cell(one.source),
            cell(f"“{quote}”" if quote else "not used", "" if quote else "dim"),
            cell(one.memory, "dim"),
        )
    skill = cell(f"skill: {reply.procedure}", "dim") if reply.procedure else None
    talk.terminal.print(lines(made, skill, cell("/why ID tells where one comes from", "dim")))


def _profile(talk: Talk, rest: str) -> None:
    known = talk.agent.profile.render()
    empty = "the profile is empty; consolidation fills it: stratal consolidate"
    talk.terminal.print(cell(known) if known else cell(empty, "dim"))


def _skills(talk: Talk, rest: str) -> None:
    talk.terminal.print(skills_view(skill_list(talk.agent.library, talk.agent.store)))


def _model(talk: Talk, rest: str) -> None:
    if rest:
        talk.use_model(rest)
    window = f"{talk.agent.info.window:,}"
    talk.terminal.print(cell(f"{talk.agent.model}, window {window} tokens"))


def _mode(talk: Talk, rest: str) -> None:
    if rest and rest not in tuple(Mode):
        raise InputError(f"there is no mode {rest[:40]!r}", hint=f"Modes: {', '.join(Mode)}.")
    if rest:
        talk.use_mode(Mode(rest))
    talk.terminal.print(cell(talk.agent.options.mode.value))


def _new(talk: Talk, rest: str) -> None:
    talk.agent.start_session()
    talk.last = None
    talk.begin()


def _resume(talk: Talk, rest: str) -> None:
    if rest:
        talk.resume(rest)
        talk.begin()
        return
    found = tuple(SessionShape.of(one) for one in talk.agent.sessions()[:SHOWN])
    talk.terminal.print(sessions_view(SessionList(sessions=found)))


def _continue(talk: Talk, rest: str) -> None:
    talk.go_on()


def _help(talk: Talk, rest: str) -> None:
    made = table("command", "")
    for name, command in SLASH.items():
        made.add_row(cell(f"{name} {command.takes}".rstrip(), "bold"), cell(command.help))
    keys = "Alt-Enter: new line. Ctrl-C: cancel the answer. Ctrl-D: leave."
    talk.terminal.print(lines(made, cell(keys, "dim")))


def _quit(talk: Talk, rest: str) -> None:
    talk.leaving = True


SLASH: dict[str, Slash] = {
    "/context": Slash("[TEXT]", "What the model was shown, or would be for TEXT.", _context),
    "/compact": Slash("", "Summarise all but the newest messages.", _compact),
    "/memory": Slash("[TEXT]", "What is remembered, or what is found for TEXT.", _memory),
    "/remember": Slash("TEXT", "Remember one statement.", _remember),
    "/forget": Slash("ID", "Never recall a memory again.", _forget),
    "/why": Slash("[ID]", "What the last answer rests on, or where a memory comes from.", _why),
    "/profile": Slash("", "What stands in every prompt about you.", _profile),
    "/skills": Slash("", "The procedures.", _skills),
    "/model": Slash("[P:M]", "The model, or another one.", _model),
    "/mode": Slash("[agent|ask|plan]", "What the agent may do.", _mode),
    "/new": Slash("", "Begin a new conversation.", _new),
    "/resume": Slash("[ID]", "Earlier conversations, or go on with one.", _resume),
    "/continue": Slash("", "Go on with a message that was left without an answer.", _continue),
    "/help": Slash("", "This.", _help),
    "/quit": Slash("", "Leave.", _quit),
}
