"""The words in front of a statement: greetings, dates, "actually", "on weekends"."""

import re
from dataclasses import dataclass
from datetime import datetime

from stratal_memory.learning.dates import resolve

SUBJECT = (
    r"(?:I|I'm|I've|I'll|im|ive|my|our|we|we're|we've|we'll"
    r"|(?:someone|somebody|thieves)(?= (?:stole|robbed|nicked|took|broke|hit))|(?:mum|mom|mam|dad"
    r"|gran|nan)(?:'s| is| has| works| lives))"
)
_LEAD = re.compile(
    r"(?P<correct>(?:no(?:,? no)*|nope|actually|wait|sorry(?! for)|correction|i meant"
    r"|scratch that|i misspoke|i was wrong|wrong|that's (?:wrong|not right|incorrect)|not quite"
    r"|you (?:got|have) (?:that|it|this) wrong)\b[,.:! -]*)"
    r"|(?P<greet>(?:hi+|hello|he+y+|hiya|yo|good (?:morning|evening|afternoon)|greetings"
    r"|let me introduce myself|allow me to introduce myself|nice to meet you|first time using this"
    r"|(?:i'm )?new here|whats? up|sup)"
    r"(?: (?:there|again|everyone|all|stratal|whats? up|my (?:friend|dear)|friend|guys|team|sir"
    r"|folks|bro|dude|man|mate|pal|yall))?\b[,.! ]*)"
    r"|(?:well|so|oh|hen|bro|bruh|dude|mate|pal|sir|madam|ma'am|omg|alright|anyways|welp|uh|um+"
    r"|ok so"
    r"|not gonna lie|no lie|can't lie|real talk|thankfully|sorry i|morning|evening|afternoon|howdy"
    r"|quick (?:q|question)|weirdly|ironically|i mean|so like|so yeah|yeah so|tbf|imo|imho"
    r"|random but|kinda random but|you know what|believe it or not|true story|first of all"
    r"|yes|yeah|yep|sure|also|and|but|btw|by the way|fyi|in fact|just so you know"
    r"|for the record|to be clear|okay|ok|honestly|currently|now|these days|nowadays|anyway"
    r"|thanks|thank you|great|cool|plus|because|since|as you know|personally|by now|unfortunately"
    r"|luckily|finally|good news|as of today|great news|big news|guess what|update|lol|ha(?:ha)+"
    r"|hm+|ugh|wow|yay|tbh|ngl|to be honest|frankly|basically|long story short|context"
    r"|(?:quick |some |a bit of )?(?:background|context)(?: info)?|about me|for context"
    r"|the thing is|i should (?:mention|add|say)(?: that)?|fun fact|turns out|you see"
    r"|not sure (?:if|whether) (?:this|that|it) (?:matters|helps|is relevant),? ?(?:but)?"
    r"|if it (?:helps|matters)|as i said|like i said|as mentioned|it turns out(?: that)?"
    r"|sorry for the (?:long|late|short) (?:message|reply|text)|in case it matters|mind you"
    r"|sadly|sometimes|meanwhile|besides|apparently|y'?all|reckon|right|aye|look|listen|folks"
    r"|guys|lads|as for me|for my part|speaking of which|on another note|side note|heads up"
    r"|(?:just |quick )?(?:a )?heads[- ]up|one more thing|another thing|p\.?s\.?|tl;?dr|fwiw"
    r"|(?:just )?to let you know(?: that)?|i forgot to (?:say|mention)(?: that)?|in my case"
    r"|i (?:think|believe) i (?:told you|mentioned)(?: before| already)?(?: that)?|i must say"
    r"|the truth is|long story|good news everyone|as it happens|funnily enough|funny enough"
    r"|important|please note|did i mention(?: that)?|in (?:the|my) week|during the week)\b[,.:! -]*"
    r"|(?:after (?:\d+|many|all|\w+) (?:years|months|weeks|days)[^,.;]{0,40}?|on (?:the )?weekends?"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: \w+s)?|in my (?:free|spare) time"
    r"|at the moment|at home|most (?:days|weekends|evenings)|every (?:\w+ )?\w+day|as a kid"
    r"|since (?:then|\d{4})|ever since [^,.;]{2,60}?|me and my \w+"
    r"|last (?:summer|winter|spring|autumn|fall)"
    r"|in the (?:evenings?|mornings?|summer|winter)),? (?=(?:I|I'm|I've|we|we've|my|our)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Lead:
    """What the words in front of a statement say about it."""

    corrects: bool = False
    greets: bool = False

    def __or__(self, other: "Lead") -> "Lead":
        return Lead(self.corrects or other.corrects, self.greets or other.greets)


def past_lead(plain: str, start: int, end: int) -> tuple[int, Lead]:
    """Where the clause begins behind its lead-in words, and what those say about it."""
    said = Lead()
    while (lead := _LEAD.match(plain, start, end)) is not None:
        said = said | Lead(bool(lead["correct"]), bool(lead["greet"]))
        start = lead.end()
    return start, said


_DATE_LEAD = re.compile(r"(?:on|in|since|about|around|back in|from)?\s*\Z", re.I)


def past_date(plain: str, start: int, end: int, at: datetime) -> int:
    """Where the clause begins behind a date in front: "Last week" I moved."""
    for when in resolve(plain[start:end], at)[:1]:
        if _DATE_LEAD.match(plain[start : start + when.span[0]]):
            behind = start + when.span[1]
            rest = re.compile(rf"[, ]+(?={SUBJECT}\b)", re.I).match(plain, behind, end)
            return rest.end() if rest else start
    return start
