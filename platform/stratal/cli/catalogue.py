"""Which command prints which JSON; the documentation is made from it."""

from pydantic import BaseModel

from stratal.cli.demo import Demo
from stratal.cli.shapes.house import Checks, Pulled, SettingList
from stratal.cli.shapes.knowledge import DocumentList, DocumentRemoved, DocumentShown, Ingested
from stratal.cli.shapes.measuring import RetrievalScores
from stratal.cli.shapes.memories import (
    Access,
    Acted,
    Differences,
    Hits,
    MemoryList,
    Remembered,
    Spaces,
    Story,
    WaitingList,
)
from stratal.cli.shapes.models import ModelFound, ModelList
from stratal.cli.shapes.moving import ErasePlan, EraseReceipt, Exported, ImportShape, MemoryHealth
from stratal.cli.shapes.settling import (
    History,
    JobList,
    Outcomes,
    OutcomeShape,
    Paused,
    Run,
    Runs,
    Undone,
)
from stratal.cli.shapes.skills import (
    SkillDecided,
    SkillExported,
    SkillHistory,
    SkillList,
    SkillsAdded,
    SkillShown,
    SkillTest,
)
from stratal.cli.shapes.talk import (
    Account,
    Answered,
    Compacted,
    Replayed,
    SessionList,
    SessionShown,
)
from stratal.cli.shapes.tools import ToolList, ToolServerShown

# By the words of the command. `context` prints the second with --request; `consolidate` the second
# with --all-users, the third with --undo; `memory review` the second with a word on one memory;
# `jobs serve` prints one a line.
PRINTED: dict[str, tuple[type[BaseModel], ...]] = {
    "demo": (Demo,),
    "chat": (Answered,),
    "ingest": (Ingested,),
    "documents list": (DocumentList,),
    "documents show": (DocumentShown,),
    "documents remove": (DocumentRemoved,),
    "documents reindex": (Ingested,),
    "memory add": (Remembered,),
    "memory search": (Hits,),
    "memory list": (MemoryList,),
    "memory show": (MemoryList,),
    "memory why": (Story,),
    "memory history": (Story,),
    "memory diff": (Differences,),
    "memory undo": (Undone,),
    "memory edit": (Acted,),
    "memory pin": (Acted,),
    "memory unpin": (Acted,),
    "memory forget": (Acted,),
    "memory promote": (Acted,),
    "memory review": (WaitingList, Acted),
    "memory export": (Exported,),
    "memory import": (ImportShape,),
    "memory erase": (EraseReceipt, ErasePlan),
    "memory lint": (MemoryHealth,),
    "eval retrieval": (RetrievalScores,),
    "context": (Account, Replayed),
    "compact": (Compacted,),
    "consolidate": (Run, Runs, Undone),
    "scope list": (Spaces,),
    "scope grant": (Access,),
    "scope revoke": (Access,),
    "session list": (SessionList,),
    "session show": (SessionShown,),
    "skills list": (SkillList,),
    "skills show": (SkillShown,),
    "skills test": (SkillTest,),
    "skills add": (SkillsAdded,),
    "skills approve": (SkillDecided,),
    "skills reject": (SkillDecided,),
    "skills history": (SkillHistory,),
    "skills export": (SkillExported,),
    "tools list": (ToolList,),
    "tools test": (ToolServerShown,),
    "tools accept": (ToolServerShown,),
    "models list": (ModelList,),
    "models show": (ModelFound,),
    "models pull": (Pulled,),
    "config show": (SettingList,),
    "doctor": (Checks,),
    "jobs serve": (OutcomeShape,),
    "jobs list": (JobList,),
    "jobs run": (Outcomes,),
    "jobs pause": (Paused,),
    "jobs resume": (Paused,),
    "jobs history": (History,),
}
