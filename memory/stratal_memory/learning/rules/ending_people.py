"""The ways people say that a job is over, or that somebody is no longer in their life."""

from stratal_memory.learning.rules.ending_words import (
    COURSE,
    END,
    HAS,
    I_AM,
    MOST,
    NOT_NOW,
    PERSON,
    PET,
    ROMANCE,
    SO,
    WE,
    WHAT,
    WORK,
    Way,
)
from stratal_memory.learning.rules.rule import ADVERBS

JOBS = (
    Way(
        rf"{I_AM}(?:been )?(?:laid off|fired|let go|sacked|made redundant) (?:from|by|at)"
        rf" {WHAT}{END}",
        (WORK,),
    ),
    Way(
        rf"(?:today|yesterday|friday|it|that|this) (?:was|is) (?:\w+ )?my (?:very )?last (?:day"
        rf"|shift"
        rf"|week) (?:at|with|in|of) {WHAT}{END}",
        (WORK, COURSE),
    ),
    Way(rf"{WE}(?:had|worked|did) my last (?:day|shift|week) (?:at|with) {WHAT}{END}", (WORK,)),
    Way(
        rf"(?:I|I've|I have|I got|I was) {ADVERBS}(?:retired|resigned|laid off|fired|sacked"
        rf"|made redundant){END}",
        (WORK,),
        named="my job",
    ),
)
PEOPLE = (
    Way(
        rf"{WE}(?:broke up with|split(?: up)? (?:with|from)|divorced|separated from|dumped"
        rf"|parted ways with|ended (?:it|things) with|called it off with) {WHAT}{END}",
        (ROMANCE, PERSON),
    ),
    Way(
        rf"(?P<what>[\w' ]{{2,30}}?) (?:broke up with|left|dumped|divorced) me{END}",
        (ROMANCE, PERSON),
    ),
    Way(
        rf"(?:me and|I and) (?P<what>[\w' ]{{2,30}}?)(?: have| are|'re|'ve)?{SO} (?:broke up"
        rf"|broken up|split up|split|separated|divorced|no longer together"
        rf"|not together{NOT_NOW}){END}",
        (ROMANCE,),
    ),
    Way(
        rf"(?:I|we)(?: have| are|'re|'ve)?{SO} (?:broke up|broken up|split up|split|separated"
        rf"|(?:got |getting )?divorced|no longer together|not together{NOT_NOW}){END}",
        (ROMANCE,),
        named="my partner",
    ),
    Way(
        rf"(?:I'm|I am) {ADVERBS}(?:newly )?single (?:again|now){END}",
        (ROMANCE,),
        named="my partner",
    ),
    Way(
        rf"{WE}(?:say goodbye to|said goodbye to|put down|lost|buried|let go of) {WHAT}{END}",
        (PET,),
    ),
    Way(rf"{WE}put {WHAT} (?:down|to sleep){END}", (PET,)),
    Way(
        rf"{WHAT}(?:{HAS})?{SO} (?:died|dead|passed(?: away)?|(?:had to be )?put (?:down|to"
        rf" sleep)|crossed the rainbow bridge){END}",
        (PET,),
    ),
    Way(
        rf"{WHAT}(?:{HAS})?{SO} (?:quit|retired|resigned|moved (?:out|on|away)|been"
        rf" replaced|got fired|been let go|left (?:us|the (?:company|team|firm|flat|house|job)))"
        rf"{END}",
        (PERSON,),
    ),
    Way(rf"{WHAT}(?: has|'s)?{SO} left(?P<rest>,.*)?\Z", (PERSON,)),
    Way(
        rf"{WHAT}(?:(?:'s| is| are| was)(?: not|n't)|(?: is| are)n't) (?:my|our|the)"
        rf" [\w -]{{2,30}}?{NOT_NOW}{END}",
        MOST,
    ),
    Way(rf"{WHAT}(?:'s| is| are) no longer (?:my|our) [\w -]{{2,30}}?{END}", MOST),
)
