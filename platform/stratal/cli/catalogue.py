"""Which command prints which JSON; the documentation is made from it."""

from pydantic import BaseModel

from stratal.cli import shapes
from stratal.cli.demo import Demo

# By the words of the command. `context` prints the second with --request; `consolidate` the second
# with --all-users, the third with --undo; `memory review` the second with a word on one memory;
# `jobs serve` prints one a line.
PRINTED: dict[str, tuple[type[BaseModel], ...]] = {
    "demo": (Demo,),
    "chat": (shapes.Answered,),
    "ingest": (shapes.Ingested,),
    "documents list": (shapes.DocumentList,),
    "documents show": (shapes.DocumentShown,),
    "documents remove": (shapes.DocumentRemoved,),
    "memory add": (shapes.Remembered,),
    "memory search": (shapes.Hits,),
    "memory list": (shapes.MemoryList,),
    "memory show": (shapes.MemoryList,),
    "memory why": (shapes.Story,),
    "memory history": (shapes.Story,),
    "memory diff": (shapes.Differences,),
    "memory undo": (shapes.Undone,),
    "memory edit": (shapes.Acted,),
    "memory pin": (shapes.Acted,),
    "memory unpin": (shapes.Acted,),
    "memory forget": (shapes.Acted,),
    "memory promote": (shapes.Acted,),
    "memory review": (shapes.WaitingList, shapes.Acted),
    "memory export": (shapes.Exported,),
    "memory import": (shapes.ImportShape,),
    "memory erase": (shapes.EraseReceipt, shapes.ErasePlan),
    "memory lint": (shapes.MemoryHealth,),
    "eval retrieval": (shapes.RetrievalScores,),
    "context": (shapes.Account, shapes.Replayed),
    "compact": (shapes.Compacted,),
    "consolidate": (shapes.Run, shapes.Runs, shapes.Undone),
    "scope list": (shapes.Spaces,),
    "scope grant": (shapes.Access,),
    "scope revoke": (shapes.Access,),
    "session list": (shapes.SessionList,),
    "session show": (shapes.SessionShown,),
    "skills list": (shapes.SkillList,),
    "skills show": (shapes.SkillShown,),
    "skills test": (shapes.SkillTest,),
    "models list": (shapes.ModelList,),
    "models show": (shapes.ModelFound,),
    "models pull": (shapes.Pulled,),
    "config show": (shapes.SettingList,),
    "doctor": (shapes.Checks,),
    "jobs serve": (shapes.OutcomeShape,),
    "jobs list": (shapes.JobList,),
    "jobs run": (shapes.Outcomes,),
    "jobs history": (shapes.History,),
}
