#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds faults that make a picture hard to read: check_svg.py FILE.svg ...

Reports texts that overlap, texts wider than the tile they are in, ids that are missing or used twice, and elements
without a title. Text widths are those of DejaVu Sans, estimated as 0.6 of the size a character, 0.32 for narrow ones.
Exit status 1 if anything was found."""
import re
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"


def width(text, size):
    return sum(0.33 if c in " .,:;iIl|!'·()[]jftr" else 0.85 if c in "mMWw⚠" else 0.63 for c in text) * size


def frame(path):
    numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*", path)]
    return min(numbers[0::2]), min(numbers[1::2]), max(numbers[0::2]), max(numbers[1::2])


def check(name):
    found, ids, texts = [], set(), []
    for group in ET.parse(name).getroot().iter(SVG + "g"):
        gid = group.get("id")
        if not gid:
            found.append("a group without an id")
        elif gid in ids:
            found.append("id used twice: " + gid)
        ids.add(gid)
        kind = (group.get("class") or "").split(" ")[0]
        if kind not in ("node", "edge", "cluster"):
            continue
        if group.find(SVG + "title") is None:
            found.append("no title: " + gid)
        box = None
        for shape in group.iter():
            if shape.tag == SVG + "path" and kind == "node":
                box = frame(shape.get("d"))
            elif shape.tag == SVG + "polygon" and kind == "node":
                box = frame(shape.get("points"))
        for text in group.iter(SVG + "text"):
            size, x, y = float(text.get("font-size")), float(text.get("x")), float(text.get("y"))
            w = width(text.text or "", size)
            if text.get("text-anchor") == "middle":
                x -= w / 2
            texts.append((x, y - size * 0.75, x + w, y + size * 0.15, gid, text.text))
            if box and (x < box[0] - 1 or x + w > box[2] + 1):
                found.append("wider than its tile: %r in %s" % (text.text, gid))
    texts.sort(key=lambda t: t[0])
    for i, a in enumerate(texts):
        for b in texts[i + 1 :]:
            if b[0] > a[2] - 1:
                break
            if a[1] < b[3] - 1 and b[1] < a[3] - 1:
                found.append("overlap: %r of %s and %r of %s" % (a[5], a[4], b[5], b[4]))
    for line in found:
        print("%s: %s" % (name, line))
    return bool(found)


if __name__ == "__main__":
    sys.exit(any([check(name) for name in sys.argv[1:]]))
