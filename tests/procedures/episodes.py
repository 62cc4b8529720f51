"""Thirty made-up turns of eight tasks, in different words; and how one becomes messages.

A model words its queries and subjects anew every time; what it chooses from a few stays.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stratal_memory.records import Message, Role, ToolCall
from stratal_procedures.episode import Episode, episode

Step = tuple[str, Mapping[str, object]]


def messages(
    request: str,
    steps: Sequence[Step],
    *,
    results: Sequence[str] = (),
    failed: Sequence[int] = (),
    answer: str = "Done.",
) -> list[Message]:
    """A turn as it is stored: each call with its result, then the answer."""
    said = [Message(role=Role.USER, text=request)]
    for number, (tool, arguments) in enumerate(steps):
        call = ToolCall(id=f"call_{number}", name=tool, arguments=json.dumps(arguments))
        said.append(Message(role=Role.ASSISTANT, text="", tool_calls=(call,)))
        text = results[number] if number < len(results) else "ok"
        said.append(
            Message(role=Role.TOOL, text=text, tool_call_id=call.id, tool_failed=number in failed)
        )
    if answer:
        said.append(Message(role=Role.ASSISTANT, text=answer))
    return said


def made(
    request: str,
    steps: Sequence[Step],
    *,
    turn: str = "turn_1",
    session: str = "ses_1",
    results: Sequence[str] = (),
    failed: Sequence[int] = (),
) -> Episode:
    said = messages(request, steps, results=results, failed=failed)
    return episode(said, turn=turn, session=session, least=3)


def _one_of(seed: str, *texts: str) -> str:
    """One of the wordings, always the same for a seed."""
    return texts[sum(map(ord, seed)) % len(texts)]


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    turns: tuple[tuple[str, tuple[Step, ...]], ...]


def _order(product: str, quantity: int, shop: str) -> tuple[Step, ...]:
    return (
        (
            "search_knowledge",
            {
                "query": _one_of(
                    product,
                    f"{product} supplier price",
                    f"who supplies {product}",
                    f"price and minimum order of {product}",
                )
            },
        ),
        ("add_line", {"sheet": "supplies", "product": product, "quantity": quantity}),
        (
            "send_mail",
            {
                "to": "purchasing@northgate.example",
                "subject": _one_of(
                    shop, f"Order for {shop}", f"{quantity} {product} needed", f"Delivery to {shop}"
                ),
            },
        ),
    )


def _return(product: str, reason: str, shop: str) -> tuple[Step, ...]:
    """The same tools as an order, for another task."""
    return (
        (
            "search_knowledge",
            {
                "query": _one_of(
                    product,
                    f"return policy {product}",
                    f"{product} complaint rules",
                    f"can we return {product}",
                )
            },
        ),
        ("add_line", {"sheet": "returns", "product": product, "quantity": 1}),
        (
            "send_mail",
            {
                "to": "claims@northgate.example",
                "subject": _one_of(
                    shop,
                    f"{reason} at {shop}",
                    f"Complaint: {reason} {product}",
                    f"We return {product}",
                ),
            },
        ),
    )


def _report(week: str, path: str) -> tuple[Step, ...]:
    return (
        ("query_database", {"table": "sales", "week": week}),
        ("query_database", {"table": "waste", "week": week}),
        ("write_file", {"path": path, "format": "markdown"}),
        (
            "send_mail",
            {
                "to": "board@northgate.example",
                "subject": _one_of(
                    week, f"Week {week}", f"Weekly figures {week}", f"Sales and waste, {week}"
                ),
            },
        ),
    )


def _audit(week: str, path: str) -> tuple[Step, ...]:
    """The same tools as the weekly report, for another task."""
    return (
        ("query_database", {"table": "fridge_temperatures", "week": week}),
        ("query_database", {"table": "cleaning", "week": week}),
        ("write_file", {"path": path, "format": "pdf"}),
        (
            "send_mail",
            {
                "to": "inspector@town.example",
                "subject": _one_of(
                    week,
                    f"Hygiene {week}",
                    f"Fridge and cleaning logs {week}",
                    f"Food safety, week {week}",
                ),
            },
        ),
    )


def _rota(shop: str, week: str) -> tuple[Step, ...]:
    return (
        ("list_leave", {"week": week}),
        ("list_staff", {"shop": shop}),
        (
            "publish_table",
            {
                "title": _one_of(
                    shop, f"Rota {shop}", f"Shifts in {shop}", f"Who works in {shop}", "Schedule"
                ),
                "week": week,
            },
        ),
    )


def _hire(person: str, role: str) -> tuple[Step, ...]:
    return (
        ("create_account", {"name": person, "role": role}),
        ("add_to_group", {"group": "staff", "name": person}),
        (
            "send_mail",
            {
                "to": f"{person.lower()}@northgate.example",
                "subject": _one_of(person, "Welcome", f"Welcome, {person}", "Your account"),
            },
        ),
    )


def _leave(person: str, role: str) -> tuple[Step, ...]:
    """The mirror image of hiring: the same kind of words, other tools."""
    return (
        ("close_account", {"name": person, "role": role}),
        ("remove_from_group", {"group": "staff", "name": person}),
        (
            "send_mail",
            {
                "to": f"{person.lower()}@northgate.example",
                "subject": _one_of(person, "Goodbye", "Your last days", f"Thank you, {person}"),
            },
        ),
    )


def _travel(town: str, day: str) -> tuple[Step, ...]:
    return (
        (
            "web_search",
            {
                "query": _one_of(
                    town, f"train to {town} {day}", f"{town} timetable {day}", f"connections {town}"
                )
            },
        ),
        (
            "web_search",
            {
                "query": _one_of(
                    day, f"hotel {town}", f"rooms near {town} station", f"where to stay in {town}"
                )
            },
        ),
        (
            "create_event",
            {"title": _one_of(town, f"Trip to {town}", f"{town}", f"Travel: {town}"), "day": day},
        ),
        (
            "send_mail",
            {
                "to": "office@northgate.example",
                "subject": _one_of(day, f"Away on {day}", f"Trip to {town}", f"My absence {day}"),
            },
        ),
    )


TASKS = (
    Task(
        "order",
        (
            ("Order 20 kg of flour for Elm Street", _order("flour", 20, "Elm Street")),
            (
                "We're out of butter at the harbour shop, get 8 packs",
                _order("butter", 8, "harbour"),
            ),
            ("please restock yeast, 5 bags, Mill Lane", _order("yeast", 5, "Mill Lane")),
            ("Milk is running low in Elm Street. 30 litres should do.", _order("milk", 30, "Elm")),
        ),
    ),
    Task(
        "return",
        (
            ("Send the mouldy flour back for Elm Street", _return("flour", "mould", "Elm Street")),
            (
                "The butter came in rancid at the harbour; complain",
                _return("butter", "rancid", "h"),
            ),
            (
                "I want our money back for the broken scales",
                _return("scales", "broken", "Mill Lane"),
            ),
        ),
    ),
    Task(
        "report",
        (
            ("Write the weekly report for week 44", _report("44", "reports/44.md")),
            ("How did we do in week 45? Tell the board.", _report("45", "reports/45.md")),
            ("The board wants its summary of 46", _report("46", "reports/46.md")),
            ("sales and waste of week 47 to the board please", _report("47", "reports/47.md")),
        ),
    ),
    Task(
        "audit",
        (
            ("Prepare the hygiene file for week 44", _audit("44", "hygiene/44.pdf")),
            ("The inspector asks for fridge logs of 45", _audit("45", "hygiene/45.pdf")),
            ("Send the food safety papers for week 46", _audit("46", "hygiene/46.pdf")),
        ),
    ),
    Task(
        "rota",
        (
            ("Plan next week's rota for the harbour", _rota("harbour", "48")),
            ("Who works when in Elm Street in week 49? Make the plan.", _rota("Elm Street", "49")),
            ("draft shifts, Mill Lane, week 50", _rota("Mill Lane", "50")),
            ("The bakehouse needs a schedule for 51", _rota("bakehouse", "51")),
        ),
    ),
    Task(
        "hire",
        (
            ("Maria starts on Monday as a baker, set her up", _hire("Maria", "baker")),
            ("New driver: Tom. Give him what he needs.", _hire("Tom", "driver")),
            ("Onboard Aisha, she'll be in sales", _hire("Aisha", "sales")),
            ("Please create everything for our apprentice Leo", _hire("Leo", "apprentice")),
        ),
    ),
    Task(
        "leave",
        (
            ("Maria has left us, take her off everything", _leave("Maria", "baker")),
            ("Tom quit yesterday; please clean up", _leave("Tom", "driver")),
            ("Offboard Aisha", _leave("Aisha", "sales")),
        ),
    ),
    Task(
        "travel",
        (
            ("I have to be in Lyon on 3 March, arrange it", _travel("Lyon", "3 March")),
            ("Book my trip to Ghent, 9 April", _travel("Ghent", "9 April")),
            ("Visiting the mill in Porto on 2 May: train and hotel", _travel("Porto", "2 May")),
            ("Conference in Turin, 14 June. Sort out the journey.", _travel("Turin", "14 June")),
            ("Find me a way to Basel on 7 July", _travel("Basel", "7 July")),
        ),
    ),
)


def _task(name: str, *turns: tuple[str, Sequence[Step]]) -> Task:
    return Task(name, tuple((request, tuple(steps)) for request, steps in turns))


# Held out: written after the numbers of `signature` were chosen.
OTHER_TASKS = (
    _task(
        "expense",
        (
            "Here's my taxi bill from Oslo, put it on expenses",
            [
                ("read_receipt", {"file": "taxi-oslo.jpg"}),
                ("convert_currency", {"amount": 412, "source": "NOK", "target": "EUR"}),
                ("add_expense", {"category": "travel", "amount": 36.2, "note": "taxi Oslo"}),
            ],
        ),
        (
            "claim the hotel in Bern for me please",
            [
                ("read_receipt", {"file": "bern_hotel.pdf"}),
                ("convert_currency", {"amount": 250, "source": "CHF", "target": "EUR"}),
                (
                    "add_expense",
                    {"category": "travel", "amount": 262.1, "note": "two nights in Bern"},
                ),
            ],
        ),
        (
            "I paid lunch with the client in London",
            [
                ("read_receipt", {"file": "IMG_2231.jpg"}),
                ("convert_currency", {"amount": 58, "source": "GBP", "target": "EUR"}),
                ("add_expense", {"category": "meals", "amount": 67.9, "note": "client lunch"}),
            ],
        ),
        (
            "reimburse my train ticket to Prague",
            [
                ("read_receipt", {"file": "ticket.png"}),
                ("convert_currency", {"amount": 990, "source": "CZK", "target": "EUR"}),
                ("add_expense", {"category": "travel", "amount": 39.5, "note": "train Prague"}),
            ],
        ),
    ),
    _task(
        "refund",
        (
            "Mrs Berg wants her money back for order 8841",
            [
                ("find_order", {"number": "8841"}),
                ("issue_refund", {"order": "8841", "amount": 23.9, "method": "card"}),
                (
                    "send_mail",
                    {"to": "berg@mail.example", "subject": "Your refund", "template": "refund"},
                ),
            ],
        ),
        (
            "order 9012 arrived broken, make it good",
            [
                ("find_order", {"number": "9012"}),
                ("issue_refund", {"order": "9012", "amount": 80, "method": "card"}),
                (
                    "send_mail",
                    {"to": "k.lind@mail.example", "subject": "We are sorry", "template": "refund"},
                ),
            ],
        ),
        (
            "Cancel 7777 and pay it back",
            [
                ("find_order", {"number": "7777"}),
                ("issue_refund", {"order": "7777", "amount": 15, "method": "voucher"}),
                (
                    "send_mail",
                    {
                        "to": "a@post.example",
                        "subject": "Order 7777 cancelled",
                        "template": "refund",
                    },
                ),
            ],
        ),
    ),
    _task(
        "reminder",
        (
            "Order 8120 hasn't been paid, nudge them",
            [
                ("find_order", {"number": "8120"}),
                ("list_payments", {"order": "8120"}),
                (
                    "send_mail",
                    {"to": "x@mail.example", "subject": "Payment due", "template": "reminder"},
                ),
            ],
        ),
        (
            "chase the invoice of 8200",
            [
                ("find_order", {"number": "8200"}),
                ("list_payments", {"order": "8200"}),
                (
                    "send_mail",
                    {
                        "to": "books@firm.example",
                        "subject": "Open invoice 8200",
                        "template": "reminder",
                    },
                ),
            ],
        ),
        (
            "They still owe us for 8305. Write to them.",
            [
                ("find_order", {"number": "8305"}),
                ("list_payments", {"order": "8305"}),
                (
                    "send_mail",
                    {
                        "to": "owner@inn.example",
                        "subject": "Friendly reminder",
                        "template": "reminder",
                    },
                ),
            ],
        ),
    ),
    _task(
        "release",
        (
            "Ship 2.4.0",
            [
                ("run_tests", {"suite": "all"}),
                ("tag_version", {"version": "2.4.0"}),
                ("publish_package", {"version": "2.4.0", "channel": "stable"}),
                ("post_message", {"room": "releases", "text": "2.4.0 is out"}),
            ],
        ),
        (
            "cut a new release, 2.4.1",
            [
                ("run_tests", {"suite": "all"}),
                ("tag_version", {"version": "2.4.1"}),
                ("publish_package", {"version": "2.4.1", "channel": "stable"}),
                ("post_message", {"room": "releases", "text": "We released 2.4.1 with fixes"}),
            ],
        ),
        (
            "time to publish version 3.0",
            [
                ("run_tests", {"suite": "all"}),
                ("tag_version", {"version": "3.0.0"}),
                ("publish_package", {"version": "3.0.0", "channel": "stable"}),
                ("post_message", {"room": "releases", "text": "Version 3.0.0 available"}),
            ],
        ),
        (
            "Put the hotfix 3.0.1 out",
            [
                ("run_tests", {"suite": "fast"}),
                ("tag_version", {"version": "3.0.1"}),
                ("publish_package", {"version": "3.0.1", "channel": "stable"}),
                ("post_message", {"room": "releases", "text": "Hotfix 3.0.1"}),
            ],
        ),
    ),
    _task(
        "translate",
        (
            "German version of the menu please",
            [
                ("read_file", {"path": "menu.md"}),
                ("translate", {"language": "German"}),
                ("write_file", {"path": "menu.de.md"}),
            ],
        ),
        (
            "I need house rules in French",
            [
                ("read_file", {"path": "house-rules.md"}),
                ("translate", {"language": "French"}),
                ("write_file", {"path": "house-rules.fr.md"}),
            ],
        ),
        (
            "Can you put allergens into Polish?",
            [
                ("read_file", {"path": "allergens.txt"}),
                ("translate", {"language": "Polish"}),
                ("write_file", {"path": "allergens.pl.txt"}),
            ],
        ),
        (
            "Turkish contract for the new baker",
            [
                ("read_file", {"path": "contract.md"}),
                ("translate", {"language": "Turkish"}),
                ("write_file", {"path": "contract_turkish.md"}),
            ],
        ),
    ),
    _task(
        "compare",
        (
            "What changed between the lease of 2025 and 2026?",
            [
                ("read_file", {"path": "lease-2025.md"}),
                ("read_file", {"path": "lease-2026.md"}),
                ("write_file", {"path": "differences.md"}),
                ("post_message", {"room": "office", "text": "Lease compared"}),
            ],
        ),
        (
            "Compare the two insurance offers",
            [
                ("read_file", {"path": "offer-a.md"}),
                ("read_file", {"path": "offer-b.md"}),
                ("write_file", {"path": "differences.md"}),
                ("post_message", {"room": "office", "text": "Offers side by side"}),
            ],
        ),
        (
            "Which of the price lists is cheaper, old or new? Note it down.",
            [
                ("read_file", {"path": "prices-old.csv"}),
                ("read_file", {"path": "prices-new.csv"}),
                ("write_file", {"path": "differences.md"}),
                ("post_message", {"room": "office", "text": "New list is cheaper"}),
            ],
        ),
    ),
    _task(
        "minutes",
        (
            "Turn Monday's notes into minutes",
            [
                ("read_file", {"path": "notes/monday.md"}),
                ("read_file", {"path": "minutes/template.md"}),
                ("write_file", {"path": "minutes/monday.md"}),
                ("post_message", {"room": "team", "text": "Minutes are up"}),
            ],
        ),
        (
            "write up the board meeting",
            [
                ("read_file", {"path": "notes/board.md"}),
                ("read_file", {"path": "minutes/template.md"}),
                ("write_file", {"path": "minutes/board.md"}),
                ("post_message", {"room": "team", "text": "Board minutes"}),
            ],
        ),
        (
            "Protocol of the safety talk, for everybody",
            [
                ("read_file", {"path": "notes/safety.md"}),
                ("read_file", {"path": "minutes/template.md"}),
                ("write_file", {"path": "minutes/safety.md"}),
                ("post_message", {"room": "team", "text": "Safety talk: minutes"}),
            ],
        ),
        (
            "Can we have Thursday's discussion on paper",
            [
                ("read_file", {"path": "notes/thursday.md"}),
                ("read_file", {"path": "minutes/template.md"}),
                ("write_file", {"path": "minutes/thursday.md"}),
                ("post_message", {"room": "team", "text": "Thursday written up"}),
            ],
        ),
    ),
    _task(
        "newsletter",
        (
            "Draft the spring newsletter",
            [
                ("search_knowledge", {"query": "spring products"}),
                ("search_knowledge", {"query": "events in April"}),
                ("write_file", {"path": "newsletter/spring.md"}),
            ],
        ),
        (
            "Something to mail our customers about the opening in Mill Lane",
            [
                ("search_knowledge", {"query": "Mill Lane opening date"}),
                ("search_knowledge", {"query": "opening offers"}),
                ("write_file", {"path": "newsletter/mill-lane.md"}),
            ],
        ),
        (
            "Customers should hear of the new rye bread",
            [
                ("search_knowledge", {"query": "rye bread"}),
                ("search_knowledge", {"query": "rye price"}),
                ("write_file", {"path": "newsletter/rye.md"}),
            ],
        ),
        (
            "christmas mailing, first version",
            [
                ("search_knowledge", {"query": "Christmas stollen"}),
                ("search_knowledge", {"query": "holiday hours"}),
                ("write_file", {"path": "newsletter/christmas.md"}),
            ],
        ),
        (
            "mailing on the price change",
            [
                ("search_knowledge", {"query": "new prices 2027"}),
                ("search_knowledge", {"query": "reasons for prices"}),
                ("write_file", {"path": "newsletter/prices.md"}),
            ],
        ),
    ),
)
