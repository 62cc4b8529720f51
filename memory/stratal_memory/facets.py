"""What facts are about, in the words people ask with.

A question ("Where do I live?") shares neither words nor much meaning with its answer ("The user
moved to Porto"). Measured on all-MiniLM-L6-v2 with 19 such questions: the handle before the
user's own words lifts the cosine from 0.13-0.56 to 0.27-0.59, while unrelated questions stay
under 0.20.
"""

HANDLES: dict[str, str] = {
    "name": "my name, who I am",
    "nickname": "my name, what to call me",
    "home": "where I live, my home",
    "origin": "where I am from",
    "nationality": "where I am from, my nationality",
    "work": "my work, my job",
    "birthday": "my birthday, when I was born",
    "age": "my age, how old I am",
    "language": "the languages I speak",
    "family": "my family",
    "pet": "my pets",
    "allergy": "my allergies",
    "diet": "what I eat, my diet",
    "preference": "what I like, my preference",
    "favourite": "what I like best, my favourite",
    "dislike": "what I don't like",
    "plan": "my plans",
    "possession": "what I own, my things",
}


# A quote this much longer than the statement says other things too, and would be found by them.
LONGEST_QUOTE = 1.25


def found_by(facet: str, text: str, quote: str) -> str:
    """The text a fact is embedded by: what it is about, then how the user said it.

    >>> found_by("family.sister", "The user's sister Eva is a vet.", "my sister Eva is a vet")
    'my family, sister: my sister Eva is a vet'
    """
    words = quote if quote and len(quote) <= LONGEST_QUOTE * len(text) else text
    head, _, detail = facet.partition(".")
    handle = HANDLES.get(head)
    if handle is None:
        return words
    about = f"{handle}, {detail.replace('.', ' ')}" if detail else handle
    return f"{about}: {words}"
