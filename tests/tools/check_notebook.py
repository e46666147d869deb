#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes examples/python/orrery.ipynb without a network and compares the printed answers with those kept in it.
Pictures and tables in HTML must be there. ORR_UPDATE_GOLDEN=1 writes the answers into the notebook. The environment
says where the package is."""
import os
import pathlib
import sys

import nbclient
import nbformat

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python" / "orrery.ipynb"


def tidy(cell):
    """One stream in place of pieces; no picture beside HTML that has it; no times of execution."""
    cell.metadata, outputs = {}, []
    for output in cell.get("outputs", []):
        if (
            outputs
            and output["output_type"] == "stream" == outputs[-1]["output_type"]
            and output["name"] == outputs[-1]["name"]
        ):
            outputs[-1]["text"] += output["text"]
            continue
        if "text/html" in output.get("data", {}):
            output["data"].pop("image/svg+xml", None)
        outputs.append(output)
    if "outputs" in cell:
        cell.outputs = outputs


def texts(cell):
    """The compared outputs: printed lines and plain values; only the types of tables and pictures."""
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        yield output.get("text"), sorted(data), None if "<svg" in data.get("text/html", "") else data.get("text/plain")


def main():
    kept = nbformat.read(NOTEBOOK, as_version=4)
    now = nbformat.reads(nbformat.writes(kept), as_version=4)
    nbclient.NotebookClient(
        now, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(NOTEBOOK.parent)}}
    ).execute()
    for cell in now.cells:
        tidy(cell)
    if os.environ.get("ORR_UPDATE_GOLDEN"):
        now.metadata = {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
        nbformat.write(now, NOTEBOOK)
        return 0
    wrong = 0
    for number, (before, after) in enumerate(zip(kept.cells, now.cells)):
        if list(texts(before)) != list(texts(after)):
            print(f"cell {number} gives\n{list(texts(after))}\nand the notebook has\n{list(texts(before))}")
            wrong += 1
    shown = [kind for cell in now.cells for output in cell.get("outputs", []) for kind in output.get("data", {})]
    if "image/svg+xml" not in shown or not any(
        "<svg" in output["data"].get("text/html", "")
        for cell in now.cells
        for output in cell.get("outputs", [])
        if "data" in output
    ):
        print("no drawing is shown")
        wrong += 1
    print(f"{len(now.cells)} cells, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
