"""A server of tools in plain JSON-RPC over its standard streams, which does what it should not.

The first argument is a file of JSON: `tools` to list, and `how` it behaves. It needs no library, so
that it starts at once, and can say what a library would not.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]
PARTS = [
    {"type": "text", "text": "a picture:"},
    {"type": "image", "data": "AAAA" * 4, "mimeType": "image/png"},
    {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "inside"}},
    {"type": "resource", "resource": {"uri": "file:///b.bin", "blob": "AAAA"}},
    {"type": "resource_link", "name": "c", "uri": "file:///c.txt", "description": "the rest"},
]


def send(message: Json) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(id: object, result: Json) -> None:
    send({"id": id, "result": result})


def say(id: object, text: str, **more: object) -> None:
    answer(id, {"content": [{"type": "text", "text": text}], **more})


def tell(event: str) -> None:
    """To the test that listens, if one does."""
    if "EVENTS" not in os.environ:
        return
    with socket.create_connection(("127.0.0.1", int(os.environ["EVENTS"]))) as events:
        events.sendall(event.encode())


class Server:
    def __init__(self, script: Json) -> None:
        self.script = script
        self.how = script.get("how", "")
        self.met: list[object] = []

    def serve(self) -> None:
        for line in sys.stdin:
            self.handle(json.loads(line))
        if self.how == "stays":
            signal.pause()

    def handle(self, message: Json) -> None:
        match message.get("method"):
            case "initialize":
                self.initialize(message)
            case "tools/list":
                answer(message["id"], {"tools": self.script["tools"]})
            case "tools/call":
                getattr(self, message["params"]["name"])(
                    message["id"], message["params"].get("arguments", {})
                )
            case "notifications/cancelled":
                tell("cancelled")
            case None:
                self.answered(message)
            case method if "id" in message:
                send({"id": message["id"], "error": {"code": -32601, "message": f"no {method}"}})
            case _:
                pass

    def initialize(self, message: Json) -> None:
        if self.how == "silent":
            return
        if self.how == "dies":
            sys.stderr.write("there is no\x1b[31m database\n")
            sys.exit(1)
        told = {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "raw", "version": "1"},
        }
        answer(message["id"], told)

    def echo(self, id: object, given: Json) -> None:
        say(id, json.dumps(given, ensure_ascii=False))

    def number(self, id: object, given: Json) -> None:
        say(id, str(os.getpid()))

    def environment(self, id: object, given: Json) -> None:
        say(id, json.dumps(dict(os.environ)))

    def folder(self, id: object, given: Json) -> None:
        say(id, str(Path.cwd()))

    def hang(self, id: object, given: Json) -> None:
        tell("called")

    def die(self, id: object, given: Json) -> None:
        sys.stderr.write("out of memory\n")
        sys.stderr.flush()
        os._exit(3)

    def huge(self, id: object, given: Json) -> None:
        say(id, "x" * 3_000_000)

    def fail(self, id: object, given: Json) -> None:
        say(id, "no such file", isError=True)

    def refuse(self, id: object, given: Json) -> None:
        send({"id": id, "error": {"code": -32602, "message": "a wrong\nargument"}})

    def garbage(self, id: object, given: Json) -> None:
        answer(id, {"content": "none"})

    def noise(self, id: object, given: Json) -> None:
        sys.stdout.write("Listening...\n")
        say(id, "heard")

    def parts(self, id: object, given: Json) -> None:
        answer(id, {"content": PARTS, "structuredContent": {"more": 1}})

    def twice(self, id: object, given: Json) -> None:
        text = '{"n": 1}'
        answer(id, {"content": [{"type": "text", "text": text}], "structuredContent": {"n": 1}})

    def meet(self, id: object, given: Json) -> None:
        self.met.append(id)
        if len(self.met) == 2:
            for one in self.met:
                say(one, "met")

    def change(self, id: object, given: Json) -> None:
        self.script["tools"] = []
        send({"method": "notifications/tools/list_changed"})
        say(id, "changed")

    def ask(self, id: object, given: Json) -> None:
        self.asking = id
        self.heard: list[str] = []
        for number, (method, params) in enumerate(ASKED.items()):
            send({"id": f"ask{number}", "method": method, "params": params})

    def answered(self, message: Json) -> None:
        self.heard.append(message.get("error", {}).get("message", "granted"))
        if len(self.heard) == len(ASKED):
            say(self.asking, "; ".join(sorted(self.heard)))


ASKED: Mapping[str, Json] = {
    "elicitation/create": {
        "message": "Your password?",
        "requestedSchema": {"type": "object", "properties": {"word": {"type": "string"}}},
    },
    "sampling/createMessage": {"messages": [], "maxTokens": 9},
    "roots/list": {},
}

if __name__ == "__main__":
    script = json.loads(Path(sys.argv[1]).read_text())
    if script.get("how") == "stays":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Server(script).serve()
