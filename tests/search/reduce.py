#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a machine small on which the search differs from the plain one.

usage: reduce.py PROGRAM --file XML --release R [OPTION...] > SMALLER.xml

PROGRAM is build/tests/same_search; the options are its own. Elements are left out one after the other, and attributes
set to common values, as long as the two searches differ. What is left is printed.
"""
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

COMMON = {
    "link_speed": "32.0 GT/s " "PCIe",
    "link_width": "16",
    "count": "1",
    "gdr": "1",
    "coll": "0",
    "maxconn": "131072",
    "latency": "0",
}


def differs(tree):
    with tempfile.NamedTemporaryFile("wb", suffix=".xml") as file:
        tree.write(file.name)
        command = [sys.argv[1], *(file.name if a == XML else a for a in sys.argv[2:])]
        return "systems, different" in subprocess.run(command, capture_output=True, text=True).stdout


def smaller(tree):
    """One change after which they still differ; False: there is none."""
    for parent in list(tree.iter()):
        for child in list(parent):
            at = list(parent).index(child)
            parent.remove(child)
            if differs(tree):
                return True
            for i, inner in enumerate(list(child)):  # its children in its place
                parent.insert(at + i, inner)
            if len(child) and child.tag == "pci" and differs(tree):
                return True
            for inner in child:
                parent.remove(inner)
            parent.insert(at, child)
    for element in tree.iter():
        for name, value in COMMON.items():
            old = element.get(name, value)
            if old != value:
                element.set(name, value)
                if differs(tree):
                    return True
                element.set(name, old)
    return False


XML = sys.argv[sys.argv.index("--file") + 1]
machine = ET.parse(XML)
if not differs(machine):
    sys.exit("the searches do not differ")
while smaller(machine):
    pass
ET.indent(machine, space="")
print(ET.tostring(machine.getroot(), encoding="unicode"))
