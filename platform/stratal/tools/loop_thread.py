"""An event loop in a thread of its own, for the one library that speaks async."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future, wait
from threading import Thread
from typing import TypeVar

from stratal.errors import ToolServerError, TurnCancelled
from stratal.tools.invocation import never

Result = TypeVar("Result")

GLANCE = 0.05  # seconds between two looks at whether somebody cancelled; a result is seen at once


class LoopThread:
    """A loop that runs until `close`; it does not keep the process alive."""

    def __init__(self, name: str) -> None:
        self._ended = asyncio.Event()
        running: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = Thread(
            target=lambda: asyncio.run(self._serve(running)), name=name, daemon=True
        )
        self._thread.start()
        self._loop = running.result()

    def wait_for(
        self,
        work: Coroutine[object, object, Result],
        cancelled: Callable[[], bool] = never,
        *,
        seconds: float = float("inf"),
    ) -> Result:
        """What `work` gives; whatever ends the waiting, Ctrl-C too, cancels it.

        Raises what `work` raises, `TurnCancelled` once `cancelled` says so, `ToolServerError` when
        the loop is closed under it, `TimeoutError` after about `seconds`.
        """
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        waited = 0.0
        try:
            while not wait([future], timeout=GLANCE).done:
                waited += GLANCE
                if cancelled():
                    raise TurnCancelled("nobody waits for the tool any more")
                if waited > seconds:
                    raise TimeoutError
            return future.result()
        except CancelledError as error:
            raise ToolServerError("the agent was closed while the tool ran") from error
        finally:
            future.cancel()

    def close(self, *, seconds: float) -> None:
        """End the loop; what is still in it is cancelled, and left alone after `seconds`."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(seconds)

    async def _serve(self, running: Future[asyncio.AbstractEventLoop]) -> None:
        running.set_result(asyncio.get_running_loop())
        await self._ended.wait()
