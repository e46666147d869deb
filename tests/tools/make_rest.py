#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_rest.py OPENAPI.YAML [--check]: writes docs/reference/rest.md, the routes of the service for readers; --check
says whether it is what would be written.

Parameters this many routes share (components/parameters used at least MANY times) have one table at the end; a route
names them."""
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/rest.md"
VERBS = ("get", "head", "post", "put", "patch", "delete")
MANY = 4


def plain(text):
    return " ".join(str(text).split())


def cell(text):
    return re.sub(r"(?<!\\)([|<>])", r"\\\1", plain(text))


def slug(text):
    return re.sub(r"[^a-z0-9 _-]", "", text.lower()).replace(" ", "-")


def values(schema):
    """What a parameter may be, in words."""
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    parts = [schema.get("type", "")]
    if "minimum" in schema or "maximum" in schema:
        parts.append(f"{schema.get('minimum', '')} to {schema.get('maximum', '')}".strip())
    if schema.get("default") is not None:
        parts.append(f"default {schema['default']}")
    return "; ".join(part for part in parts if part)


EXAMPLES = """
Five requests to begin with. They need `orrery serve` and a dump, such as static/examples/aws-p4d.xml:

```sh
api=http://127.0.0.1:8080/v1
# Store a dump; the answer has its id, the machine and the number of findings.
curl --data-binary @topo.xml "$api/topologies?name=node-17&label=host%3Dnode-17"
# Analyse a dump without storing it: the verdict and the findings with their costs.
curl --data-binary @topo.xml "$api/analyze?hosts=2&section=findings"
# Why does NCCL not use P2P between two GPUs?
curl --data-binary @topo.xml "$api/explain?decision=p2p&from=0&to=1"
# Which four GPUs should a job take on each of two hosts?
curl --data-binary @topo.xml "$api/place?count=4&hosts=2"
# Did a job work, and does its log agree with the prediction?
curl --data-binary @job.log "$api/check-log"
```
"""


class Description:
    def __init__(self, path):
        self.doc = yaml.safe_load(pathlib.Path(path).read_text())
        self.routes = [
            (path, verb, item[verb], [*item.get("parameters", []), *item[verb].get("parameters", [])])
            for path, item in self.doc["paths"].items()
            for verb in VERBS
            if verb in item
        ]
        used = [row["$ref"] for _, _, _, rows in self.routes for row in rows if "$ref" in row]
        self.shared = sorted(
            {ref for ref in used if used.count(ref) >= MANY and self.at(ref)["in"] == "query"},
            key=lambda ref: (self.at(ref)["name"], ref),
        )

    def at(self, ref):
        node = self.doc
        for part in ref.removeprefix("#/").split("/"):
            node = node[part]
        return node

    def table(self, rows):
        yield "| parameter | meaning | values |"
        yield "|---|---|---|"
        for row in rows:
            required = " (required)" if row.get("required") and row["in"] != "path" else ""
            yield (
                f"| `{row['name']}`{required} | {cell(row.get('description', ''))} | "
                f"{cell(values(row.get('schema', {})))} |"
            )

    def route(self, path, verb, operation, rows):
        yield f"### {verb.upper()} {path}"
        yield ""
        yield f"{plain(operation['summary'])}."
        if operation.get("description"):
            yield from ("", plain(operation["description"]))
        own = [row if "name" in row else self.at(row["$ref"]) for row in rows if row.get("$ref") not in self.shared]
        own = [row for row in own if row["in"] == "query" or row.get("description")]  # what {id} is, the path says
        if own:
            yield from ("", *self.table(own))
        names = [self.at(row["$ref"])["name"] for row in rows if row.get("$ref") in self.shared]
        if names:
            yield from (
                "",
                "Also: " + ", ".join(f"`{name}`" for name in names) + " ([shared parameters](#shared-parameters)).",
            )
        if "requestBody" in operation:
            body = operation["requestBody"]
            body = self.at(body["$ref"]) if "$ref" in body else body
            yield from (
                "",
                f"Body: {', '.join(f'`{kind}`' for kind in body['content'])}"
                + (f". {plain(body['description'])}" if body.get("description") else "."),
            )
        answers = [
            f"{status} {plain((self.at(answer['$ref']) if '$ref' in answer else answer)['description'])}"
            for status, answer in operation["responses"].items()
            if status.startswith("2")
        ]
        yield from ("", "Answers: " + "; ".join(answers) + ".", "")

    def page(self):
        yield from (
            "# REST",
            "",
            "Written by tests/tools/make_rest.py from what `GET /openapi.yaml` of a service gives whole, with the "
            "schema of every document.",
            "Errors are `application/problem+json`: `type`, `title`, `detail`, and for XML the line and column. 401 "
            "and 403 are about tokens, 429 and 503 about load.",
            "",
            *EXAMPLES.strip().split("\n"),
            "",
        )
        for tag in self.doc["tags"]:
            mine = [route for route in self.routes if tag["name"] in route[2]["tags"]]
            yield from (f"## {tag.get('description', tag['name'])}", "", "| route | what it does |", "|---|---|")
            yield from (
                f"| [{verb.upper()} {path}](#{slug(f'{verb} {path}')}) | {cell(operation['summary'])} |"
                for path, verb, operation, _ in mine
            )
            yield ""
            for route in mine:
                yield from self.route(*route)
        yield from ("## Shared parameters", "", *self.table(self.at(ref) for ref in self.shared))


def main():
    text = "\n".join(Description(sys.argv[1]).page()) + "\n"
    if "--check" in sys.argv[2:]:
        sys.exit(
            0
            if PAGE.exists() and PAGE.read_text() == text
            else "docs/reference/rest.md is not what tests/tools/make_rest.py writes"
        )
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
