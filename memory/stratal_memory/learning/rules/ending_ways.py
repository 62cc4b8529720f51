"""The ways people say that a thing, a habit or a plan is over, and what kinds each way can end."""

from stratal_memory.learning.rules.ending_people import JOBS, PEOPLE
from stratal_memory.learning.rules.ending_words import (
    COURSE,
    DOING,
    DOINGS,
    END,
    GAVE,
    HAS,
    HEALTH,
    HOME,
    I_AM,
    IN,
    MOST,
    NEW,
    NOT_NOW,
    OTHER,
    PERSON,
    PET,
    PLAN,
    SO,
    THINGS,
    WE,
    WHAT,
    WORK,
    Way,
)
from stratal_memory.learning.rules.rule import ADVERBS

_SWITCHES = (
    Way(
        rf"{WE}(?:switched|switch|changed|moved|went|migrated|swapped|upgraded|transferred"
        rf"|converted|downgraded)(?: over| everything| it all| my \w+)? from {WHAT} (?:over )?to"
        rf" {NEW}{END}",
        (*THINGS, *DOINGS, WORK, PERSON, HEALTH, HOME),
    ),
    Way(
        rf"{WE}(?:swapped|swap|ditched|ditch|replaced|replace|traded(?: in)?|trade(?: in)?"
        rf"|exchanged|dropped|dumped|quit|gave up|abandoned|sold)(?: out)? {WHAT}"
        rf" (?:for|with|by|in favou?r of) {NEW}{END}",
        (*THINGS, *DOINGS, WORK),
    ),
    Way(
        rf"(?:I|we|I'm|I've|we're|we've|it's|my) (?:[^,;:]{{2,50}}? )?(?P<new>(?:the )?[\w'.+&-]+"
        rf"(?: [\w'.+&-]+)?) (?:now )?(?:instead of|rather than) {WHAT}{NOT_NOW}?{END}",
        (*THINGS, *DOINGS, WORK),
    ),
)
_REPLACED = (
    Way(
        rf"{NEW}(?: has|'s| have)?{SO} (?:replaced|taken over from|taken the place of|replaces)"
        rf" {WHAT}(?: as (?:my|our) [\w -]+)?{END}",
        (*THINGS, *DOINGS, WORK, PERSON),
    ),
    Way(
        rf"{WHAT}(?: has| was| got| is| have)(?: been| being| getting)?{SO} replaced (?:by|with)"
        rf" {NEW}{END}",
        (*THINGS, *DOINGS, WORK, PERSON),
    ),
    Way(
        rf"(?:it's|its|it is|that's) {NEW} now,? (?:and )?(?:not|no longer) {WHAT}{NOT_NOW}?{END}",
        (*MOST, HOME),
    ),
    Way(
        rf"(?:(?:my|our) [\w -]{{2,30}}? (?:is not|isn't|is no longer)|(?:it's|its|it is|I'm|we're)"
        rf" (?:not|no longer)(?: at| with| on| in| using)?) {WHAT}(?: any ?more| any longer)?,?"
        rf" (?:but|it's"
        rf"|its|it is|I'm|we're|now it's)(?: at| with| on| in| using)? {NEW}(?: now)?\Z(?P<rest>)",
        (*MOST, HOME),
    ),
    Way(
        rf"(?:my|our) [\w -]{{2,30}}? (?:is not|isn't|is no longer) {WHAT}{NOT_NOW}?{END}",
        (*MOST, HOME),
    ),
)
_STOPPED = (
    Way(
        rf"{WE}(?:sold|sell|got rid of|get rid of|{GAVE} away|returned|donated|scrapped"
        rf"|threw (?:out|away)|chucked(?: out)?|pawned|traded in|lost|sent back|took back|binned"
        rf"|wrote off|totalled|rehomed|parted with) {WHAT}(?: (?:to|on|at|for) [^,;:]+?)?{END}",
        (*THINGS, PET, WORK),
    ),
    Way(
        rf"{WE}(?:gave|given|donated|sold) {WHAT} (?:on |over |back )?to (?:my|our|some|his|her"
        r"|someone|charity|an? (?:friend|neighbou?r|colleague|charity|cousin|family|school))\b"
        rf"[^,;:]*?{END}",
        (*THINGS, PET),
    ),
    Way(rf"{WE}{GAVE} {WHAT} (?:away|back|up){END}", (*THINGS, *DOINGS, PET)),
    Way(
        rf"{WE}(?:(?:quit|stopped|stop|{GAVE} up(?: on)?) {DOING}|{GAVE} up (?!on\b|{DOING})"
        rf"|ditched |binned |cancel |cancell?ed |abandoned |unsubscribed from |deleted "
        rf"|uninstalled "
        rf"|opted out of |let go of ){WHAT}{END}",
        (*THINGS, *DOINGS, WORK, HEALTH),
    ),
    Way(
        rf"{WE}(?:quit|stopped|stop|{GAVE} up on|dropped out of|dropped|packed in|jacked in|left"
        rf"|ended|walked away from|pulled out of|withdrew from|closed|shut down|resigned from"
        rf"|retired from|stepped down from) {DOING}?{WHAT}{END}",
        (OTHER, *DOINGS, WORK, HEALTH),
    ),
    Way(
        rf"{WE}(?:finished|finish|completed|wrapped up|got through)"
        rf" (?:(?:reading|watching|doing) )?{WHAT}{END}",
        (OTHER, COURSE, WORK),
    ),
    Way(
        rf"{I_AM}(?:done|finished|through|over) (?:with )?{WHAT}{END}",
        (*THINGS, COURSE, WORK, HEALTH),
    ),
    Way(rf"{I_AM}off {WHAT}{NOT_NOW}?(?: for good)?{END}", (*DOINGS, HEALTH, OTHER)),
    Way(
        rf"{WE}(?:came|went|gone|got|weaned(?: myself)?|come) off (?:of )?{WHAT}{END}",
        (*DOINGS, HEALTH, OTHER),
    ),
    Way(rf"{WE}(?:moved|migrated|switched) off (?:of )?{WHAT}{END}", THINGS),
    Way(rf"[\w' ]{{1,30}}? took me off (?:of )?{WHAT}{END}", (*DOINGS, HEALTH, OTHER)),
)
_IT_ENDED = (
    Way(
        rf"{WHAT}{HAS}(?: been| being)?{SO} (?:cancell?ed|called off|off"
        rf"|postponed indefinitely|scrapped){END}",
        (PLAN, WORK),
    ),
    Way(rf"{WHAT} fell through{END}", (PLAN, OTHER, HOME)),
    Way(rf"{WE}(?:cancell?ed|called off|scrapped|postponed) {WHAT}{END}", (PLAN,)),
    Way(
        rf"{I_AM}(?:not|no longer) (?:going|flying|travell?ing|moving|doing|having|getting|seeing"
        rf"|visiting) (?:on |to |for )?{WHAT}(?: after all| any ?more| any longer){END}",
        (PLAN, *DOINGS, OTHER),
    ),
    Way(
        rf"(?:{I_AM}|{WE})(?:(?:got|came|come|get|are|am) )?(?:back|home|returned) from"
        rf" {WHAT}{END}",
        (PLAN,),
    ),
    Way(
        rf"{WHAT}{HAS}(?: been)?{SO} (?:over|finished|done|done and dusted|ended|complete"
        rf"|wrapped up|behind (?:me|us)){END}",
        (PLAN, OTHER, COURSE, WORK, HEALTH),
    ),
    Way(
        rf"{WHAT} {ADVERBS}(?:finished|ended|wrapped up|finishes){END}",
        (PLAN, OTHER, COURSE, WORK),
    ),
    Way(
        rf"{WHAT}(?:{HAS}| feels?)(?: been)?{SO} (?:healed|gone|cured|cleared(?: up)?"
        r"|better(?= now)|fine(?= (?:now|again))|back to normal|off|out|removed|recovered)"
        rf"(?: (?:now|again|completely|fully|up))*{END}",
        (HEALTH,),
    ),
    Way(rf"{WHAT} {ADVERBS}(?:healed|cleared up|went away){END}", (HEALTH,)),
    Way(
        rf"{WHAT}{HAS}(?: been)?{SO} (?:gone|stolen|nicked|totalled|written off|sold|no more"
        rf"|kaput|beyond repair|rehomed){END}",
        (*THINGS, PET),
    ),
    Way(
        rf"{WHAT}(?: has| have| is)?{SO} (?:died|broke|dead|broken)(?: on me)?"
        r"(?P<rest>,? (?:and|so) (?:I|we|now I)\b.*\b(?:bought|got|ordered|picked up|replaced"
        r"|upgraded)\b.*| for good.*)\Z",
        THINGS,
    ),
    Way(
        rf"(?:someone|somebody|some \w+|they|thieves) {ADVERBS}(?:stole|nicked|took|robbed|swiped)"
        rf" {WHAT}(?: (?:on|from|at|in|out of|off) [^,;:]+?)?{END}",
        THINGS,
    ),
)
_NO_MORE = (
    Way(
        rf"(?:(?:I|we) )?{ADVERBS}(?:don't|do not|didn't|haven't|won't) {ADVERBS}(?:\w+"
        rf" )?(?:been to |to"
        rf" |at |in |for |with |on |an? )?{WHAT} (?:any ?more|any longer){END}",
        MOST,
    ),
    Way(
        rf"(?:{I_AM})?(?:not|no longer) {ADVERBS}(?:\w+ing |in |on |at |with |into |part of "
        rf"|seeing )"
        rf"{IN}{WHAT} (?:any ?more|any longer){END}",
        MOST,
    ),
    Way(rf"(?:I|we) {ADVERBS}no longer \w+ {IN}{WHAT}{END}", (*MOST, HOME)),
    Way(
        rf"(?:I'm|I am|we're|we are) no longer (?:\w+ing )?(?:in |on |at |with |into |part of )?"
        rf"{WHAT}{END}",
        (*MOST, HOME),
    ),
    Way(rf"(?:I|we) {ADVERBS}used to \w+ {IN}{WHAT}{END}", (*MOST, HOME)),
    Way(rf"(?:it's |there's |so )?no more {WHAT}(?: for (?:me|us)){END}", MOST),
    Way(rf"{WE}(?:moved out of|moved away from) {WHAT}{END}", (HOME, OTHER)),
    Way(rf"{WE}left {WHAT} for good{END}", (HOME, OTHER)),
)
WAYS = (*_SWITCHES, *_REPLACED, *_STOPPED, *JOBS, *PEOPLE, *_IT_ENDED, *_NO_MORE)
