# SPDX-License-Identifier: Apache-2.0
"""Checks which rooms include which. The orr_room() rows of the CMakeLists.txt alone say which room uses which: they
determine the allowed includes and docs/rooms.svg, the picture in ARCHITECTURE.md. Prints each offending line; ctest
runs this as `layers`, and `layers_bites` shows that it fails where it should.

usage: check_layers.py [--write] [ROOT]     --write brings the picture up to date
"""
import pathlib
import re
import sys

# Headers of other projects, by the library that a room's row must name to use them.
LIBRARIES = {
    "microhttpd": "PkgConfig::MICROHTTPD",
    "gnutls/": "PkgConfig::GNUTLS",
    "jansson": "PkgConfig::JANSSON",
    "graphviz/": "PkgConfig::GVC",
    "sqlite3": "PkgConfig::SQLITE3",
    "libpq": "PkgConfig::LIBPQ",
    "archive": "PkgConfig::LIBARCHIVE",
    "dlfcn": "${CMAKE_DL_LIBS}",
    "libxml/": "PkgConfig::LIBXML2",
    "zlib": "PkgConfig::ZLIB",
    "nettle/": "PkgConfig::NETTLE",
    "curl/": "PkgConfig::CURL",
}
PARTS = ["engine", "api", "server", "cli", "library"]
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
# Rules that a row cannot express: (files, includes that they must not have, reason).
NARROWER = [
    (
        r"(cli|server)/",
        r"api/(http/(call|params|problem)|documents/(json|sections|stream_text))\.h",
        "the insides " "of the handlers",
    ),
    (r"cli/", r"server/(?!serve\.h)", "another header of server/ than serve.h"),
    (r"engine/", r"engine/orrery\.h", "the header for those outside the engine"),
    (r"(?!library/)", r"(include/)?orrery/", "the library's own header"),
]
VERSION = re.compile(r"ORR_VERSION\(|release(s\[[^]]*\])?(->|\.)version")
# X is the row of a list such as ORR_DENIAL_MAP(X), defined just before the list is used and undefined just after it.
MACRO = re.compile(r"\s*#\s*define\s+(?!(?i:ORR)|X\()(\w+)(\()?")
SHARED = re.compile(r"(\.\./|/work/)shared")


def read_rooms(root):
    """name: (folder, names of what its row declares), in the order of the rows."""
    rooms = {}
    for part in PARTS:
        rows = root / part / "CMakeLists.txt"
        text = rows.read_text() if rows.exists() else ""
        for name, folder, uses in re.findall(r"^orr_room\((\w+) (\S+)([^)]*)\)", text, re.M):
            rooms[name] = (part if folder == "." else f"{part}/{folder}", uses.split())
        for uses in re.findall(r"^target_link_libraries\(orrery_library PRIVATE ([^)]*)\)", text, re.M):
            rooms["library"] = ("library", uses.split())
    return rooms


def used_by(rooms, name):
    """All rooms that a room may use, itself included."""
    found, todo = set(), [name]
    while todo:
        room = todo.pop()
        if room not in found:
            found.add(room)
            todo += [use[4:] for use in rooms[room][1] if use[4:] in rooms]
    return found


def room_of(rooms, path):
    """The room of a file: the one with the longest folder; None if the file is in no room."""
    owners = [name for name, (folder, _) in rooms.items() if path.startswith(folder + "/")]
    return max(owners, key=lambda name: len(rooms[name][0]), default=None)


def check_line(rooms, allowed, path, line):
    """The fault of a line in a file of a room, None if there is none."""
    name = room_of(rooms, path)
    match = INCLUDE.match(line)
    if VERSION.search(line) and name != "release":
        return "only engine/release looks at versions; others ask for a behaviour"
    macro = MACRO.match(line)
    if macro and (macro[2] or path.endswith(".h")):
        return f"the macro {macro[1]} has no prefix ORR_"
    if not match:
        return None
    target = match[1] or match[2]
    for files, headers, why in NARROWER:
        if re.match(files, path) and re.match(headers, target):
            return f"{path.split('/')[0]}/ includes {why}"
    for header, library in LIBRARIES.items():
        if match[2] and target.startswith(header) and library not in rooms[name][1]:
            return f"the row of the room {name} does not name {library}"
    owner = room_of(rooms, target) if match[1] else None
    if owner and owner not in allowed[name]:
        return f"the row of the room {name} does not give it {owner}"
    return None


def check_files(root, rooms):
    allowed = {name: used_by(rooms, name) for name in rooms}
    wrong = []
    for file in sorted(file for part in PARTS for file in (root / part).rglob("*.[ch]")):
        path = file.relative_to(root).as_posix()
        if room_of(rooms, path) is None:
            wrong += [f"{path}: no orr_room() has its folder"] if path != "engine/orrery.h" else []
            continue
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            problem = check_line(rooms, allowed, path, line)
            wrong += [f"{path}:{number}: {problem}: {line.strip()}"] if problem else []
    for file in sorted((root / "include").rglob("*.h")):  # users have the header alone
        wrong += [
            f"{file.relative_to(root)}: includes another header of " "Orrery"
            for line in file.open()
            if re.match(r'\s*#\s*include\s*"', line)
        ]
    for place in PARTS + ["include", "bindings", "static", "CMakeLists.txt", "CMakePresets.json", "Dockerfile"]:
        files = [root / place] if (root / place).is_file() else (root / place).rglob("*")
        for file in sorted(file for file in files if file.is_file() and "node_modules" not in file.parts):
            if SHARED.search(file.read_bytes().decode(errors="replace")):
                wrong.append(f"{file.relative_to(root)}: only tests may point to the shared folder")
    return wrong


def rows_of(rooms, part):
    """The rooms of a part in rows from top to bottom: each row uses only rows below it."""
    names = [name for name, (folder, _) in rooms.items() if folder.startswith(part + "/")]
    below = {name: [other for other in used_by(rooms, name) - {name} if other in names] for name in names}
    height = {}
    for name in sorted(names, key=lambda name: len(below[name])):
        height[name] = 1 + max((height[other] for other in below[name]), default=0)
    return [[name for name in names if height[name] == row] for row in sorted(set(height.values()), reverse=True)]


WIDTH, ROW, GAP, MARGIN = 860, 34, 8, 16
REMARKS = {
    "cli": "commands, options, help",
    "server": "sockets, TLS, limits",
    "library": "liborrery",
    "bindings/python": "package orrery",
    "api": "knows no sockets",
    "engine": "no output, no mutable globals; only detect has input",
}


def picture(rooms):
    """The rooms as SVG: a room uses only rooms below it."""
    parts, y = [], MARGIN

    def box(x, top, width, height, name, remark, fill):
        parts.append(
            f'<rect x="{x}" y="{top}" width="{width}" height="{height}" rx="4" fill="{fill}" stroke="#667"/>'
            f'<text x="{x + 10}" y="{top + 21}"><tspan font-weight="bold">{name}</tspan>'
            f'<tspan fill="#556" dx="8">{remark}</tspan></text>'
        )

    half = (WIDTH - 2 * MARGIN - GAP) // 2
    for left, right in (("cli", "bindings/python"), ("server", "library")):
        box(MARGIN, y, half, ROW, left, REMARKS[left], "#eef")
        box(MARGIN + half + GAP, y, half, ROW, right, REMARKS[right], "#efe")
        y += ROW + GAP
    for part, fill in (("api", "#fff4e0"), ("engine", "#f4f4f4")):
        rows = rows_of(rooms, part)
        box(MARGIN, y, WIDTH - 2 * MARGIN, ROW + len(rows) * (ROW - 4) + GAP, part, REMARKS[part], fill)
        y += ROW
        for row in rows:
            x = MARGIN + 12
            for name in row:
                width = 9 * len(name) + 22
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{width}" height="{ROW - 10}" rx="4" fill="#fff" stroke="#99a"/>'
                    f'<text x="{x + width // 2}" y="{y + 17}" text-anchor="middle">{name}</text>'
                )
                x += width + GAP
            y += ROW - 4
        y += 2 * GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" '
        'font-family="sans-serif" font-size="14" role="img">\n<title>The rooms of Orrery: each uses only rooms below it'
        '</title>\n<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def check_picture(root, rooms, write):
    page = root / "docs/rooms.svg"
    if not page.parent.exists():
        return []
    wanted = picture(rooms)
    if write:
        page.write_text(wanted)
    if page.exists() and page.read_text() == wanted:
        return []
    return [
        "docs/rooms.svg: the picture of rooms is not that of the rows; check_layers.py --write brings it up to date"
    ]


def main(arguments):
    write = "--write" in arguments
    places = [argument for argument in arguments if argument != "--write"]
    root = pathlib.Path(places[0] if places else pathlib.Path(__file__).parents[2]).resolve()
    rooms = read_rooms(root)
    if not {"base", "http", "server", "cli", "library"} <= set(rooms):
        sys.exit(f"not the root of Orrery: {root}")
    wrong = check_files(root, rooms) + check_picture(root, rooms, write)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
