"""Holds a client against inbox-openapi.json, from both sides.

client_judge.py requests   reads the service's log of requests, and writes what the document does not describe and which
                           operations of a recipient were never called
client_judge.py answers N  writes N answers of each operation, and N events of each kind, a line of JSON each: whatever
                           the document allows
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import schemathesis
from description import Description
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis_formats import ends_when_it_starts

INBOX = Description(Path(__file__).parent.parent / "inbox-openapi.json")


def recipients_operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in INBOX.document["paths"].items():
        for method, operation in item.items():
            if path.startswith("/v1/inbox/") and "responses" in operation:
                yield method.upper(), path, operation


def judge_requests(log: list[dict[str, Any]]) -> Iterator[str]:
    never = {(method, path) for method, path, _ in recipients_operations()}
    for request in log:
        path = request["path"].partition("?")[0]
        never.discard((request["method"], INBOX.template(path) or ""))
        for flaw in INBOX.request_flaws(request["method"], request["path"], request["contentType"], request["body"]):
            yield f"{request['method']} {request['path']}: {flaw}"
    for method, path in sorted(never):
        yield f"{method} {path}: never called"


def answers(count: int) -> Iterator[dict[str, Any]]:
    schemas: dict[str, dict[str, Any]] = {}
    meant: dict[str, list[dict[str, Any]]] = {}

    def want(schema: dict[str, Any], answer: dict[str, Any]) -> None:
        name = schema["$ref"].rpartition("/")[2]
        schemas[name] = schema
        meant.setdefault(name, []).append(answer)

    for method, path, operation in recipients_operations():
        for status, response in operation["responses"].items():
            content = INBOX.resolved(response).get("content", {}).get("application/json")
            if status.startswith("2") and content:
                want(content["schema"], {"method": method, "path": path, "status": int(status)})
    for kind in INBOX.document["components"]["schemas"]["StreamEvent"]["oneOf"]:
        properties = kind["properties"]
        want(properties["data"]["contentSchema"], {"event": properties["event"]["const"]})

    # What the generator makes are requests: so each answer is asked for as if it were one.
    bodies = schemathesis.openapi.from_dict(
        {
            "openapi": "3.1.0",
            "info": {"title": "answers", "version": "1"},
            "components": INBOX.document["components"],
            "paths": {
                f"/{name}": {
                    "post": {
                        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
                        "responses": {"200": {"description": "taken"}},
                    }
                }
                for name, schema in schemas.items()
            },
        }
    )
    for name, places in meant.items():
        made: list[Any] = []

        @seed(11)
        @settings(
            max_examples=count,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )
        @given(bodies[f"/{name}"]["POST"].as_strategy())
        def make(case: schemathesis.Case) -> None:
            made.append(case.body)  # noqa: B023  (called before the loop goes on)

        make()
        for place in places:
            for body in made:
                if ends_when_it_starts(body):
                    continue
                yield {**place, "body": written(body)}


def written(value: Any) -> Any:
    """As a service writes it: whole numbers, which JSON Schema lets be 1.0, without a fraction."""
    if isinstance(value, dict):
        return {name: written(member) for name, member in value.items()}
    if isinstance(value, list):
        return [written(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def main() -> None:
    if sys.argv[1] == "requests":
        flaws = list(judge_requests(json.load(sys.stdin)["requests"]))
        sys.stdout.writelines(f"{flaw}\n" for flaw in flaws)
        sys.exit(1 if flaws else 0)
    for answer in answers(int(sys.argv[2])):
        sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
