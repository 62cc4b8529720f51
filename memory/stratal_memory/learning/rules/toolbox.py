"""What the user works with, in small letters too: "we run everything on elixir"."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.rule import ADVERBS, I_AM, Draft, Rule, cleaned, rule
from stratal_memory.learning.rules.sentences import Clause

_TECH = (
    r"(?:python|rust|golang|go|java|javascript|typescript|kotlin|swift|c\+\+|c#|ruby|rails|php|laravel|elixir|erlang|haskell|scala"
    r"|clojure|ocaml|zig|julia|matlab|cobol|fortran|perl|lua|dart|flutter|react(?: native)?|vue"
    r"|svelte|angular|next\.?js|django"
    r"|flask|fastapi|spring|node|deno|bun|postgres(?:ql)?|mysql|sqlite|mongo(?:db)?|redis|kafka|snowflake|bigquery|docker"
    r"|kubernetes|k8s|terraform|ansible|aws|gcp|azure|heroku|vercel|netlify|fly\.io|supabase|firebase|linux|ubuntu|arch|debian"
    r"|fedora|nixos|windows|mac\s?os|macos|neovim|nvim|vim|emacs|vs\s?code|vscode|intellij|pycharm"
    r"|xcode|zed|cursor|obsidian|notion"
    r"|logseq|evernote|excel|google sheets|sheets|airtable|trello|jira|linear|asana|slack|figma"
    r"|sketch|photoshop|lightroom"
    r"|illustrator|premiere|davinci(?: resolve)?|final cut|blender|unity|unreal|godot|ableton"
    r"|logic|fl studio|solidworks|autocad"
    r"|fusion 360|arduino|raspberry pi|home assistant|tally|quickbooks|xero|sap|salesforce"
    r"|hubspot|shopify|wordpress|stata|spss"
    r"|tableau|power\s?bi|latex|overleaf|firefox|chrome|brave|safari|zsh|fish|tmux|dvorak|colemak)"
)
_EACH = re.compile(rf"(?<![\w.+#-]){_TECH}(?![\w+#-])", re.IGNORECASE)


def _tools(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Each of the tools named; "go" and "fish" alone name none."""
    said = cleaned(match["value"], clause)
    found = [one.group() for one in _EACH.finditer(said.replace(" + ", ", "))][:5]
    return tuple(Draft(facet="tool", value=one, text=f"The user uses {one}.") for one in found)


def _gear(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    value = cleaned(match["value"], clause)
    if not 0 < len(value.split()) <= 4:
        return ()
    return (Draft(facet="tool", value=value, text=f"The user works with {value}."),)


RULES: tuple[Rule, ...] = (
    rule(
        "toolbox.gear",
        rf"I {ADVERBS}(?:shoot|film|record|mix|stream) (?:mostly |mainly |only "
        rf"|everything )?(?:on|with) (?:an? |my )?"
        r"(?P<value>(?!you|the|my\b|him|her|friends|mon|tue|wed|thu|fri|sat|sun|week)\w.+)",
        _gear,
    ),
    rule(
        "toolbox.uses",
        rf"(?:(?:I|we) {ADVERBS}(?:use|code in|program in|write|develop in|build (?:in|with|on)"
        rf"|work (?:in|with)|host (?:on|with)|deploy (?:to|on|with)"
        rf"|switched to|moved to|migrated to|run(?: (?:everything|most things|it all|all of it"
        rf"|our \w+|my \w+))? (?:on|in|with)|run)|{I_AM}(?:using"
        rf"|running|coding in|on|a)) (?:mostly |mainly |only )?(?P<value>{_TECH}(?![\w+#-])(?!"
        rf" (?:to the|for a|back|home|shop|user's))[\w ,.+#&/-]*)",
        _tools,
    ),
    rule(
        "toolbox.stack",
        rf"(?:my|our) (?:[\w-]+ )?(?:stack|setup|editor|ide|os|distro|backend|frontend|database"
        rf"|db|shell|browser|main language|website|app) (?:is|are|runs on|uses"
        rf"|is (?:on|in|all))(?: all| mostly| on| in| mainly)?"
        rf" (?P<value>{_TECH}(?![\w+#-])[\w ,.+#&/-]*)",
        _tools,
    ),
)
