"""The attributes of a person that are told and asked for, and the facets they are kept under."""

from dataclasses import dataclass
from functools import cache

from stratal_memory.facets import akin


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: its facets, those of the rules too; the first is that of what it makes.

    A facet stands for those below it too: "pet" for "pet.cat".
    """

    name: str
    label: str  # as it stands before a value: "manager"
    facets: tuple[str, ...]
    one: bool = True  # a person has one at a time

    @property
    def facet(self) -> str:
        """The facet of what is learned of it."""
        return self.facets[0]

    def covers(self, facet: str) -> bool:
        """Whether what is kept under `facet` tells of it."""
        return any(facet == one or facet.startswith(f"{one}.") for one in self.all_facets)

    @property
    def all_facets(self) -> tuple[str, ...]:
        """`facets` and those that stand for the same."""
        return _all(self.facets)


@cache
def _all(facets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({other for one in facets for other in akin(one)} | set(facets)))


def _one(name: str, label: str, *facets: str) -> Attribute:
    return Attribute(name, label, facets)


def _many(name: str, label: str, *facets: str) -> Attribute:
    return Attribute(name, label, facets, one=False)


# The order is that of the weights (`reader`).
ATTRIBUTES: tuple[Attribute, ...] = (
    _one("name", "name", "name"),
    _one("nickname", "nickname", "name.preferred", "nickname"),
    _one("age", "age", "age"),
    _one("birthday", "birthday", "birthday"),
    _one("nationality", "nationality", "nationality"),
    _one("mother_tongue", "mother tongue", "about.mother_tongue"),
    _many("languages", "languages", "language", "languages"),
    _one("hometown", "hometown", "origin", "grew_up", "about.hometown"),
    _one("city", "home town now", "home"),
    _one("neighbourhood", "neighbourhood", "about.neighbourhood", "about.district"),
    _one("address", "address", "about.address"),
    _one("housing", "kind of home", "about.housing", "about.house"),
    _many("housemates", "housemates", "people.flatmate"),
    _one("rent", "rent", "about.rent"),
    _one("landlord", "landlord", "people.landlord"),
    _one("internet_provider", "internet provider", "about.internet_provider"),
    _one("phone_number", "phone number", "about.phone_number"),
    _one("email", "email", "about.email"),
    _one("mobile_plan", "mobile provider", "about.mobile_provider"),
    _one("emergency_contact", "emergency contact", "about.emergency_contact"),
    _one("employer", "employer", "work.employer"),
    _one("job", "job", "work.role", "work.field"),
    _one("manager", "manager", "people.boss"),
    _many("colleague", "colleagues", "people.colleague", "people.coworker"),
    _one("project", "project at work", "about.project"),
    _one("work_schedule", "working hours", "about.working_hours", "work.hours"),
    _one("office_days", "days in the office", "about.office_days"),
    _one("workplace", "workplace", "about.workplace", "about.office"),
    _one("commute", "way to work", "about.commute"),
    _one("side_job", "side job", "about.side_job"),
    _one("degree", "subject of study", "study.subject"),
    _one("school", "school", "study.school"),
    _one("course", "course", "about.course", "learning.course"),
    _one("exam", "exam", "about.exam"),
    _one("partner", "partner", "family.partner"),
    _one("relationship_status", "relationship", "family.status", "family.separated"),
    _many(
        "children", "children", "family.children", "family.son", "family.daughter", "family.kid",
        "family.child", "family.baby", "family.expecting",
    ),
    _many("parents", "parents", "family.parents", "family.mother", "family.father", "family.mum"),
    _many(
        "siblings", "siblings", "family.siblings", "family.brother", "family.sister",
        "family.twin", "family.stepbrother", "family.stepsister",
    ),
    _many("grandparents", "grandparents", "family.grandparents", "family.grandmother",
          "family.grandfather", "family.grandma", "family.grandpa"),
    _one("best_friend", "best friend", "people.best_friend"),
    _many("neighbour", "neighbours", "people.neighbour", "people.neighbor"),
    _many("pets", "pets", "pet"),
    _one("anniversary", "anniversary", "about.anniversary"),
    _many("allergy", "allergies", "allergy"),
    _one("diet", "diet", "diet"),
    _many("medication", "medication", "medication", "about.medication"),
    _many("condition", "health condition", "health"),
    _one("injury", "injury", "about.injury"),
    _one("doctor", "doctor", "people.doctor"),
    _one("dentist", "dentist", "people.dentist"),
    _one("therapist", "therapist", "people.therapist"),
    _one("sport", "sport", "about.sport", "favourite.sport"),
    _one("gym", "gym", "about.gym"),
    _one("sleep", "times of sleep", "about.sleep", "about.wake-up_time"),
    _one("favourite_food", "favourite food", "favourite.food", "favourite.dish"),
    _one("usual_drink", "usual drink", "preference.drink", "favourite.drink"),
    _many("disliked_food", "food they dislike", "dislike.food"),
    _one("restaurant", "favourite restaurant", "favourite.restaurant"),
    _one("car", "car", "about.car", "possession.car"),
    _one("bicycle", "bicycle", "about.bike"),
    _one("phone", "phone", "about.phone"),
    _one("laptop", "computer", "about.laptop", "about.computer"),
    _one("camera", "camera", "about.camera"),
    _one("instrument", "instrument", "about.instrument"),
    _many("hobby", "hobbies", "hobby"),
    _one("game", "game they play", "about.game", "favourite.game"),
    _one("book", "book they read", "about.book"),
    _one("show", "series they watch", "about.show"),
    _one("music", "favourite music", "favourite.band", "favourite.music", "favourite.artist"),
    _one("team", "team they support", "about.team", "favourite.team"),
    _many("plants", "plants they grow", "about.plants"),
    _one("collection", "collection", "about.collection"),
    _one("club", "club", "about.club"),
    _one("volunteering", "volunteering", "about.volunteering"),
    _one("programming_language", "programming language", "about.programming_language"),
    _one("editor", "editor", "tool.editor"),
    _one("operating_system", "operating system", "about.operating_system"),
    _one("bank", "bank", "about.bank"),
    _one("savings_goal", "savings goal", "about.savings_goal"),
    _one("insurance", "insurance", "about.insurance"),
    _many("subscription", "subscriptions", "about.subscription"),
    _many("trip", "trips", "plan.trip"),
    _one("seat", "seat preference", "preference.seat"),
    _one("hotel", "hotel preference", "preference.hotel"),
    _one("holiday_place", "favourite place", "favourite.place"),
    _many("appointment", "appointments", "plan.appointment"),
    _many("event", "events ahead", "plan.event"),
    _one("goal", "goal", "about.goal"),
    _one("learning_language", "language they learn", "about.learning_language"),
    _one("answer_style", "style of answers", "preference.answers"),
    _one("answer_language", "language of answers", "preference.answer_language"),
    _one("units", "units", "preference.units"),
    _one("favourite_colour", "favourite colour", "favourite.colour", "favourite.color"),
    _one("shoe_size", "shoe size", "about.shoe_size"),
    _one("clothes_size", "clothes size", "about.clothes_size"),
    _many("fear", "fears", "fear"),
    _many("dislike", "dislikes", "dislike"),
    _many("routine", "routines", "habit"),
    _one("moving", "move of home", "plan.moving"),
)  # fmt: skip
BY_NAME = {one.name: one for one in ATTRIBUTES}
