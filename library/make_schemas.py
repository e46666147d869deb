#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_schemas.py OPENAPI.YAML FOLDER: writes a JSON schema (draft 2020-12) of each document that api/openapi.yaml
describes, and index.json, which names the schema of each question."""
import json
import pathlib
import re
import sys

import yaml

DIALECT = "https://json-schema.org/draft/2020-12/schema"
HERE, THERE = "#/components/schemas/", "#/$defs/"


def kebab(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def references(value):
    """Names of the components that a schema refers to."""
    if isinstance(value, dict):
        for key, one in value.items():
            if key == "$ref" and isinstance(one, str):
                assert one.startswith(HERE), one
                yield one[len(HERE) :]
            else:
                yield from references(one)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)


def moved(value):
    """The same schema with its references in $defs."""
    if isinstance(value, dict):
        return {
            key: one.replace(HERE, THERE) if key == "$ref" and isinstance(one, str) else moved(one)
            for key, one in value.items()
        }
    return [moved(one) for one in value] if isinstance(value, list) else value


def standing_alone(name, title, schema, components):
    """A schema with everything that it refers to."""
    needed, waiting = {}, list(references(schema))
    while waiting:
        one = waiting.pop()
        if one not in needed:
            needed[one] = components[one]
            waiting += references(components[one])
    made = {"$schema": DIALECT, "$id": f"urn:orrery:schema:{name}", "title": title, **moved(schema)}
    if needed:
        made["$defs"] = {one: moved(needed[one]) for one in sorted(needed)}
    return made


def documents(description):
    """The JSON answers: (question, schema)."""
    for path, item in description["paths"].items():
        for method, operation in item.items():
            for status, answer in (
                operation.get("responses", {}).items() if method in ("get", "post", "patch", "put") else ()
            ):
                schema = answer.get("content", {}).get("application/json", {}).get("schema")
                if status in ("200", "201") and schema:
                    yield f"{method.upper()} {path}", schema


def make(description):
    """The files by name."""
    components, files, index, said = description["components"]["schemas"], {}, {}, {}
    for question, schema in [("problem", {"$ref": HERE + "Problem"}), *documents(description)]:
        text = json.dumps(schema)
        if text not in said:
            title = (
                schema["$ref"][len(HERE) :]
                if set(schema) == {"$ref"}
                else " ".join(word for word in question.split("/")[1:] if word != "v1" and "{" not in word)
            )
            name = kebab(title).replace(" ", "-")
            assert f"{name}.json" not in files, name
            said[text] = f"{name}.json"
            files[f"{name}.json"] = standing_alone(name, title, schema, components)
        index[question] = said[text]
    files["index.json"] = index
    return {name: json.dumps(content, indent=1, ensure_ascii=False) + "\n" for name, content in sorted(files.items())}


def main(source, folder):
    made = make(yaml.safe_load(pathlib.Path(source).read_text()))
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.json"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
