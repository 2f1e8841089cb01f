"""What all calls share: the store and its thread, the streams to wake, the faults in force, the log."""

from collections.abc import Callable
from typing import TypeVar

from ..serving import StoreThread
from .faults import InboxFaultPlan
from .request_log import RequestLog
from .store import InboxStore
from .updates import Updates

_T = TypeVar("_T")


class Desk:
    def __init__(self, store: InboxStore, faults: InboxFaultPlan, keep_alive: float, retry_milliseconds: int) -> None:
        self.store = store
        self.faults = faults
        self.log = RequestLog()
        self._thread = StoreThread()
        self.updates = Updates(store, self._thread, keep_alive, retry_milliseconds)

    async def run(self, work: Callable[[], _T]) -> _T:
        """Does something with the store, and wakes the streams that it concerns."""

        def work_and_tell() -> tuple[_T, frozenset[str]]:
            return work(), self.store.take_touched()

        result, touched = await self._thread.run(work_and_tell)
        self.updates.bells.ring(touched)
        return result

    async def close(self) -> None:
        await self._thread.run(self.store.close)
        self._thread.close()
