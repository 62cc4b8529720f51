"""Names in small letters: of the user's animals, and of several who are "called" so."""

import re
from collections.abc import Sequence

from stratal_memory.learning.rules.kin import PET, facet_of, is_small_name, pet_facet_of
from stratal_memory.learning.rules.rule import Draft, Rule, named, rule
from stratal_memory.learning.rules.sentences import Clause
from stratal_memory.learning.wordlist import words


def _called(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """Each name of "my flatmates are called Lucia and Ines", "dogs called Mot and Nel"."""
    groups = match.groupdict()
    who = groups["who"]
    pet = bool(re.fullmatch(_PETS, who, re.IGNORECASE))
    facet, _ = (pet_facet_of if pet else facet_of)(who.removesuffix("s") if pet else who)
    names = [part.strip() for part in re.split(r",? (?:and|&) |, ", cleaned_names(match["names"]))]
    fits = names and all(named(one, words=2) or is_small_name(one) for one in names)
    if not fits or len(names) > 6:
        return ()
    large = [one[:1].upper() + one[1:] for one in names]
    return tuple(
        Draft(facet=facet, value=one, text=f"One of the user's {who.casefold()} is called {one}.")
        for one in large
    )


def cleaned_names(raw: str) -> str:
    """`raw` up to where no name stands any more."""
    return re.split(r",? (?:so|but|both|they|who|which|she|he|one|nel|i|we)\b ", raw, maxsplit=1)[
        0
    ].strip(" .")


_PETS = (
    r"(?:dogs|cats|kittens|puppies|rabbits|bunnies|hamsters|rats|ferrets|horses|goats|chickens"
    r"|hens|ducks|guinea pigs"
    r"|parrots|budgies|collies|huskies|pugs|beagles|fish|birds|donkeys|ponies|gerbils|geckos)"
)


def _pet(match: re.Match[str], clause: Clause) -> Sequence[Draft]:
    """The name of a pet in small letters: "our cat nelson got hit"."""
    name = match["name"]
    if (
        not is_small_name(name)
        or name.casefold() in _NOT_NAMES
        or (name.endswith("s") and match["verb"] is None)
    ):
        return ()
    facet, said = pet_facet_of(match["who"])
    name = name[:1].upper() + name[1:]
    return (Draft(facet=facet, value=name, text=f"The user's {said} is called {name}."),)


_NOT_NAMES = words(
    "food has had who that died sitter walker hair poop bed bowl toy vet training park just"
    " also really always keeps"
    " ate got was gets needs loves likes hates peed pooped bit ran jumped sleeps eats barks"
    " sheds show and for from with"
    " this the too lady mom dad mum litter collar cafe names named fur puke people allergy"
    " allergies stuff"
)

RULES: tuple[Rule, ...] = (
    rule(
        "household.called",
        rf"(?:(?:my|our|the|their|two|three|\d|I have|I've got|we have|we've got|I got"
        rf"|two) )*(?P<who>{_PETS}|kids|children|sons|daughters|boys"
        r"|girls|flatmates|roommates|housemates|brothers|sisters|twins|grandkids)(?: are| is)?,?"
        r" (?:called|named|names are)"
        r" (?P<names>\w[\w', &-]*)",
        _called,
    ),
    rule(
        "household.pet",
        rf"(?:my|our) (?:\w+ )?{PET},? (?:called |named )?(?P<name>[a-z]{{2,12}}),? (?P<verb>is"
        rf"|was|has|got|died|keeps|needs|loves|hates|likes|ate|just"
        r"|passed|turned|had|won't|doesn't|can't|who)\b.*",
        _pet,
    ),
    rule(
        "household.with_pet",
        rf"(?:I|we) (?:\w+ ){{1,3}}(?:my|our) {PET} (?P<name>[a-z]{{3,12}}) (?P<verb>to|for|on|in"
        rf"|every|out|with|at|around)\b.*",
        _pet,
    ),
)
