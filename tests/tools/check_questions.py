"""api/openapi.yaml against the table of parameters (api/questions/questions.def): names, kinds, choices, limits and defaults of every route;
and the problem types against api/http/problem.c.

Argument: the program questions_table, which prints the table as the routes use it."""
import json
import pathlib
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAG, NUMBER, BYTES, TEXT, WORD, LIST, GRAPH, MACHINE, RELEASE, SETTING, LABEL = range(11)


def expected(row):
    """What the schema of a row must say."""
    kind = row["kind"]
    if kind == FLAG:
        return {"type": "integer", "enum": [0, 1], "default": int(row["default"])}
    if kind == NUMBER:
        schema = {"type": "integer", "minimum": row["least"], "maximum": row["most"]}
        return schema | ({"default": int(row["default"])} if row["default"] else {})
    if kind in (LIST, LABEL):
        return {"type": "array", "maxItems": row["most"], "items": {"type": "string"}}
    if kind == SETTING:
        return {"type": "object"}
    schema = {"type": "string"} | ({"default": row["default"]} if row["default"] else {})
    if kind == WORD or (kind == TEXT and row["words"]):
        schema["enum"] = row["words"]
    if kind == TEXT and row["most"]:
        schema["maxLength"] = row["most"]
    return schema


def compare(where, row, schema, wrong):
    for key, value in expected(row).items():
        told = schema.get(key)
        if key == "enum" and isinstance(value, list) and isinstance(told, list):
            told, value = sorted(told), sorted(value)
        if told != value:
            wrong.append(f"{where}: {key} is {told!r} in openapi.yaml, {value!r} in the table")
    for key in ("enum", "minimum", "maximum", "maxLength", "maxItems", "default"):
        if key in schema and key not in expected(row):
            wrong.append(f"{where}: {key} is {schema[key]!r} in openapi.yaml, and nothing in the table")


def main():
    document = yaml.safe_load((ROOT / "api/openapi.yaml").read_text())

    def resolve(node):
        while "$ref" in node:
            target = document
            for part in node["$ref"][2:].split("/"):
                target = target[part]
            node = target
        return node

    table = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout)
    wrong, checked, routes, problems = [], 0, table["routes"], table["problems"]
    described = document["components"]["schemas"]["ProblemType"]["enum"]
    wrong += [f"problem type {name} is not described" for name in sorted(set(problems) - set(described))]
    wrong += [f"problem type {name} is described, but not used" for name in sorted(set(described) - set(problems))]
    for route in routes:
        item = document["paths"].get(route["path"])
        if item is None or route["method"].lower() not in item:
            continue  # test_openapi holds the lists of routes together
        operation = item[route["method"].lower()]
        described = {}
        for parameter in map(resolve, item.get("parameters", []) + operation.get("parameters", [])):
            if parameter["in"] == "query":
                described[parameter["name"]] = resolve(parameter.get("schema", {}))
        where = f"{route['method']} {route['path']}"
        names = {row["name"] for row in route["parameters"]}
        wrong += [f"{where}: {name} is not described" for name in sorted(names - set(described))]
        wrong += [f"{where}: {name} is described, but not taken" for name in sorted(set(described) - names)]
        for row in route["parameters"]:
            if row["name"] in described:
                compare(f"{where}, {row['name']}", row, described[row["name"]], wrong)
                checked += 1
    print(
        "\n".join(wrong)
        or f"{checked} parameters of {len(routes)} routes agree with the table, and {len(problems)} problem types"
    )
    return 1 if wrong or not checked or not problems else 0


sys.exit(main())
