# SPDX-License-Identifier: Apache-2.0
"""liborrery through ctypes: its structures, its functions, and the encoding of parameters. Nothing here is for
users."""
from __future__ import annotations

import ctypes
import os
import pathlib
import re
import threading
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int32,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Iterable, List, Optional, Tuple
from urllib.parse import quote_plus

from .errors import OrreryError

SONAME = "liborrery.so.0.2"
NAME_SIZE, ID_SIZE, TREE_CHILDREN = 40, 33, 3


class Sized(Structure):
    """A structure that begins with its size, which the constructor sets, as ORR_..._INIT does in C."""

    def __init__(self, *values: Any) -> None:
        super().__init__(ctypes.sizeof(type(self)), *values)


class Report(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("code", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
        ("error", c_int32),
        ("where", c_char * 96),
        ("text", c_char * 256),
        ("advice", c_char * 192),
    ]


class SessionOptions(Sized):
    _fields_ = [("size", c_size_t), ("program", c_char_p), ("cache", c_uint64), ("largest", c_uint64)]


class PathStruct(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("type", c_char_p),
        ("meaning", c_char_p),
        ("origin", c_char_p),
        ("bw", c_double),
        ("hops", c_uint32),
        ("narrowest", c_int32),
    ]


class HopStruct(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("from_", c_char * NAME_SIZE),
        ("to", c_char * NAME_SIZE),
        ("link", c_char_p),
        ("bw", c_double),
    ]


class VerdictStruct(Sized):
    _fields_ = [("size", c_size_t), ("verdict", c_int32), ("rule", c_char_p), ("level", c_char_p), ("actual", c_char_p)]


class NicStruct(Sized):
    _fields_ = [("size", c_size_t), ("net", c_char * NAME_SIZE), ("proxy_rank", c_int32)]


class GraphStruct(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("pattern", c_int32),
        ("channels", c_int32),
        ("bw_intra", c_double),
        ("bw_inter", c_double),
        ("type_intra", c_char_p),
        ("type_inter", c_char_p),
    ]


class ChoiceStruct(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("algorithm", c_char_p),
        ("protocol", c_char_p),
        ("time", c_double),
        ("alg_bw", c_double),
        ("bus_bw", c_double),
        ("channels", c_int32),
        ("threads", c_int32),
    ]


REPORT, HANDLE, OUT = POINTER(Report), c_void_p, POINTER(c_void_p)
# Each function of the header: its result and its parameters.
FUNCTIONS = {
    "orr_library_version": (c_char_p, []),
    "orr_library_release": (c_char_p, [c_size_t]),
    "orr_library_setting": (c_char_p, [c_size_t]),
    "orr_limits_new": (c_bool, [OUT, REPORT]),
    "orr_limits_free": (None, [HANDLE]),
    "orr_limits_time": (None, [HANDLE, c_uint64]),
    "orr_limits_memory": (None, [HANDLE, c_uint64]),
    "orr_limits_unpacked": (None, [HANDLE, c_uint64]),
    "orr_limits_entries": (None, [HANDLE, c_uint64]),
    "orr_limits_stop": (None, [HANDLE]),
    "orr_limits_resume": (None, [HANDLE]),
    "orr_session_new": (c_bool, [POINTER(SessionOptions), OUT, REPORT]),
    "orr_session_free": (None, [HANDLE]),
    "orr_session_keep": (c_bool, [HANDLE, c_char_p, c_size_t, c_char_p, HANDLE, c_char_p, REPORT]),
    "orr_ask": (c_bool, [HANDLE, c_char_p, c_char_p, c_char_p, c_size_t, HANDLE, OUT, REPORT]),
    "orr_document_bytes": (c_void_p, [HANDLE, POINTER(c_size_t)]),
    "orr_document_type": (c_char_p, [HANDLE]),
    "orr_document_free": (None, [HANDLE]),
    "orr_machine_load": (c_bool, [c_char_p, c_size_t, c_char_p, HANDLE, OUT, REPORT]),
    "orr_machine_free": (None, [HANDLE]),
    "orr_machine_id": (c_char_p, [HANDLE]),
    "orr_machine_refused": (c_bool, [HANDLE, REPORT]),
    "orr_plan_ask": (c_bool, [HANDLE, c_char_p, HANDLE, OUT, REPORT]),
    "orr_plan_free": (None, [HANDLE]),
    "orr_plan_document": (c_bool, [HANDLE, c_char_p, c_char_p, HANDLE, OUT, REPORT]),
    "orr_plan_ranks": (c_uint32, [HANDLE]),
    "orr_plan_local_ranks": (c_uint32, [HANDLE]),
    "orr_plan_device": (c_bool, [HANDLE, c_size_t, c_char_p]),
    "orr_plan_path": (c_bool, [HANDLE, c_char_p, c_char_p, POINTER(PathStruct), REPORT]),
    "orr_plan_hop": (c_bool, [HANDLE, c_char_p, c_char_p, c_uint32, POINTER(HopStruct), REPORT]),
    "orr_plan_p2p": (c_bool, [HANDLE, c_uint32, c_uint32, POINTER(VerdictStruct), REPORT]),
    "orr_plan_gdr": (c_bool, [HANDLE, c_uint32, c_char_p, c_bool, POINTER(VerdictStruct), REPORT]),
    "orr_plan_nic": (c_bool, [HANDLE, c_uint32, c_uint32, POINTER(NicStruct), REPORT]),
    "orr_plan_cost": (c_bool, [HANDLE, c_char_p, c_char_p, c_char_p, POINTER(c_double), POINTER(c_double), REPORT]),
    "orr_plan_graph": (c_bool, [HANDLE, c_size_t, POINTER(GraphStruct)]),
    "orr_plan_channels": (c_uint32, [HANDLE]),
    "orr_plan_ring": (POINTER(c_int32), [HANDLE, c_uint32]),
    "orr_plan_tree": (c_bool, [HANDLE, c_uint32, c_uint32, POINTER(c_int32), POINTER(c_int32 * TREE_CHILDREN)]),
    "orr_plan_choose": (c_bool, [HANDLE, c_char_p, c_uint64, POINTER(ChoiceStruct), REPORT]),
}

_lock = threading.Lock()
_loaded: Optional[ctypes.CDLL] = None
_place = ""


def _candidates() -> Iterable[str]:
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("ORRERY_LIBRARY")
    if named and named != "none":
        yield named
        return
    yield str(here / "_lib" / "liborrery.so")  # what the wheel carries: the library alone,
    yield str(here / "_lib" / "lib" / "liborrery.so")  # or with the program and all other libraries
    yield str(here.parents[2] / "build" / "lib" / "liborrery.so")  # of a checkout
    yield SONAME  # what is installed


def library() -> ctypes.CDLL:
    """The library, loaded once. ImportError lists the places that were searched."""
    global _loaded, _place
    if _loaded is not None:
        return _loaded
    with _lock:
        if _loaded is not None:
            return _loaded
        tried: List[str] = []
        for place in _candidates():
            if "/" in place and not os.path.exists(place):
                tried.append(f"{place}: there is no such file")
                continue
            try:
                found = ctypes.CDLL(place)
            except OSError as error:
                tried.append(str(error))
                continue
            for name, (result, arguments) in FUNCTIONS.items():
                function = getattr(found, name)
                function.restype, function.argtypes = result, arguments
            _place, _loaded = place, found
            return found
    raise ImportError(
        "liborrery was not found. Install the package liborrery0.2, build it (./dev build), or name the file in "
        "ORRERY_LIBRARY. Tried: " + "; ".join(tried)
    )


def program() -> str:
    """The program `orrery`, which draws and detects: ORRERY_PROGRAM, or else beside the library, or else in PATH."""
    library()
    named = os.environ.get("ORRERY_PROGRAM")
    if named:
        return named
    beside = pathlib.Path(_place).resolve().parents if "/" in _place else ()
    for folder in beside:
        for place in (folder / "orrery", folder / "bin" / "orrery"):
            if place.is_file() and os.access(place, os.X_OK):
                return str(place)
    return "orrery"


# Parameters that take one list with commas; other lists repeat the parameter.
_JOINED = {"gpus", "nics", "free", "compare", "jobs", "hosts", "sizes"}


def _values(name: str, value: Any) -> Iterable[str]:
    if value is None:
        return
    if isinstance(value, bool):
        yield "1" if value else "0"
    elif isinstance(value, dict):  # label={"rack": "7"}
        for key, one in value.items():
            yield f"{key}={one}"
    elif isinstance(value, (list, tuple, set, range)):
        if name in _JOINED:
            yield ",".join(str(one) for one in value)
        else:
            for one in value:
                yield str(one)
    else:
        yield str(value)


_plain = re.compile(r"[A-Za-z0-9._:,^-]*", re.ASCII).fullmatch
_MOST_KNOWN = 4096
_known: "dict[tuple[str, type, Any], bytes]" = {}  # what-if questions repeat most of their parameters


def _written(name: str, value: Any) -> bytes:
    kind, asked = type(value), name[:-1] if name.endswith("_") else name
    if kind is not int and not (kind is str and _plain(value)):
        return "&".join(f"{asked}={quote_plus(text, safe=',:')}" for text in _values(asked, value)).encode()
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    written = _known[name, kind, value] = f"{asked}={value}".encode()
    return written


def parameters(given: "dict[str, Any]") -> bytes:
    """Keyword arguments as a query string: from_ is `from`; None is left out; lists are joined or repeated."""
    try:
        return b"&".join([_known[name, type(value), value] for name, value in given.items()])
    except (KeyError, TypeError):  # not in the cache yet, or not a number or a text
        return b"&".join([_written(name, value) for name, value in given.items()])


class Held:
    """An object with memory of the library: its copy is the object itself, and it cannot be pickled."""

    __slots__ = ()

    def __copy__(self) -> "Held":
        return self

    def __deepcopy__(self, memo: Any) -> "Held":
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle {type(self).__name__!r}: it holds memory of liborrery")


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.report = Report()
        self.report_at = byref(self.report)


_of_thread = _OfThread()


def report_at() -> Any:
    """The report that functions fill: each thread has one."""
    return _of_thread.report_at


def fail(name: str = "") -> OrreryError:
    """The exception for the report of this thread's last call."""

    def text(value: Optional[bytes]) -> str:
        return (value or b"").decode("utf-8", "replace")

    report = _of_thread.report
    return OrreryError(
        text(report.code) or "internal",
        text(report.text),
        text(report.where),
        report.line,
        report.column,
        text(report.advice),
        name,
    )


def document(handle: c_void_p) -> Tuple[str, bytes]:
    """The type and bytes of a document, which is then freed."""
    found, length = library(), c_size_t()
    try:
        start = found.orr_document_bytes(handle, byref(length))
        return (found.orr_document_type(handle) or b"").decode(), ctypes.string_at(start, length.value)
    finally:
        found.orr_document_free(handle)
