# SPDX-License-Identifier: Apache-2.0
"""Topologies: inputs that were read, and the questions about them."""
from __future__ import annotations

import os
import weakref
from ctypes import byref, c_void_p
from typing import IO, TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

from . import _native, drawing
from .errors import OrreryError
from .plan import Plan
from .session import Limits, Session, _handle_of, session as default_session

if TYPE_CHECKING:
    from . import documents  # made by make_documents.py when a wheel is built

__all__ = ["Cluster", "Topology", "check_log", "check_perf", "compare", "detect", "load", "machine"]

Source = Union[str, "os.PathLike[str]", bytes, IO[bytes]]


def _read(source: Any) -> "tuple[bytes, str]":
    """The bytes of a path, of bytes or of an open file, and their name."""
    if isinstance(source, bytes):
        return source, ""
    if hasattr(source, "read"):
        data = source.read()
        return (data.encode() if isinstance(data, str) else data), os.path.basename(str(getattr(source, "name", "")))
    if not isinstance(source, (str, os.PathLike)):  # open() would take a number for a file descriptor
        raise TypeError(f"a path, bytes or an open file is needed, not {type(source).__name__!r}")
    with open(source, "rb") as file:
        return file.read(), os.path.basename(os.fspath(source))


class Topology(_native.Held):
    """A machine as it was read. Make it with load() or machine()."""

    def __init__(
        self,
        data: bytes,
        name: str = "",
        *,
        assume: Optional[str] = None,
        session: Optional[Session] = None,
        limits: Optional[Limits] = None,
        **reading: Any,
    ) -> None:
        library, handle = _native.library(), c_void_p()
        if assume is not None:
            reading["assume"] = assume
        if not library.orr_machine_load(
            data, len(data), _native.parameters(reading), _handle_of(limits), byref(handle), _native.report_at()
        ):
            raise _native.fail(name)
        self.data = data
        """The bytes of the input; empty for a machine type."""
        self.name = name
        """What the input is called; may be empty."""
        self._library, self._handle = library, handle
        self._free = weakref.finalize(self, library.orr_machine_free, handle)
        self._session = session
        self._reading: Dict[str, Any] = reading

    @property
    def id(self) -> str:
        """The id that the service gives to the input: the beginning of its SHA-256."""
        return self._library.orr_machine_id(self._handle).decode()

    @property
    def refusal(self) -> Optional[OrreryError]:
        """The reason why NCCL's own reader would refuse this file; None if it would read it."""
        return _native.fail(self.name) if self._library.orr_machine_refused(self._handle, _native.report_at()) else None

    def analyze(self, *, limits: Optional[Limits] = None, **asked: Any) -> Plan:
        """What NCCL decides on this machine.

        Parameters are those of `orrery analyze`: release="2.27.7", hosts=2, gpus=[0, 1], nics="mlx5_0", fuse_nics="on",
        and settings by their names, such as NCCL_CROSS_NIC=1. The newest verified release and one host are the
        defaults.
        """
        return Plan(self, asked, limits)

    if TYPE_CHECKING:
        ask: documents.AskAbout
    else:

        def ask(self, question, *, limits=None, **parameters) -> Any:
            """Any question about this machine, such as ask("path", from_="rank:0", to="rank:1"): the JSON document."""
            return self._asked_by().ask(
                question, self.data, limits=limits, source=self.name, **{**self._reading_for(question), **parameters}
            )

    def findings(self, **parameters: Any) -> documents.Findings:
        """Findings that need no analysis; Plan.findings has all, with their cost."""
        return self.ask("findings", **parameters)

    def place(self, count: Optional[int] = None, **parameters: Any) -> documents.Placing:
        """Chooses the GPUs for a job by predicted bandwidth."""
        return self.ask("place", count=count, **parameters)

    def gate(self, expect: str, **parameters: Any) -> documents.Gate:
        """Is the node fit, compared with a machine type?"""
        return self.ask("gate", expect=expect, **parameters)

    def xml(self, **parameters: Any) -> bytes:
        """The machine as NCCL's XML, whatever the input was."""
        return self.ask("convert", **parameters)

    def check_log(self, log: Source, **parameters: Any) -> documents.LogCheck:
        """Compares an NCCL debug log with the prediction for this machine, and says whether the job worked."""
        data, name = _read(log)
        return self._asked_by().ask(f"POST /v1/topologies/{self.keep()}/log", data, source=name, **parameters)

    def check_perf(self, results: Source, **parameters: Any) -> documents.PerfTable:
        """Judges results of nccl-tests by the prediction for this machine."""
        data, name = _read(results)
        return self._asked_by().ask(f"POST /v1/topologies/{self.keep()}/perf", data, source=name, **parameters)

    def keep(self) -> str:
        """Keeps the input in the session, so that questions about several inputs can name it; gives its id."""
        if self.data:
            return self._asked_by().keep(self.data, self.name)
        return self._asked_by().ask("topologies", **self._reading_for("topologies"))["id"]

    def _asked_by(self) -> Session:
        return self._session or default_session()

    def _reading_for(self, question: str) -> Dict[str, Any]:
        """The parameters with which the input was read, if the question accepts them."""
        return {name: value for name, value in self._reading.items() if name in ("assume", "assume_nics", "machine")}

    def _repr_html_(self) -> str:
        return drawing.html_of(self.analyze())

    def _repr_svg_(self) -> Optional[str]:
        return drawing.svg_or_none(self.analyze())

    def __repr__(self) -> str:
        return f"<Topology {self.name or self.id}>"


def load(source: Source, **reading: Any) -> Topology:
    """Reads a machine: a path, bytes or an open file. All inputs of the program are recognised: NCCL's XML, nvidia-smi
    topo -m, hwloc, a debug log, an archive of `orrery gather`. assume="hgx-h100" fills in what the input lacks."""
    data, name = _read(source)
    return Topology(data, name, **reading)


def machine(type: str, **reading: Any) -> Topology:
    """A machine of a known type, such as "hgx-h100", in place of a file."""
    return Topology(b"", type, machine=type, **reading)


def compare(a: Topology, b: Union[Topology, str], **parameters: Any) -> Union[documents.Comparison, documents.Majority]:
    """Compares two machines by the role of their devices. b may be the name of a machine type."""
    other: Dict[str, Any] = {"machine": b} if isinstance(b, str) else {"b": b.keep()}
    return a._asked_by().ask("compare", a=a.keep(), **other, **parameters)


def check_log(log: Source, *, session: Optional[Session] = None, **parameters: Any) -> documents.LogCheck:
    """Says whether the job of an NCCL debug log worked, and compares it with the machine that the log prints, or with
    machine="hgx-h100"."""
    data, name = _read(log)
    return (session or default_session()).ask("check-log", data, source=name, **parameters)


def check_perf(results: Source, *, session: Optional[Session] = None, **parameters: Any) -> documents.PerfTable:
    """Judges results of nccl-tests for machine="hgx-h100", or for the machine that NCCL's lines in them print."""
    data, name = _read(results)
    return (session or default_session()).ask("check-perf", data, source=name, **parameters)


def detect(*, session: Optional[Session] = None, **parameters: Any) -> Topology:
    """Detects this machine with the program `orrery`."""
    used = session or default_session()
    made = used.ask("detect", **parameters)
    return Topology(
        used.ask_bytes(f"GET /v1/topologies/{made['id']}/source")[1], made.get("name") or "this machine", session=used
    )


class Cluster:
    """Different hosts in one communicator.

    >>> cluster = orrery.Cluster([(a, 2), (b, 1)])
    >>> cluster.ask("analysis/summary", release="2.27.7")
    """

    def __init__(self, hosts: Sequence[Any], *, session: Optional[Session] = None, **more: Any) -> None:
        """hosts: topologies, pairs of a topology and a number of hosts, or what the field "hosts" of a cluster file may
        hold; more: further fields of a cluster file, such as name="pod"."""
        import json

        self._session = session or default_session()
        listed: List[Any] = []
        for host in hosts:
            topology, count = host if isinstance(host, tuple) else (host, 1)
            listed.append({"topology": topology.keep(), "count": count} if isinstance(topology, Topology) else topology)
        self.id: str = self._session.ask("clusters", json.dumps({"hosts": listed, **more}))["id"]
        """The id of the cluster in its session."""

    def ask(self, question: str = "analysis", *, limits: Optional[Limits] = None, **parameters: Any) -> Any:
        """A question about the cluster: "analysis", "analysis/SECTION", "explain", "predict", "findings", "groups",
        "order", "channels", "p2p" or "diagram.svg"."""
        return self._session.ask(f"GET /v1/clusters/{self.id}/{question}", limits=limits, **parameters)

    def analyze(self, **asked: Any) -> documents.Analysis:
        """What NCCL decides on the cluster: the JSON document."""
        return self.ask("analysis", **asked)

    def _repr_svg_(self) -> Optional[str]:
        try:
            return self.ask("diagram.svg").decode()
        except OrreryError:
            return None

    def __repr__(self) -> str:
        return f"<Cluster {self.id}>"
