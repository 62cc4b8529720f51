"""The control words of RTF that open a destination: text for another place than the body."""

import re

_WORD = re.compile(r"\w+")
# Destinations without text that is read.
SKIPPED = frozenset(
    _WORD.findall(
        """
        fonttbl colortbl pict objdata themedata colorschememapping datastore fldinst filetbl
        revtbl listtable listoverridetable rsidtbl generator xmlnstbl latentstyles atnid
        atnauthor atntime atnicn atnref bkmkstart bkmkend sp xe tc tcn nonshppict nesttableprops
        ftnsep ftnsepc aftnsep aftnsepc ftncn aftncn template private falt panose shppict
        mmathPr wgrffmtfilter pgdsctbl background author operator company keywords subject
        comment doccomm category manager hlinkbase docvar userprops objclass fontemb
        passwordhash protusertbl pntxta pntxtb
        """
    )
)
# Destinations that may be skipped, by their `\*`, and hold text all the same.
READ = frozenset(_WORD.findall("shpinst shptxt pn ud shprslt moMath moMathPara do dptxbxtext"))
MARGINS = frozenset(_WORD.findall("header headerl headerr headerf footer footerl footerr footerf"))
OPTIONAL = frozenset({"annotation", "cs", "ts", "listtext"})
DESTINATIONS = (
    SKIPPED
    | MARGINS
    | {"upr", "footnote", "annotation", "stylesheet", "info", "title", "listtext", "pntext"}
)
