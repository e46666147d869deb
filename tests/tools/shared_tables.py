# SPDX-License-Identifier: Apache-2.0
"""Tables about the files of ../shared, kept as Markdown in tests/golden so that a change of what Orrery recognises is
seen in review."""
import os
import pathlib
import sys

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


def hold(name, head, rows):
    """Prints the table where --table is asked for, writes it where ORR_UPDATE_GOLDEN is set; lines that differ from
    the kept one."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *lines]
    if "--table" in sys.argv[1:]:
        print("\n".join(lines))
    place = GOLDEN / name
    if os.environ.get("ORR_UPDATE_GOLDEN"):
        place.write_text("\n".join(lines) + "\n")
    kept = place.read_text().split("\n")[:-1] if place.exists() else []
    other = [f"-{line}" for line in kept if line not in lines] + [f"+{line}" for line in lines if line not in kept]
    return [f"{place.name} is another table (ORR_UPDATE_GOLDEN=1 writes it anew):", *other[:20]] if other else []
