# SPDX-License-Identifier: Apache-2.0
"""Graphs for NetworkX and tables for pandas, which are imported at first use."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List

if TYPE_CHECKING:
    import networkx
    import pandas

    from .plan import Plan


def networkx_of(plan: "Plan", what: str, channel: int) -> "networkx.MultiDiGraph":
    import networkx

    graph = networkx.MultiDiGraph(release=plan.release, what=what)
    if what == "system":
        system = plan["system"]
        for device in system["nodes"]:
            graph.add_node(device["id"], **{key: value for key, value in device.items() if key != "id"})
        for from_, to, link, bw in system["links"]:
            graph.add_edge(from_, to, link=link, bw=bw)
    elif what == "ring":
        ring = plan.ring(channel)
        graph.add_edges_from(zip(ring, ring[1:] + ring[:1]))
    elif what == "tree":
        tree = plan.tree(channel)
        graph.add_nodes_from(range(len(tree)))
        graph.add_edges_from((rank, child) for rank, place in enumerate(tree) for child in place.children)
    else:
        raise ValueError(f'there is no graph "{what}"; there are system, ring and tree')
    return graph


def _tuning(plan: "Plan") -> List[Dict[str, Any]]:
    tuning = plan["tuning"]
    return [
        {
            "collective": collective,
            "algorithm": algorithm,
            "protocol": protocol,
            "bw": bw,
            "latency": tuning["latencies"][collective][algorithm][protocol],
        }
        for collective, algorithms in tuning["bandwidths"].items()
        for algorithm, protocols in algorithms.items()
        for protocol, bw in protocols.items()
        if bw
    ]


def _predictions(plan: "Plan") -> List[Dict[str, Any]]:
    found = plan["predictions"]
    return [
        {
            "collective": collective,
            "algorithm": way["algorithm"],
            "protocol": way["protocol"],
            "size": size,
            "time": time,
        }
        for collective, function in found["functions"].items()
        for way in function["ways"]
        for size, time in zip(found["sizes"], way["times"])
    ]


# The function that makes the rows of each table.
TABLES: Dict[str, Callable[["Plan"], List[Dict[str, Any]]]] = {
    "paths": lambda plan: plan["paths"],
    "links": lambda plan: [dict(zip(("from", "to", "link", "bw"), link)) for link in plan["system"]["links"]],
    "devices": lambda plan: plan["system"]["nodes"],
    "findings": lambda plan: plan["findings"],
    "p2p": lambda plan: plan["p2p"],
    "gdr": lambda plan: plan["gdr"],
    "graphs": lambda plan: plan["graphs"],
    "tuning": _tuning,
    "predictions": _predictions,
}


def pandas_of(plan: "Plan", what: str) -> "pandas.DataFrame":
    import pandas

    if what not in TABLES:
        raise ValueError(f'there is no table "{what}"; there are {", ".join(TABLES)}')
    return pandas.DataFrame(TABLES[what](plan))
