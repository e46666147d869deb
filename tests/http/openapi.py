# SPDX-License-Identifier: Apache-2.0
"""Compares answers of the service with its description: status, media type, headers, and the JSON with its schema.

An object may have only the members that openapi.yaml describes, unless it says additionalProperties. `check()` is
called for every answer in the HTTP tests (conftest.Server.ask).
"""
import copy
import json
import os
import pathlib
import re
import urllib.parse

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
METHODS = ("get", "post", "put", "patch", "delete")
PAGE = re.compile(r"/(index\.html|icon\.svg|(css|js|examples|docs)/.*)?$")  # files of the page: no interface


def closed(schema):
    """The same description, in which objects may have no further members unless it says so."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if (
        isinstance(result.get("properties"), dict)
        and "allOf" not in result
        and result.get("type", "object") == "object"
    ):
        result.setdefault("additionalProperties", False)
    return result


class Description:
    def __init__(self, text):
        self.document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.closed = copy.deepcopy(self.document)
        self.closed["components"]["schemas"] = closed(self.closed["components"]["schemas"])
        for operation in (item[m] for item in self.closed["paths"].values() for m in METHODS if m in item):
            operation["responses"] = closed(operation["responses"])
        self.closed["components"]["responses"] = closed(self.closed["components"]["responses"])
        self.resolver = jsonschema.RefResolver("", self.closed)
        self.inline(self.closed, set())
        self.routes = [
            (re.compile("^" + re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path)) + "$"), path)
            for path in sorted(self.document["paths"], key=lambda path: (path.count("{"), path))
        ]
        self.seen = set()  # (method, path, key of the response)

    def resolve(self, value):
        while isinstance(value, dict) and "$ref" in value:
            value = self.resolver.resolve(value["$ref"])[1]
        return value

    def inline(self, value, done):
        """Replaces references by what they refer to, because jsonschema would look each one up again for every
        value."""
        if id(value) in done or not isinstance(value, (dict, list)):
            return
        done.add(id(value))
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(item, dict) and isinstance(item.get("$ref"), str) and set(item) <= {"$ref", "description"}:
                item = value[key] = self.resolve(item)
            self.inline(item, done)

    def operations(self):
        for path, item in self.closed["paths"].items():
            for method in METHODS:
                if method in item:
                    yield method, path, item[method], item.get("parameters", []) + item[method].get("parameters", [])

    def find(self, target):
        path = urllib.parse.urlsplit(target).path
        return next((described for pattern, described in self.routes if pattern.match(path)), None)

    def validate(self, value, schema, what):
        validator = jsonschema.Draft202012Validator(schema, resolver=self.resolver)
        errors = sorted(validator.iter_errors(value), key=lambda error: len(error.absolute_path))
        assert not errors, f"{what}: {'/'.join(map(str, errors[0].absolute_path))}: {errors[0].message[:400]}"

    def check(self, method, target, status, headers, body):
        """headers: a mapping with get(), without regard to case."""
        if (headers.get("Server") or "").startswith("nginx") and headers.get("Content-Type") == "text/html":
            return  # an answer of the proxy's own
        path, verb = self.find(target), "get" if method == "HEAD" else method.lower()
        what = f"{method} {target[:120]}: {status}"
        if path is None:
            assert status >= 300 or PAGE.match(
                urllib.parse.urlsplit(target).path
            ), f"{what}: openapi.yaml has no such path"
            return
        operation = self.closed["paths"][path].get(verb)
        if operation is None:
            assert status >= 400 or verb == "options", f"{what}: openapi.yaml has no such method"
            return
        key = str(status) if str(status) in operation["responses"] else "default"
        assert key in operation["responses"] and (key != "default" or status >= 400), f"{what}: not described"
        self.seen.add((verb, path, str(status)))
        described = self.resolve(operation["responses"][key])
        for name, header in described.get("headers", {}).items():
            if self.resolve(header).get("required"):
                assert headers.get(name), f"{what}: the header {name} is missing"
        if method == "HEAD" or status == 304:
            assert not body, f"{what}: a body if none may be"
            return
        content = described.get("content")
        if not content:
            assert not body, f"{what}: a body that is not described: {body[:80]!r}"
            return
        media = (headers.get("Content-Type") or "").split(";")[0].strip()
        assert media in content, f"{what}: {media} is not described"
        if (
            media.endswith("json")
            and not media.endswith("ndjson")
            and headers.get("Content-Encoding") in (None, "", "identity")
        ):
            self.validate(json.loads(body), content[media].get("schema", {}), what)


PROGRAM = pathlib.Path(os.environ.get("ORRERY", ROOT / "build-dev" / "orrery"))
description = Description((PROGRAM.resolve().parent / "api" / "openapi.yaml").read_text())  # as the build made it
