# SPDX-License-Identifier: Apache-2.0
"""make_openapi.py QUESTIONS.JSON OPENAPI.YAML VERSION OUT: the description of the service, of what is written by
hand and
what the tables say.

The program questions_table prints the tables as JSON. From there come the parameters in queries, with their help
texts, and
the choices `[x-words, NAME]` of schemas: those of a parameter, or the problem types. `x-query` of an operation says
what is different there: which parameters are required, and other examples."""
import json
import pathlib
import re
import sys

import yaml


def schema_of(row):
    kind = row["kind"]
    if kind == "flag":
        return {"type": "integer", "enum": [0, 1], "default": int(row["default"])}
    if kind == "number":
        default = {"default": int(row["default"])} if row["default"] else {}
        return {"type": "integer", "minimum": row["least"], "maximum": row["most"]} | default
    if kind in ("list", "label"):
        return (
            {"type": "array"}
            | ({"minItems": 1} if row["required"] else {})
            | {"maxItems": row["most"], "items": {"type": "string"}}
        )
    if kind == "setting":
        return {"type": "object", "additionalProperties": {"type": "string", "maxLength": 255}}
    schema = {"type": "string"} | ({"default": row["default"]} if row["default"] else {})
    if kind == "word" or (kind == "text" and row["words"]):
        schema["enum"] = row["words"]
    if kind == "text" and row["most"]:
        schema["maxLength"] = row["most"]
    return schema | ({"pattern": row["pattern"]} if row["pattern"] else {})


def parameter_of(row):
    repeated = row["kind"] in ("list", "label", "setting")
    return (
        {"name": row["name"], "in": "query"}
        | ({"required": True} if row["required"] else {})
        | {"description": ". ".join(text for text in (row["help"], row["more"]) if text)}
        | ({"style": "form", "explode": True} if repeated else {})
        | {"schema": schema_of(row)}
        | (
            {"example": json.loads(row["example"]) if row["kind"] in ("list", "number") else row["example"]}
            if row["example"]
            else {}
        )
    )


def parameters_of(operation, keys, rows):
    """The lines of an operation's parameters."""
    different = dict(operation.get("x-query", {}))
    assert not (keys and "parameters" in operation), f"{operation['operationId']} has parameters by hand"
    for key in keys:
        parameter = parameter_of(rows[key])
        own = different.pop(parameter["name"], None)
        yield "        - " + (json.dumps(parameter | own) if own else f"{{$ref: '#/components/parameters/{key}'}}")
    assert not different, (
        f"{operation['operationId']}: x-query names {', '.join(different)}, which the route does " "not take"
    )


def described(text, tables):
    document = yaml.safe_load(text)
    rows = {row["key"]: row for row in tables["parameters"]}
    taken = {(route["method"].lower(), route["path"]): route["parameters"] for route in tables["routes"]}
    words = {row["name"]: row["words"] for row in tables["parameters"]} | {"problems": tables["problems"]}
    path = ""
    for line in text.splitlines():
        if match := re.match(r"  (/\S*):$", line):
            path = match[1]
        if line.startswith("      x-query: "):
            continue
        yield re.sub(r"\[x-words, (\w+)\]", lambda match: json.dumps(words[match[1]]), line)
        if (match := re.match(r"    (get|post|patch|delete):$", line)) and path:
            lines = list(parameters_of(document["paths"][path][match[1]], taken[match[1], path], rows))
            yield from ["      parameters:", *lines] if lines else []
        if line == "  parameters:":
            yield from (f"    {key}: {json.dumps(parameter_of(row))}" for key, row in rows.items())


def main():
    questions, source, version, out = sys.argv[1:]
    tables = json.loads(pathlib.Path(questions).read_text())
    lines = described(
        re.sub(r"(?m)^(  version: )VERSION .*", rf"\g<1>{version}", pathlib.Path(source).read_text()), tables
    )
    pathlib.Path(out).write_text("\n".join(lines) + "\n")


main()
