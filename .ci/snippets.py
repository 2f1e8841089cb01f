"""Writes every Swift block of the documentation as a file that the compiler can judge: OUT MODULE …

Blocks stand between ```swift and ``` in Markdown and in documentation comments. A block is the body of an asynchronous
throwing function, unless it begins with a declaration that cannot be local (an extension, a protocol, @main). What a
block takes from its surroundings (`store`, `text` …) is declared in .ci/snippets-prelude.swift.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

GLOBAL = ("extension ", "public extension ", "protocol ", "@main")


def blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The Swift blocks of a file, each with the line at which its first line stands."""
    inside: list[str] | None = None
    start = 0
    for number, raw in enumerate(path.read_text().splitlines(), 1):
        line = raw
        if path.suffix == ".swift":
            stripped = raw.lstrip()
            if not stripped.startswith("///"):
                inside = None
                continue
            line = stripped.removeprefix("///").removeprefix(" ")
        if inside is None:
            if line.strip() == "```swift":
                inside, start = [], number + 1
        elif line.strip() == "```":
            yield start, inside
            inside = None
        else:
            inside.append(line)


def program(path: Path, start: int, lines: list[str], name: str, modules: list[str]) -> str:
    imports = [line for line in lines if line.startswith("import ")]
    # Imports go to the top of the file, and the lines after them keep their numbers.
    code = ["" if line in imports else line for line in lines]
    first = next((line for line in code if line and not line.startswith("//")), "")
    here = f'#sourceLocation(file: "{path}", line: {start})'
    head = [*(f"import {module}" for module in modules), *imports]
    if first.startswith(GLOBAL):
        return "\n".join([*head, here, *code, ""])
    return "\n".join([*head, f"func {name}() async throws {{", here, *code, "#sourceLocation()", "}", ""])


def main(out: str, *modules: str) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md", "*.swift"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    paths = sorted({Path(name) for name in listed.split("\0") if name and Path(name).exists()})
    folder = Path(out)
    folder.mkdir(parents=True)
    count = 0
    for path in paths:
        # What is no product cannot be imported, and its documentation is for those who read its source.
        if path.suffix == ".swift" and path.parts[0] not in ("Sources", "Adapters"):
            continue
        for start, lines in blocks(path):
            count += 1
            name = f"snippet{count}"
            (folder / f"{name}.swift").write_text(program(path, start, lines, name, list(modules)))
    print(f"{count} snippets")


main(*sys.argv[1:])
