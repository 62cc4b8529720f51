"""What clauses without a subject begin with, and the subject each of them is missing."""

import re

from stratal_memory.learning.rules.phrasing import PAST_FORMS

# A form that is of the past alone; who begins with it left out "I".
PAST = (
    r"(?:"
    + "|".join(sorted(PAST_FORMS - {"saw", "found", "told", "said", "thought", "became", "left"}))
    + r"|saw|found|became|tore|ate|(?!(?:used|need|bored|tired|excited|stressed|worried|scared"
    r"|confused|exhausted|interested|supposed|based|updated|attached|agreed|noted|solved|fixed|added"
    r"|related|mixed|embed|indeed|speed|unused|undefined|failed|expected|required|deprecated|unexpected"
    r"|allowed|denied|skipped|tested|finished|edited|unrelated|red|bed|shed|hundred|embarrassed)\b)"
    r"[a-z]{2,12}(?<!e)ed)"
)
# What a clause that goes on with the subject of the one before may begin with.
GOES_ON = (
    r"(?:work(?:ing)? (?:at|for|as|in|nights)|live[sd]? (?:in|near|with|alone)|love|hate|play|teach"
    r"|drive|own|study|studying|speak|collect|sing|enjoy|prefer|have (?:an?|two|three|been)|got"
    r"|am (?:from|in|an?|\w+ing)|(?:now |currently )?(?:staying|based|studying) (?:in|at|near)"
    r"|quit (?:in|last|smoking|drinking)"
    r"|moved|bought|adopted|married|allergic|vegan|vegetarian|(?:just|recently) (?:moved|got"
    r"|started|bought|adopted|finished)|retired|can't stand|never liked"
    r"|(?:loves|hates|likes|works|lives|plays|speaks|uses|wears|drives|collects) "
    rf"|{PAST} )"
)
_PAST = (
    r"(?:just |recently |finally |already |also |even )*(?:got|bought|moved|started|finished|passed"
    r"|broke|sold|quit|adopted|graduated|turned|ran|won|lost|joined|left|booked|retired|inherited"
    r"|married|studied|grew up|stopped|gave up|signed up|used to|visited|went to|flew|met|had my"
    r"|had an?)\b"
)
BEGINNINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), subject)
    for pattern, subject in (
        (_PAST + r"(?! it\b)", "I "),
        (PAST + r" (?!it\b|that\b|by\b|to be\b)", "I "),
        (
            r"(?:born|raised|made redundant|laid off|fired|promoted|diagnosed with|mugged"
            r"|evicted)\b",
            "I was ",
        ),
        (r"(?:was|were) (?:made redundant|born|raised|diagnosed|laid off|fired|promoted)\b", "I "),
        (r"am (?:an?|from|in|\w+ing|\d)\b", "I "),
        (r"have (?:my|an?) (?=.*\b(?:today|tomorrow|next|in|on|at)\b)", "I "),
        (r"(?:have|got) (?:\d|two|three|four|five|six)\b", "I "),
        (
            r"(?:no|one|two|three|four|five|\d)(?: very)? (?!whole|fried|grilled|more"
            r"|other)(?:[\w-]+ ){0,2}?(?:kids|children|boys"
            r"|girls"
            r"|dogs?|cats?|tabbies|teenagers|sons|daughters|rabbits|chickens|horses|\w+doodle|\w+poo)"
            r"(?: at home| here)?\Z",
            "I have ",
        ),
        (r"off to (?!a good|an? \w+ start|bed\b|sleep\b)\w", "I'm "),
        (r"been (?:really |so )?(?:getting|off)\b", "I've "),
        (r"(?:treated myself|splurged on|picked up|invested in)\b", "I "),
        (r"(?:on|taking) \w+ for (?:my )?", "I'm "),
        (r"(?:live|work) (?:in|at|as|for|near)\b(?! (?:progress|order))", "I "),
        (
            r"(?:first|second|third|fourth|final|last|1st|2nd|3rd|4th) year"
            r" (?:of (?:an?|my)|student)",
            "I'm in my ",
        ),
        (r"(?:editor|ide|laptop|phone|distro|keyboard|os|car) is (?=an? |(?-i:[A-Z]))", "my "),
        (r"(?:mum|mom|mother|dad|father|parent) (?:of|to) (?:\d|two|three|four)", "I'm a "),
        (r"been \w+ing\b|been (?:a|an|in|vegan|vegetarian|married)\b", "I've "),
        (
            r"(?:currently |now |still |also )*(?:finishing|wrapping up|retaking|staying (?:in"
            r"|at)|starting|seeing|meeting|hosting"
            r"|getting (?:a|my|the)|having (?:a|my|the)|turning|switching|retiring|defending"
            r"|camping|doing (?:an?|my)|living|working|moving|going|flying|leaving"
            r"|travell?ing|training|learning|studying|planning|visiting|renting|teaching|based"
            r"|getting married|allergic to|married|engaged|expecting|saving|obsessed with"
            r"|originally from|from (?-i:[A-Z]))\b",
            "I'm ",
        ),
        (r"(?:a )?(?:big|huge|massive|not an?|not a (?:big|huge)|lifelong) fan of\b", "I'm "),
        (
            r"(?:play|main|study|own|speak|drive|farm|ride|coach|volunteer|commute|live|work|stream"
            r"|collect) (?!is\b|are\b|was\b|has\b|said\b|says\b|will\b|wants\b|with (?:me|this)"
            r"|me\b|this\b|that\b|it\b|along|around|out\b|on it|the"
            r" (?:role"
            r"|part|game of|assistant|song|video)|like\b|as if)",
            "I ",
        ),
        (
            r"(?:don't|can't|never|couldn't|do not|cannot) (?:do|eat|have|stand|drink|like|touch"
            r"|bear|abide"
            r"|could abide|could stand|did like|liked|get on with|stomach)\b",
            "I ",
        ),
        (
            r"(?:allergic (?:to|against)|colou?r ?blind|vegan|vegetarian|pescatarian|coeliac"
            r"|celiac|diabetic"
            r"|lactose intolerant|dyslexic|deaf|left[- ]handed)\b",
            "I'm ",
        ),
        (
            r"(?:majoring|minoring|specialising|specializing|restoring|raising|building|trying|recovering|waiting|celebrating|applying|dating|seeing"
            r"|using|driving|running|playing|drinking|taking|eating|suffering|caring|volunteering|commuting"
            r"|writing (?:a|my)|job ?hunting|looking for|hoping|thinking about)\b",
            "I'm ",
        ),
        (r"having (?:leave|holidays?|surgery|\w+ (?:issues|problems)|\w+ (?:since|for) )", "I'm "),
        (r"(?:just )?(?:off|coming off|back from) (?:an?|my|the) ", "I'm "),
        (r"going to (?:be|have|get|move|visit|start|study|see|do|go)\b", "I'm "),
        (
            r"(?:stay[- ]at[- ]home|single|new|proud|first[- ]time) (?:mum|mom|dad"
            r"|parent)\b",
            "I'm a ",
        ),
        (
            r"(?!(?:using|looking|trying|running|following|regarding|concerning|during|including|assuming"
            r"|considering|according|speaking|talking|being|seeing|nothing|something|everything|anything"
            r"|morning|evening|building|thing|king|ring|string|spring|bring|sing|wedding|meeting|ceiling"
            r"|feeling|sounding|making sure|regarding|getting an? error|asking|wondering|hoping)\b)"
            r"[a-z]{2,}ing (?:to|up|off|out|down|over|back|home|my|our|an?) (?!you|me\b|your|it\b)",
            "I'm ",
        ),
        (r"shoot (?:mostly|mainly|on|with|film)\b", "I "),
        (r"(?:aged?) (?=\d\d\b)", "I'm "),
        (
            r"(?:love|hate|prefer|can't stand)(?= (?:the|your|that|this|those|these|how|it|when"
            r"|you|seeing|to see)\b)",
            "",
        ),
        (r"(?:love|hate|prefer|can't stand|don't (?:like|eat|drink)|never liked)\b", "I "),
        (r"(?:thinking of|in my (?:late|early|mid))\b", "I'm "),
    )
)
