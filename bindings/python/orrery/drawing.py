# SPDX-License-Identifier: Apache-2.0
"""Drawings, and the display in notebooks."""
from __future__ import annotations

import html
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Optional

from .errors import OrreryError

if TYPE_CHECKING:
    from .plan import Plan
    from .topology import Topology

__all__ = ["Drawing"]


@dataclass(frozen=True)
class Drawing:
    """A picture as bytes; a notebook shows SVG and PNG."""

    type: str
    data: bytes

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the picture to a file."""
        with open(path, "wb") as file:
            file.write(self.data)

    def _repr_svg_(self) -> Optional[str]:
        return self.data.decode() if self.type == "image/svg+xml" else None

    def _repr_png_(self) -> Optional[bytes]:
        return self.data if self.type == "image/png" else None

    def __repr__(self) -> str:
        return f"<Drawing {self.type}, {len(self.data)} bytes>"


def draw(topology: "Topology", asked: Dict[str, Any]) -> Drawing:
    kind, data = topology._asked_by().ask_bytes(
        "render", topology.data, source=topology.name, **{**topology._reading_for("render"), **asked}
    )
    return Drawing(kind, data)


def svg_or_none(plan: "Plan") -> Optional[str]:
    """The drawing of the machine; None if the program that draws is missing."""
    try:
        return plan.draw()._repr_svg_()
    except OrreryError as error:
        if error.code != "render-failed":
            raise
        return None


_COLOURS = {"error": "#b3261e", "warning": "#8a5a00", "info": "#3d5a80"}


def html_of(plan: "Plan") -> str:
    """Verdict, findings and drawing."""
    summary = plan.summary
    said = [
        f"<p><b>{html.escape(plan.verdict)}</b></p>",
        f"<p>{html.escape(summary['machine']['sentence'])} NCCL {html.escape(plan.release)}, {plan.ranks} ranks, "
        f"{plan.channels} channels.</p>",
    ]
    if plan.findings:
        rows = "".join(
            f"<tr><td style='color:{_COLOURS.get(row['severity'], 'inherit')}'>{html.escape(row['severity'])}</td>"
            f"<td style='text-align:left'>{html.escape(row['title'])}</td>"
            f"<td style='text-align:left'>{html.escape(row['detail'])}</td></tr>"
            for row in plan.findings
        )
        said.append(
            "<table><thead><tr><th>Severity</th><th>Finding</th><th>Detail</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )
    svg = svg_or_none(plan)
    said.append(
        svg[svg.index("<svg") :]
        if svg
        else "<p>No drawing: the program <code>orrery</code> was not found. ORRERY_PROGRAM names it.</p>"
    )
    return "\n".join(said)
