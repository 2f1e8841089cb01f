"""An OpenAPI document as a judge: every answer must be one that it describes."""

import http.client
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Description:
    def __init__(self, file: Path) -> None:
        self.file = file
        self.document: dict[str, Any] = json.loads(file.read_text("utf-8"))
        self._registry: Registry[Any] = Registry().with_resource("urn:openapi", Resource(self.document, DRAFT202012))
        self._paths = {
            path: re.compile(re.sub(r"\\\{[^}]+\\\}", "([^/]+)", re.escape(path))) for path in self.document["paths"]
        }

    def schema_errors(self, name: str, value: object) -> list[str]:
        """What is wrong with a value by a schema of the document."""
        return self._errors({"$ref": f"urn:openapi#/components/schemas/{name}"}, value)

    def check(self, method: str, path: str, answer: Answer) -> None:
        described = self._response(method, path, answer.status)
        for name, header in described.get("headers", {}).items():
            wanted = self.resolved(header)
            assert name in answer.headers or not wanted.get("required"), f"{method} {path} {answer.status} lacks {name}"
            if name in answer.headers:
                errors = self._errors(_anchored(wanted["schema"]), answer.headers[name])
                assert errors == [], errors
        if "content" not in described:
            assert answer.body == b"", f"{method} {path} {answer.status} has a body"
            return
        content_type = answer.headers.get_content_type()
        assert content_type in described["content"], f"{method} {path} answered {content_type}"
        if content_type == "text/event-stream":
            return  # whoever reads the stream holds each event against the document
        errors = self._errors(_anchored(described["content"][content_type]["schema"]), answer.json)
        assert errors == [], errors

    def check_event(self, event: dict[str, str]) -> None:
        """An event of a stream by the schema StreamEvent, and its data by the schema that it names for them."""
        assert self.schema_errors("StreamEvent", event) == []
        kinds = self.document["components"]["schemas"]["StreamEvent"]["oneOf"]
        kind = next(kind for kind in kinds if kind["properties"]["event"]["const"] == event["event"])
        errors = self._errors(_anchored(kind["properties"]["data"]["contentSchema"]), json.loads(event["data"]))
        assert errors == [], errors

    def request_flaws(self, method: str, target: str, content_type: str | None, body: str | None) -> list[str]:
        """What a client asked that the document does not describe."""
        path, query = urlsplit(target).path, urlsplit(target).query
        template = self.template(path)
        if template is None or method.lower() not in self.document["paths"][template]:
            return [f"no such operation: {method} {path}"]
        operation = self.document["paths"][template][method.lower()]
        parameters = [*self.document["paths"][template].get("parameters", []), *operation.get("parameters", [])]
        given = {("query", name): value for name, value in parse_qsl(query, keep_blank_values=True)}
        match = self._paths[template].fullmatch(path)
        names = re.findall(r"\{([^}]+)\}", template)
        values = match.groups() if match else ()
        given |= {("path", name): unquote(value) for name, value in zip(names, values, strict=True)}
        flaws = []
        for parameter in map(self.resolved, parameters):
            value = given.pop((parameter["in"], parameter["name"]), None)
            if value is None:
                continue
            wanted = self.resolved(parameter["schema"])
            read: object = int(value) if wanted.get("type") == "integer" and value.isdecimal() else value
            flaws += self._errors(_anchored(parameter["schema"]), read)
        flaws += [f"no such parameter: {name}" for _, name in given]
        if "requestBody" not in operation:
            return flaws + (["a body where there is none"] if body else [])
        described = self.resolved(operation["requestBody"])["content"]
        if content_type not in described:
            return [*flaws, f"a body of the type {content_type}"]
        return flaws + self._errors(_anchored(described[content_type]["schema"]), json.loads(body or ""))

    def template(self, path: str) -> str | None:
        """The path of the document that is meant: one without parameters is more concrete (OpenAPI 3.1 §4.8.8.2)."""
        if path in self._paths:
            return path
        return next((name for name, form in self._paths.items() if form.fullmatch(path)), None)

    def resolved(self, part: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in part:
            return part
        found: Any = self.document
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        resolved: dict[str, Any] = found
        return resolved

    def _response(self, method: str, path: str, status: int) -> dict[str, Any]:
        template = self.template(path)
        assert template is not None, f"{self.file.name} does not know {path}"
        responses = self.document["paths"][template][method.lower()]["responses"]
        described = responses.get(str(status)) or responses.get(f"{status // 100}XX")
        assert described is not None, f"{method} {path} answered {status}, which {self.file.name} does not know"
        return self.resolved(described)

    def _errors(self, schema: dict[str, Any], value: object) -> list[str]:
        validator = Draft202012Validator(schema, registry=self._registry, format_checker=FormatChecker())
        return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


def _anchored(schema: dict[str, Any]) -> dict[str, Any]:
    return {"$ref": f"urn:openapi{schema['$ref']}"} if "$ref" in schema else schema
