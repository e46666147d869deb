# SPDX-License-Identifier: Apache-2.0
"""Plans: what NCCL decides on a machine, with typed getters, tables, graphs and drawings."""
from __future__ import annotations

import json
from ctypes import byref, c_double, c_int32, c_void_p, create_string_buffer
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Union

from . import _native, drawing, frames
from .session import Limits, _handle_of

if TYPE_CHECKING:
    import networkx as nx
    import pandas

    from . import documents  # made by make_documents.py when a wheel is built
    from .topology import Topology

__all__ = ["Choice", "Hop", "Nic", "Path", "Plan", "SearchGraph", "Tree", "Verdict"]

Device = Union[str, int]


@dataclass(frozen=True)
class Hop:
    """One link of a path. `bw` is in GB/s."""

    from_: str
    to: str
    link: str
    bw: float


@dataclass(frozen=True)
class Path:
    """The best path between two devices. `bw`, in GB/s, is the lowest bandwidth of its links."""

    type: str
    meaning: str
    origin: str
    bw: float
    hops: int
    narrowest: Optional[int]
    """The hop with the lowest bandwidth, from 0; None: the path has no hops."""


@dataclass(frozen=True)
class Verdict:
    """Whether NCCL uses P2P or GPUDirect RDMA, and the rule that decided. It is true or false like `allowed`."""

    allowed: bool
    mode: int
    """NCCL's number of the mode; 0: no."""
    rule: str
    level: str
    """The farthest path type that is allowed; "" where the rule compares no types."""
    actual: str

    def __bool__(self) -> bool:
        return self.allowed


@dataclass(frozen=True)
class Nic:
    """The NIC by which a rank reaches other hosts. With PXN, `proxy_rank` is another rank of the host."""

    net: str
    proxy_rank: int


@dataclass(frozen=True)
class SearchGraph:
    """A graph that NCCL's search found for one host. Bandwidths are in GB/s, of one channel."""

    name: str
    pattern: int
    channels: int
    bw_intra: float
    bw_inter: float
    type_intra: str
    type_inter: str


@dataclass(frozen=True)
class Tree:
    """Parent and children of one rank in the tree of a channel; the root's parent is None."""

    parent: Optional[int]
    children: Tuple[int, ...]


@dataclass(frozen=True)
class Choice:
    """The algorithm and protocol for a size. `time` is in microseconds, bandwidths are in GB/s."""

    algorithm: str
    protocol: str
    time: float
    alg_bw: float
    bus_bw: float
    channels: int
    threads: int


def _device(device: Device) -> bytes:
    """A rank as a number, or the name of a device."""
    return (f"rank:{device}" if isinstance(device, int) else device).encode()


def _text(value: Optional[bytes]) -> str:
    return (value or b"").decode()


class Plan(_native.Held):
    """What NCCL decides for one question about a topology; made by Topology.analyze().

    Typed getters (path(), p2p(), ring(), choose()) ask the library directly. `document` and plan["summary"] give the
    JSON document of /v1/analyze, parsed when it is first asked for.
    """

    # What-if programs make thousands of plans, so making one must cost little compared with the analysis.
    __slots__ = ("topology", "asked", "_library", "_handle", "_sections", "__weakref__")
    topology: "Topology"
    """The machine that was asked about."""
    asked: Dict[str, Any]
    """The parameters of the question."""

    def __init__(self, topology: "Topology", asked: Dict[str, Any], limits: Optional[Limits] = None) -> None:
        self._library, self._handle = topology._library, c_void_p()
        if not self._library.orr_plan_ask(
            topology._handle, _native.parameters(asked), _handle_of(limits), byref(self._handle), _native.report_at()
        ):
            raise _native.fail(topology.name)
        self.topology, self.asked = topology, asked
        self._sections: Dict[Optional[str], Any] = {}

    def __del__(self) -> None:
        self._library.orr_plan_free(self._handle)

    # The document

    def json(self, section: Optional[str] = None, *, limits: Optional[Limits] = None) -> bytes:
        """The JSON document of /v1/analyze as bytes, or one section of it, such as "paths"."""
        handle = c_void_p()
        if not self._library.orr_plan_document(
            self._handle,
            section.encode() if section else None,
            None,
            _handle_of(limits),
            byref(handle),
            _native.report_at(),
        ):
            raise _native.fail(self.topology.name)
        return _native.document(handle)[1]

    def __getitem__(self, section: str) -> Any:
        """One section of the document, such as plan["graphs"]. KeyError if there is none."""
        if section not in self._sections:
            try:
                self._sections[section] = json.loads(self.json(section))
            except _native.OrreryError as error:
                if error.code == "not-found":
                    raise KeyError(section) from None
                raise
        return self._sections[section]

    @property
    def document(self) -> documents.Analysis:
        """The whole document."""
        if None not in self._sections:
            self._sections[None] = json.loads(self.json())
        return self._sections[None]

    @property
    def release(self) -> str:
        """The NCCL release whose rules were used."""
        return self["nccl"]

    @property
    def summary(self) -> documents.AnalysisSummary:
        """The machine and the verdict in brief."""
        return self["summary"]

    @property
    def verdict(self) -> str:
        """The verdict as one sentence."""
        return self.summary["verdict"]["sentence"]

    @property
    def findings(self) -> List[documents.Finding]:
        """Findings about the machine with their costs, the most severe first."""
        return self["findings"]

    # What is typed

    @property
    def ranks(self) -> int:
        """The number of ranks on all hosts."""
        return self._library.orr_plan_ranks(self._handle)

    @property
    def local_ranks(self) -> int:
        """The number of ranks on one host."""
        return self._library.orr_plan_local_ranks(self._handle)

    @property
    def channels(self) -> int:
        """The number of channels of the communicator."""
        return self._library.orr_plan_channels(self._handle)

    @property
    def devices(self) -> List[str]:
        """The names of the devices of a host: GPU/0-1b000, CPU/0-0, NET/0-1."""
        name, found = create_string_buffer(_native.NAME_SIZE), list[str]()
        while self._library.orr_plan_device(self._handle, len(found), name):
            found.append(name.value.decode())
        return found

    def path(self, from_: Device, to: Device) -> Path:
        """The best path between two devices: ranks as numbers, names ("NET/0-0") or bus ids."""
        path = _native.PathStruct()
        if not self._library.orr_plan_path(self._handle, _device(from_), _device(to), byref(path), _native.report_at()):
            raise _native.fail(self.topology.name)
        return Path(
            _text(path.type),
            _text(path.meaning),
            _text(path.origin),
            path.bw,
            path.hops,
            path.narrowest if path.narrowest >= 0 else None,
        )

    def hops(self, from_: Device, to: Device) -> List[Hop]:
        """The links of a path, in order."""
        hop, a, b = _native.HopStruct(), _device(from_), _device(to)
        found = []
        for i in range(self.path(from_, to).hops):
            if not self._library.orr_plan_hop(self._handle, a, b, i, byref(hop), _native.report_at()):
                raise _native.fail(self.topology.name)
            found.append(Hop(_text(hop.from_), _text(hop.to), _text(hop.link), hop.bw))
        return found

    def p2p(self, a: int, b: int) -> Verdict:
        """May two ranks of one host use peer-to-peer access?"""
        verdict = _native.VerdictStruct()
        if not self._library.orr_plan_p2p(self._handle, a, b, byref(verdict), _native.report_at()):
            raise _native.fail(self.topology.name)
        return _verdict(verdict)

    def gdr(self, rank: int, net: str, sends: bool = True) -> Verdict:
        """May a rank of one host use GPUDirect RDMA with a NIC ("NET/0-1"), to send or to receive?"""
        verdict = _native.VerdictStruct()
        if not self._library.orr_plan_gdr(self._handle, rank, net.encode(), sends, byref(verdict), _native.report_at()):
            raise _native.fail(self.topology.name)
        return _verdict(verdict)

    def nic(self, rank: int, channel: int = 0) -> Nic:
        """The NIC by which a rank of one host reaches other hosts, for a channel of the ring graph."""
        nic = _native.NicStruct()
        if not self._library.orr_plan_nic(self._handle, rank, channel, byref(nic), _native.report_at()):
            raise _native.fail(self.topology.name)
        return Nic(_text(nic.net), nic.proxy_rank)

    @property
    def graphs(self) -> List[SearchGraph]:
        """The graphs of rank 0: ring, tree, NVLS, CollNet."""
        graph, found = _native.GraphStruct(), list[SearchGraph]()
        while self._library.orr_plan_graph(self._handle, len(found), byref(graph)):
            found.append(
                SearchGraph(
                    _text(graph.name),
                    graph.pattern,
                    graph.channels,
                    graph.bw_intra,
                    graph.bw_inter,
                    _text(graph.type_intra),
                    _text(graph.type_inter),
                )
            )
        return found

    def ring(self, channel: int = 0) -> List[int]:
        """The ranks of a channel's ring, beginning with rank 0. IndexError if there is no such channel."""
        ring = self._library.orr_plan_ring(self._handle, channel) if channel >= 0 else None
        if not ring:
            raise IndexError(f"there is no channel {channel}; there are {self.channels}")
        return ring[: self.ranks]

    def tree(self, channel: int = 0) -> List[Tree]:
        """Parent and children of each rank in a channel's tree. IndexError if there is none."""
        up, down, found = c_int32(), (c_int32 * _native.TREE_CHILDREN)(), []
        for rank in range(self.ranks):
            if channel < 0 or not self._library.orr_plan_tree(self._handle, channel, rank, byref(up), byref(down)):
                raise IndexError(f"there is no tree of channel {channel}")
            found.append(Tree(up.value if up.value >= 0 else None, tuple(child for child in down if child >= 0)))
        return found

    def choose(self, collective: str, size: int) -> Choice:
        """NCCL's choice for a sum of 32-bit floats. collective: "AllReduce" or the like; size: of the buffer in
        bytes."""
        if not 0 <= size < 1 << 64:  # ctypes would cut the number off
            raise OverflowError(f"the size of a buffer has 64 bits, which {size} exceeds")
        choice = _native.ChoiceStruct()
        if not self._library.orr_plan_choose(
            self._handle, collective.encode(), size, byref(choice), _native.report_at()
        ):
            raise _native.fail(self.topology.name)
        return Choice(
            _text(choice.algorithm),
            _text(choice.protocol),
            choice.time,
            choice.alg_bw,
            choice.bus_bw,
            choice.channels,
            choice.threads,
        )

    def cost(self, collective: str, algorithm: str, protocol: str) -> Tuple[float, float]:
        """Bandwidth (GB/s, 0 if not available) and latency (microseconds) of an algorithm in NCCL's tuning model."""
        bw, latency = c_double(), c_double()
        if not self._library.orr_plan_cost(
            self._handle,
            collective.encode(),
            algorithm.encode(),
            protocol.encode(),
            byref(bw),
            byref(latency),
            _native.report_at(),
        ):
            raise _native.fail(self.topology.name)
        return bw.value, latency.value

    # Further questions with the same parameters

    def explain(
        self, decision: str, from_: Optional[Device] = None, to: Optional[Device] = None, **more: Any
    ) -> documents.Explanation:
        """Why NCCL decided so: "path", "p2p", "gdr", "nic", "pxn", "graph", "tree", "channels", "nvls" or
        "algorithm"."""
        ends = {name: _device(end).decode() for name, end in (("from", from_), ("to", to)) if end is not None}
        return self._ask("explain", decision=decision, **ends, **more)

    def diff(self, *against: str) -> documents.Diff:
        """What changes with another release ("2.21.5") or setting ("NCCL_CROSS_NIC=1"), and what changes it."""
        return self._ask("diff", against=against)

    def predict(self, collective: str = "all_reduce", **more: Any) -> documents.Predicted:
        """The expected table of nccl-tests."""
        return self._ask("predict", collective=collective, **more)

    def _ask(self, question: str, **more: Any) -> Any:
        return self.topology.ask(question, **{**self.asked, **more})

    # Drawings, graphs and tables

    def draw(self, view: str = "system", channel: int = 0, format: str = "svg", **more: Any) -> "drawing.Drawing":
        """A drawing: view "system", "ring", "tree", "path" (with from_ and to) or "collnet_direct"; format "svg",
        "png", "pdf" or "dot". A notebook shows it."""
        return drawing.draw(self.topology, {**self.asked, "view": view, "channel": channel, "format": format, **more})

    def networkx(self, what: str = "system", channel: int = 0) -> "nx.MultiDiGraph":
        """The graph of devices and links ("system"), or of ranks in a channel ("ring", "tree"), for NetworkX."""
        return frames.networkx_of(self, what, channel)

    def table(self, what: str = "paths") -> "pandas.DataFrame":
        """A table for pandas: "paths", "links", "devices", "findings", "p2p", "gdr", "graphs", "tuning" or
        "predictions"."""
        return frames.pandas_of(self, what)

    def _repr_html_(self) -> str:
        return drawing.html_of(self)

    def _repr_svg_(self) -> Optional[str]:
        return drawing.svg_or_none(self)

    def __repr__(self) -> str:
        return (
            f"<Plan of {self.topology.name or self.topology.id}: NCCL {self.release}, {self.ranks} ranks, "
            f"{self.channels} channels>"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.document)


def _verdict(verdict: "_native.VerdictStruct") -> Verdict:
    return Verdict(
        verdict.verdict != 0, verdict.verdict, _text(verdict.rule), _text(verdict.level), _text(verdict.actual)
    )
