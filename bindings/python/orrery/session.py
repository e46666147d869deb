# SPDX-License-Identifier: Apache-2.0
"""Sessions: any question of the service, answered in this process; limits of calls."""
from __future__ import annotations

import ctypes
import json
import threading
import weakref
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _native

if TYPE_CHECKING:  # made by make_documents.py when a wheel is built
    from .documents import Ask

__all__ = ["Limits", "Session", "session"]


class Limits(_native.Held):
    """Time and memory that one call may use, and its stop flag. One call at a time uses it.

    >>> limits = orrery.Limits(seconds=2, memory=1 << 30)
    >>> orrery.load("topo.xml").analyze(hosts=64, limits=limits)
    """

    def __init__(self, seconds: float = 0, memory: int = 0, unpacked: int = 0, entries: int = 0) -> None:
        """seconds: wall-clock time; memory: bytes; unpacked, entries: bytes and files of an archive. 0 means no
        limit."""
        library, handle = _native.library(), c_void_p()
        if not library.orr_limits_new(byref(handle), _native.report_at()):
            raise _native.fail()
        self._handle = handle
        self._free = weakref.finalize(self, library.orr_limits_free, handle)
        library.orr_limits_time(handle, max(1, round(seconds * 1000)) if seconds > 0 else 0)
        library.orr_limits_memory(handle, memory)
        library.orr_limits_unpacked(handle, unpacked)
        library.orr_limits_entries(handle, entries)

    def stop(self) -> None:
        """Ends the call that uses the limits, and later ones until resume(). Any thread may call it."""
        _native.library().orr_limits_stop(self._handle)

    def resume(self) -> None:
        """Allows calls again after stop()."""
        _native.library().orr_limits_resume(self._handle)


def _handle_of(limits: Optional[Limits]) -> Optional[c_void_p]:
    return limits._handle if limits is not None else None


class Session(_native.Held):
    """Keeps inputs and answers in memory. Any number of threads may use one. Most programs need no session of their
    own: `orrery.session()` is made at first use."""

    def __init__(self, program: Optional[str] = None, cache: int = 0, largest: int = 0) -> None:
        """program: the program `orrery`, for drawings and detection; cache: bytes of answers that are kept (256 MiB);
        largest: bytes of the largest input (16 MiB)."""
        library, handle = _native.library(), c_void_p()
        options = _native.SessionOptions((program or _native.program()).encode(), cache, largest)
        if not library.orr_session_new(byref(options), byref(handle), _native.report_at()):
            raise _native.fail()
        self._handle = handle
        self._free = weakref.finalize(self, library.orr_session_free, handle)

    def ask_bytes(
        self,
        question: str,
        data: Union[bytes, str, None] = None,
        *,
        limits: Optional[Limits] = None,
        source: str = "",
        **parameters: Any,
    ) -> "tuple[str, bytes]":
        """Like ask(), but returns the media type and the unparsed bytes."""
        library, handle = _native.library(), c_void_p()
        sent = data.encode() if isinstance(data, str) else data or b""
        if not library.orr_ask(
            self._handle,
            question.encode(),
            _native.parameters(parameters),
            sent,
            len(sent),
            _handle_of(limits),
            byref(handle),
            _native.report_at(),
        ):
            raise _native.fail(source)
        return _native.document(handle)

    if TYPE_CHECKING:
        ask: Ask  # each question has the type of its answer
    else:

        def ask(self, question, data=None, *, limits=None, source="", **parameters) -> Any:
            """Asks any question of the service: "analyze", "explain", "predict", "place", "compare", "releases", or a
            route, such as "GET /v1/topologies/ID/findings". Returns the JSON document as Python values (its types are
            in orrery.documents), any other answer as bytes.

            Parameters are those of docs/reference/rest.md: release="2.27.7", hosts=2, NCCL_CROSS_NIC=1, from_="rank:0".
            """
            kind, answer = self.ask_bytes(question, data, limits=limits, source=source, **parameters)
            return json.loads(answer) if kind == "application/json" else answer

    def keep(self, data: Union[bytes, str], name: str = "", *, limits: Optional[Limits] = None) -> str:
        """Keeps an input and returns its id, by which questions name it."""
        library = _native.library()
        sent = data.encode() if isinstance(data, str) else data
        made = ctypes.create_string_buffer(_native.ID_SIZE)
        if not library.orr_session_keep(
            self._handle, sent, len(sent), name.encode() or None, _handle_of(limits), made, _native.report_at()
        ):
            raise _native.fail(name)
        return made.value.decode()


_default: Optional[Session] = None
_lock = threading.Lock()


def session() -> Session:
    """The session that is used if none is given."""
    global _default
    with _lock:
        if _default is None:
            _default = Session()
        return _default
