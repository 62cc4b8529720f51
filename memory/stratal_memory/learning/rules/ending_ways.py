"""The ways people say that something is over, and what kinds of facts each way can end."""

import re
from dataclasses import dataclass
from functools import cache

from stratal_memory.learning.rules.rule import ADVERBS

# `closing.kinds_of` sorts facets into these.
OWNED, OTHER, HOBBY, COURSE, HEALTH = "owned", "other", "hobby", "course", "health"
WORK, HOME, PERSON, ROMANCE, PET, PLAN = "work", "home", "person", "romance", "pet", "plan"
THINGS = (OWNED, OTHER)
DOINGS = (HOBBY, COURSE)
MOST = (*THINGS, *DOINGS, WORK, PERSON, PLAN, HEALTH)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to say it: `what` names the thing, `new` what took its place, `rest` goes on."""

    source: str
    kinds: tuple[str, ...]
    named: str = ""  # what is over where the words don't say it: "we broke up"

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first asked for."""
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source.replace(" ", " +"), re.IGNORECASE)


_I = (
    rf"(?:(?:I|we|I've|we've|I have|we have|I'd|me and \w+) )?{ADVERBS}(?:eventually )?"
    r"(?:had to |ended up |(?:finally )?decided to |went and |have now )?"
)
_I_AM = rf"(?:(?:I'm|I am|we're|we are|I was|we were|I've been|I have been|I got|we got) ){ADVERBS}"
_WHAT = r"(?P<what>[^,;:]{2,80}?)"
_NEW = r"(?P<new>[^,;:]{2,60}?)"
_WHEN = (
    r"(?: (?:last|this|on|in|yesterday|today|tonight|earlier|recently|now|already|at last|after all"
    r"|too|tbh|for good|ages|finally|unfortunately|sadly|completely|fully|btw|(?:a|\d+|two|three|few"
    r"|couple of|a few) (?:\w+ )?(?:days?|weeks?|months?|years?|while) ago)\b[^,;:]*)?"
)
_END = (
    rf"{_WHEN}(?P<rest>(?:,? (?:and|so|but|because|since|as|cause|cos) .*|[,;:(].*"
    r"| [-–—] .*)?)\Z"
)
_NOT_NOW = r"(?: any ?more| any longer| these days| now)"
_HAS = r"(?:'s|'ve| has| have| is| are| was| were| got| had)"
_SO = r"(?: (?:finally|now|officially|just|sadly|all|also|fully|completely|totally|already))*"
_GAVE = r"(?:gave|given|give)"
_DOING = (
    r"(?:(?:using|doing|playing|taking|going to|attending|learning|studying|working at|working for"
    r"|working on|reading|watching|training for|being on|wearing|seeing|renting|driving|with"
    r"|practi[sc]ing|paying for) )"
)
_IN = r"(?:to |at |in |for |with |on |an? )?"

_SWITCHES = (
    Way(
        rf"{_I}(?:switched|switch|changed|moved|went|migrated|swapped|upgraded|transferred"
        rf"|converted|downgraded)(?: over| everything| it all| my \w+)? from {_WHAT} (?:over )?to"
        rf" {_NEW}{_END}",
        (*THINGS, *DOINGS, WORK, PERSON, HEALTH, HOME),
    ),
    Way(
        rf"{_I}(?:swapped|swap|ditched|ditch|replaced|replace|traded(?: in)?|trade(?: in)?"
        rf"|exchanged|dropped|dumped|quit|gave up|abandoned|sold)(?: out)? {_WHAT}"
        rf" (?:for|with|by|in favou?r of) {_NEW}{_END}",
        (*THINGS, *DOINGS, WORK),
    ),
    Way(
        rf"(?:I|we|I'm|I've|we're|we've|it's|my) (?:[^,;:]{{2,50}}? )?(?P<new>(?:the )?[\w'.+&-]+"
        rf"(?: [\w'.+&-]+)?) (?:now )?(?:instead of|rather than) {_WHAT}{_NOT_NOW}?{_END}",
        (*THINGS, *DOINGS, WORK),
    ),
)
_STOPPED = (
    Way(
        rf"{_I}(?:sold|sell|got rid of|get rid of|{_GAVE} away|returned|donated|scrapped"
        rf"|threw (?:out|away)|chucked(?: out)?|pawned|traded in|lost|sent back|took back|binned"
        rf"|wrote off|totalled|rehomed|parted with) {_WHAT}(?: (?:to|on|at|for) [^,;:]+?)?{_END}",
        (*THINGS, PET, WORK),
    ),
    Way(
        rf"{_I}(?:gave|given|donated|sold) {_WHAT} (?:on |over |back )?to (?:my|our|some|his|her"
        r"|someone|charity|an? (?:friend|neighbou?r|colleague|charity|cousin|family|school))\b"
        rf"[^,;:]*?{_END}",
        (*THINGS, PET),
    ),
    Way(rf"{_I}{_GAVE} {_WHAT} (?:away|back|up){_END}", (*THINGS, *DOINGS, PET)),
    Way(
        rf"{_I}(?:(?:quit|stopped|stop|{_GAVE} up(?: on)?) {_DOING}|{_GAVE} up (?!on\b|{_DOING})"
        rf"|ditched |binned |cancel |cancell?ed |abandoned |unsubscribed from |deleted |uninstalled "
        rf"|opted out of |let go of ){_WHAT}{_END}",
        (*THINGS, *DOINGS, WORK, HEALTH),
    ),
    Way(
        rf"{_I}(?:quit|stopped|stop|{_GAVE} up on|dropped out of|dropped|packed in|jacked in|left"
        rf"|ended|walked away from|pulled out of|withdrew from|closed|shut down|resigned from"
        rf"|retired from|stepped down from) {_DOING}?{_WHAT}{_END}",
        (OTHER, *DOINGS, WORK, HEALTH),
    ),
    Way(
        rf"{_I}(?:finished|finish|completed|wrapped up|got through) (?:(?:reading|watching|doing) )?"
        rf"{_WHAT}{_END}",
        (OTHER, COURSE, WORK),
    ),
    Way(
        rf"{_I_AM}(?:done|finished|through|over) (?:with )?{_WHAT}{_END}",
        (*THINGS, COURSE, WORK, HEALTH),
    ),
    Way(rf"{_I_AM}off {_WHAT}{_NOT_NOW}?(?: for good)?{_END}", (*DOINGS, HEALTH, OTHER)),
    Way(
        rf"{_I}(?:came|went|gone|got|weaned(?: myself)?|come) off (?:of )?{_WHAT}{_END}",
        (*DOINGS, HEALTH, OTHER),
    ),
    Way(rf"[\w' ]{{1,30}}? took me off (?:of )?{_WHAT}{_END}", (*DOINGS, HEALTH, OTHER)),
)
_JOBS = (
    Way(
        rf"{_I_AM}(?:been )?(?:laid off|fired|let go|sacked|made redundant) (?:from|by|at)"
        rf" {_WHAT}{_END}",
        (WORK,),
    ),
    Way(
        rf"(?:today|yesterday|friday|it|that|this) (?:was|is) (?:\w+ )?my (?:very )?last (?:day|shift"
        rf"|week) (?:at|with|in|of) {_WHAT}{_END}",
        (WORK, COURSE),
    ),
    Way(rf"{_I}(?:had|worked|did) my last (?:day|shift|week) (?:at|with) {_WHAT}{_END}", (WORK,)),
    Way(
        rf"(?:I|I've|I have|I got|I was) {ADVERBS}(?:retired|resigned|laid off|fired|sacked"
        rf"|made redundant){_END}",
        (WORK,),
        named="my job",
    ),
)
_PEOPLE = (
    Way(
        rf"{_I}(?:broke up with|split(?: up)? (?:with|from)|divorced|separated from|dumped"
        rf"|parted ways with|ended (?:it|things) with|called it off with) {_WHAT}{_END}",
        (ROMANCE, PERSON),
    ),
    Way(
        rf"(?P<what>[\w' ]{{2,30}}?) (?:broke up with|left|dumped|divorced) me{_END}",
        (ROMANCE, PERSON),
    ),
    Way(
        rf"(?:me and|I and) (?P<what>[\w' ]{{2,30}}?)(?: have| are|'re|'ve)?{_SO} (?:broke up"
        rf"|broken up|split up|split|separated|divorced|no longer together"
        rf"|not together{_NOT_NOW}){_END}",
        (ROMANCE,),
    ),
    Way(
        rf"(?:I|we)(?: have| are|'re|'ve)?{_SO} (?:broke up|broken up|split up|split|separated"
        rf"|(?:got |getting )?divorced|no longer together|not together{_NOT_NOW}){_END}",
        (ROMANCE,),
        named="my partner",
    ),
    Way(
        rf"(?:I'm|I am) {ADVERBS}(?:newly )?single (?:again|now){_END}",
        (ROMANCE,),
        named="my partner",
    ),
    Way(
        rf"{_I}(?:say goodbye to|said goodbye to|put down|lost|buried|let go of) {_WHAT}{_END}",
        (PET,),
    ),
    Way(rf"{_I}put {_WHAT} (?:down|to sleep){_END}", (PET,)),
    Way(
        rf"{_WHAT}(?:{_HAS})?{_SO} (?:died|dead|passed(?: away)?|(?:had to be )?put (?:down|to"
        rf" sleep)|crossed the rainbow bridge){_END}",
        (PET,),
    ),
    Way(
        rf"{_WHAT}(?:{_HAS})?{_SO} (?:quit|retired|resigned|moved (?:out|on|away)|been"
        rf" replaced|got fired|been let go|left (?:us|the (?:company|team|firm|flat|house|job)))"
        rf"{_END}",
        (PERSON,),
    ),
    Way(rf"{_WHAT}(?: has|'s)?{_SO} left(?P<rest>,.*)?\Z", (PERSON,)),
    Way(
        rf"{_WHAT}(?:(?:'s| is| are| was)(?: not|n't)|(?: is| are)n't) (?:my|our|the)"
        rf" [\w -]{{2,30}}?{_NOT_NOW}{_END}",
        MOST,
    ),
    Way(rf"{_WHAT}(?:'s| is| are) no longer (?:my|our) [\w -]{{2,30}}?{_END}", MOST),
)
_IT_ENDED = (
    Way(
        rf"{_WHAT}{_HAS}(?: been| being)?{_SO} (?:cancell?ed|called off|off"
        rf"|postponed indefinitely|scrapped){_END}",
        (PLAN, OTHER, *DOINGS, WORK, HEALTH),
    ),
    Way(rf"{_WHAT} fell through{_END}", (PLAN, OTHER, HOME)),
    Way(rf"{_I}(?:cancell?ed|called off|scrapped|postponed) {_WHAT}{_END}", (PLAN,)),
    Way(
        rf"{_I_AM}(?:not|no longer) (?:going|flying|travell?ing|moving|doing|having|getting|seeing"
        rf"|visiting) (?:on |to |for )?{_WHAT}(?: after all| any ?more| any longer){_END}",
        (PLAN, *DOINGS, OTHER),
    ),
    Way(
        rf"(?:{_I_AM}|{_I})(?:(?:got|came|come|get|are|am) )?(?:back|home|returned) from"
        rf" {_WHAT}{_END}",
        (PLAN,),
    ),
    Way(
        rf"{_WHAT}{_HAS}(?: been)?{_SO} (?:over|finished|done|done and dusted|ended|complete"
        rf"|wrapped up|behind (?:me|us)){_END}",
        (PLAN, OTHER, COURSE, WORK, HEALTH),
    ),
    Way(
        rf"{_WHAT} {ADVERBS}(?:finished|ended|wrapped up|finishes){_END}",
        (PLAN, OTHER, COURSE, WORK),
    ),
    Way(
        rf"{_WHAT}(?:{_HAS}| feels?)(?: been)?{_SO} (?:healed|gone|cured|cleared(?: up)?"
        r"|better(?= now)|fine(?= (?:now|again))|back to normal|off|out|removed|recovered)"
        rf"(?: (?:now|again|completely|fully|up))*{_END}",
        (HEALTH,),
    ),
    Way(rf"{_WHAT} {ADVERBS}(?:healed|cleared up|went away){_END}", (HEALTH,)),
    Way(
        rf"{_WHAT}{_HAS}(?: been)?{_SO} (?:gone|stolen|nicked|totalled|written off|sold|no more"
        rf"|kaput|beyond repair|rehomed){_END}",
        (*THINGS, PET),
    ),
    Way(
        rf"{_WHAT}(?: has| have| is)?{_SO} (?:died|broke|dead|broken)(?: on me)?"
        r"(?P<rest>,? (?:and|so) (?:I|we|now I)\b.*\b(?:bought|got|ordered|picked up|replaced"
        r"|upgraded)\b.*| for good.*)\Z",
        THINGS,
    ),
    Way(
        rf"(?:someone|somebody|some \w+|they|thieves) {ADVERBS}(?:stole|nicked|took|robbed|swiped)"
        rf" {_WHAT}(?: (?:on|from|at|in|out of|off) [^,;:]+?)?{_END}",
        THINGS,
    ),
)
_NO_MORE = (
    Way(
        rf"(?:I|we) {ADVERBS}(?:don't|do not|didn't|haven't|won't) {ADVERBS}(?:\w+ )?(?:been to |to"
        rf" |at |in |for |with |on |an? )?{_WHAT} (?:any ?more|any longer){_END}",
        MOST,
    ),
    Way(
        rf"{_I_AM}(?:not|no longer) (?:\w+ing |in |on |at |with |into |part of |seeing )"
        rf"{_IN}{_WHAT} (?:any ?more|any longer){_END}",
        MOST,
    ),
    Way(rf"(?:I|we) {ADVERBS}no longer \w+ {_IN}{_WHAT}{_END}", (*MOST, HOME)),
    Way(
        rf"(?:I'm|I am|we're|we are) no longer (?:\w+ing )?(?:in |on |at |with |into |part of )?"
        rf"{_WHAT}{_END}",
        (*MOST, HOME),
    ),
    Way(rf"(?:I|we) {ADVERBS}used to \w+ {_IN}{_WHAT}{_END}", (*MOST, HOME)),
    Way(rf"(?:it's |there's |so )?no more {_WHAT}(?: for (?:me|us)){_END}", MOST),
    Way(rf"{_I}(?:moved out of|moved away from) {_WHAT}{_END}", (HOME, OTHER)),
    Way(rf"{_I}left {_WHAT} for good{_END}", (HOME, OTHER)),
)
WAYS = (*_SWITCHES, *_STOPPED, *_JOBS, *_PEOPLE, *_IT_ENDED, *_NO_MORE)
