"""A model that orders goods for a shop in three calls: what procedures are learned from."""

import json

from stratal.agent import Agent
from stratal.context.request import Request
from stratal.providers.provider import Completion
from stratal.tools.tool import Tool, tool
from stratal_memory.records import Role, ToolCall

PLAN = (
    ("find_price", ("product",)),
    ("check_stock", ("product",)),
    ("note_line", ("product", "sheet")),
)
GOODS = ("flour", "butter", "yeast")


def find_price(product: str) -> str:
    """The price of a product."""
    return f"{product}: 2 euros"


def check_stock(product: str) -> str:
    """How much there is of a product."""
    return f"{product}: low"


def note_line(product: str, sheet: str) -> str:
    """Note a line."""
    return "noted"


TOOLS: tuple[Tool, ...] = tuple(
    tool(function, writes=False) for function in (find_price, check_stock, note_line)
)


def works(request: Request) -> Completion:
    """Three calls for every message that says `order`, then an answer."""
    last = max(at for at, one in enumerate(request.messages) if one.role is Role.USER)
    asked = request.messages[last].text.rpartition("order ")[2].split()
    done = sum(len(one.tool_calls) for one in request.messages[last:])
    if "order " not in request.messages[last].text or done == len(PLAN):
        return Completion(text="Fine.")
    name, parameters = PLAN[done]
    values = {"product": asked[0], "sheet": "supplies"}
    arguments = json.dumps({key: values[key] for key in parameters})
    call = ToolCall(id=f"call_{asked[0]}_{done}_of_this_turn", name=name, arguments=arguments)
    return Completion(text="", tool_calls=(call,))


def order(agent: Agent, product: str, after: str = "thanks, that is all") -> str:
    """The procedure that was put into an order of its own conversation."""
    agent.start_session()
    reply = agent.send(f"Please order {product} for the shop")
    if after:
        agent.send(after)
    return reply.procedure


def order_and_leave(agent: Agent) -> None:
    """Three orders, each in a conversation that ends with it."""
    for product in GOODS:
        order(agent, product, after="")
