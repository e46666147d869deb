# SPDX-License-Identifier: Apache-2.0
"""How NCCL sees a machine, recomputed from a topology dump without a GPU.

>>> import orrery
>>> plan = orrery.load("topo.xml").analyze(release="2.27.7", hosts=2)
>>> plan.verdict
>>> plan.path(0, 1).bw
>>> plan.choose("AllReduce", 1 << 26)

Topology.analyze() gives a Plan with typed getters; Topology.ask() and Session.ask() answer every question of the
service as its JSON document. Errors are OrreryError. Bandwidths are in GB/s, times in microseconds, sizes in bytes.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

from . import _native
from .drawing import Drawing
from .errors import OrreryError
from .plan import Choice, Hop, Nic, Path, Plan, SearchGraph, Tree, Verdict
from .session import Limits, Session, session
from .topology import Cluster, Topology, check_log, check_perf, compare, detect, load, machine

if TYPE_CHECKING:
    from . import documents  # made by make_documents.py when a wheel is built

__all__ = [
    "Choice",
    "Cluster",
    "Drawing",
    "Hop",
    "Limits",
    "Nic",
    "OrreryError",
    "Path",
    "Plan",
    "SearchGraph",
    "Session",
    "Topology",
    "Tree",
    "Verdict",
    "ask",
    "check_log",
    "check_perf",
    "compare",
    "detect",
    "library_version",
    "load",
    "machine",
    "machines",
    "releases",
    "session",
    "settings",
]
__version__ = "0.2.0"


def ask(question: str, data: Optional[bytes] = None, **parameters: Any) -> Any:
    """Any question of the service, answered by the default session: Session.ask()."""
    return session().ask(question, data, **parameters)


def library_version() -> str:
    """The version of the library that is in use."""
    return _native.library().orr_library_version().decode()


def _names(function: Any) -> List[str]:
    found: List[str] = []
    while (name := function(len(found))) is not None:
        found.append(name.decode())
    return found


def releases() -> List[str]:
    """The NCCL releases that can be emulated, oldest first."""
    return _names(_native.library().orr_library_release)


def settings() -> List[str]:
    """The names of the NCCL settings that Orrery understands."""
    return _names(_native.library().orr_library_setting)


def machines() -> List[documents.MachinesAnswerMachinesItem]:
    """The known machine types."""
    return session().ask("machines")["machines"]
