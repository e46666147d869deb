#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_documents.py SCHEMAS OUT: writes the module orrery.documents, the types of all JSON answers.

SCHEMAS is the folder of JSON schemas that library/make_schemas.py writes. An object with known members becomes a
TypedDict; an answer's type is found by its question, through one overload of Ask for each. Only type checkers need
the module, so nothing imports it at run time unless a program does.
"""
import json
import keyword
import pathlib
import re
import sys

SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

HEADER = '''# SPDX-License-Identifier: Apache-2.0
"""Types of the JSON answers. Made by make_documents.py from the JSON schemas; do not edit."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, Protocol, TypedDict, Union, overload

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from .session import Limits
'''

PROTOCOL = '''

class {name}(Protocol):
    """{method} as type checkers see it: the question decides what the answer is."""
'''

OVERLOAD = """
    @overload
    def __call__(self, question: {question}, {others}) -> {answer}: ...
"""

# The methods that take a question: the protocol's name, the method, its other parameters
ASKING = [
    (
        "Ask",
        "Session.ask()",
        'data: Union[bytes, str, None] = None, *, limits: Optional[Limits] = None, source: str = "", **parameters: Any',
    ),
    ("AskAbout", "Topology.ask()", "*, limits: Optional[Limits] = None, **parameters: Any"),
]


def camel(name):
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", name) if word)


class Types:
    """The classes in the order in which they were found, and the references to them."""

    def __init__(self):
        self.classes = {}

    def of(self, schema, name):
        """The type of a schema; name: of the class that it becomes if it is an object with known members."""
        if "$ref" in schema:
            return camel(schema["$ref"].rsplit("/", 1)[-1])
        for alternatives in ("anyOf", "oneOf"):
            if alternatives in schema:
                found = dict.fromkeys(self.of(one, f"{name}{i or ''}") for i, one in enumerate(schema[alternatives]))
                return self.union(list(found))
        if "enum" in schema:
            return "Literal[" + ", ".join(repr(value) for value in schema["enum"]) + "]"
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return self.union([self.of_kind(kind, schema, name) for kind in kinds]) if kinds else "Any"

    @staticmethod
    def union(found):
        if "Any" in found or not found:
            return "Any"
        rest = [one for one in found if one != "None"]
        one = rest[0] if len(rest) == 1 else f"Union[{', '.join(rest)}]" if rest else "None"
        return f"Optional[{one}]" if len(rest) < len(found) and rest else one

    def of_kind(self, kind, schema, name):
        if kind == "array":
            return f"List[{self.of(schema.get('items', {}), name + 'Item')}]"
        if kind != "object":
            return SIMPLE[kind]
        if schema.get("properties"):
            self.add(name, schema)
            return name
        others = schema.get("additionalProperties")
        return f"Dict[str, {self.of(others, name + 'Value') if isinstance(others, dict) else 'Any'}]"

    def add(self, name, schema):
        """A class of an object's members. The same name always means the same schema."""
        if name in self.classes:
            assert self.classes[name][0] == schema, f"two schemas are called {name}"
            return
        self.classes[name] = (schema, {})
        required = schema.get("required", [])
        for key, one in schema["properties"].items():
            type_ = self.of(one, name + camel(key))
            self.classes[name][1][key] = type_ if key in required else f"NotRequired[{type_}]"

    def text(self):
        for name, (schema, members) in self.classes.items():
            if all(key.isidentifier() and not keyword.iskeyword(key) for key in members):
                lines = "".join(f"    {key}: {type_}\n" for key, type_ in members.items())
                yield f"\n\nclass {name}(TypedDict):\n{lines}"
            else:
                lines = "".join(f"        {key!r}: {type_!r},\n" for key, type_ in members.items())
                yield f"\n\n{name} = TypedDict(\n    {name!r},\n    {{\n{lines}    }},\n)\n"


def questions(index):
    """(type of the question, schema file): a route by its method and path, and the POST or GET route of each word."""
    words = {}
    for route, file in index.items():
        if " " not in route:
            continue
        method, path = route.split(" ")
        if "{" not in path:
            words.setdefault(file, set()).add(route)
        if re.fullmatch(r"/v1/[a-z-]+", path) and (method == "POST" or f"POST {path}" not in index):
            words.setdefault(file, set()).add(path[4:])
    return sorted((file, sorted(names)) for file, names in words.items())


def main(schemas, out):
    folder = pathlib.Path(schemas)
    types, answers = Types(), {}
    index = json.loads((folder / "index.json").read_text())
    for file in sorted(set(index.values())):
        schema = json.loads((folder / file).read_text())
        for name, one in schema.get("$defs", {}).items():
            if one.get("properties") and one.get("type") == "object":
                types.add(camel(name), one)
        answers[file] = types.of(schema, camel(file.rsplit(".", 1)[0]) + "Answer")
    names = {}  # a component that is not an object becomes a second name of its type
    for file in answers:
        for name, one in json.loads((folder / file).read_text()).get("$defs", {}).items():
            if camel(name) not in types.classes:
                names[camel(name)] = types.of(one, camel(name) + "Value")
    aliases = "\n\n" + "".join(f"{name} = {type_}\n" for name, type_ in sorted(names.items()))
    asked = [(f"Literal[{', '.join(map(repr, words))}]", answers[file]) for file, words in questions(index)]
    protocols = ""
    for name, method, others in ASKING:
        protocols += PROTOCOL.format(name=name, method=method)
        for question, answer in asked + [("str", "Any")]:
            protocols += OVERLOAD.format(question=question, others=others, answer=answer)
    pathlib.Path(out).write_text(HEADER + "".join(types.text()) + aliases + protocols)


if __name__ == "__main__":
    main(*sys.argv[1:])
