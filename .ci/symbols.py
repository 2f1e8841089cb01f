"""Judges symbol graphs: what is public is documented, and is what the committed lists say.

usage: symbols.py check|write GRAPHS LISTS PRODUCT …

A list has one line for each public declaration, sorted: its place, its declaration with every type named by its module,
and what it conforms to. So a change of an interface is a change of a file, and is seen by whoever reads the change.
"""

import difflib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

Symbol = dict[str, Any]

# What every type has unless it says otherwise tells nothing.
IMPLIED = {"Swift.SendableMetatype", "Swift.Copyable", "Swift.Escapable"}


def load(graphs: Path, product: str) -> list[dict[str, Any]]:
    """The graph of a module, and those of its extensions of other modules' types."""
    files = [graphs / f"{product}.symbols.json", *sorted(graphs.glob(f"{product}@*.symbols.json"))]
    return [json.loads(file.read_text()) for file in files]


def undocumented(graph: dict[str, Any]) -> list[str]:
    return [
        f"{place(symbol)} has no documentation comment ({where(symbol)})"
        for symbol in graph["symbols"]
        if not text_of(symbol).strip()
    ]


def text_of(symbol: Symbol) -> str:
    return "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))


def place(symbol: Symbol) -> str:
    return ".".join(symbol["pathComponents"])


def where(symbol: Symbol) -> str:
    location = symbol.get("location")
    if not location:
        return "made by the compiler"
    path = location["uri"].removeprefix("file://").removeprefix(f"{Path.cwd()}/")
    return f"{path}:{location['position']['line'] + 1}"


def demangled(identifiers: set[str]) -> dict[str, str]:
    """Full names by the graph's identifiers, which are mangled names behind `s:`; those of C keep their own."""
    swift = sorted(identifier for identifier in identifiers if identifier.startswith("s:"))
    if not swift:
        return {}
    names = subprocess.run(
        ["swift", "demangle", "--compact"],
        input="\n".join("$s" + identifier.removeprefix("s:") for identifier in swift),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return dict(zip(swift, names, strict=True))


def declaration(symbol: Symbol, names: dict[str, str]) -> str:
    text = ""
    for fragment in symbol["declarationFragments"]:
        if fragment["kind"] == "internalParam":
            # A parameter's inner name is no part of the interface.
            text = text.rstrip()
        elif fragment["kind"] == "typeIdentifier":
            text += names.get(fragment.get("preciseIdentifier", ""), fragment["spelling"])
        else:
            text += fragment["spelling"]
    return " ".join(text.split())


def listing(product: str, graphs: list[dict[str, Any]]) -> str:
    identifiers = {
        fragment["preciseIdentifier"]
        for graph in graphs
        for symbol in graph["symbols"]
        for fragment in symbol["declarationFragments"]
        if "preciseIdentifier" in fragment
    } | {relation["target"] for graph in graphs for relation in graph["relationships"]}
    names = demangled(identifiers)

    notes: dict[str, set[str]] = {}
    lines: list[str] = []
    known = {symbol["identifier"]["precise"]: place(symbol) for graph in graphs for symbol in graph["symbols"]}
    for graph in graphs:
        for relation in graph["relationships"]:
            source, kind = relation["source"], relation["kind"]
            if kind == "conformsTo":
                target = names.get(relation["target"], relation.get("targetFallback", relation["target"]))
                if target in IMPLIED:
                    continue
                if source in known:
                    notes.setdefault(source, set()).add(target)
                else:
                    lines.append(f"extension {names.get(source, source)}: {target}")
            elif kind in ("requirementOf", "defaultImplementationOf"):
                notes.setdefault(source, set()).add(f"[{'requirement' if kind == 'requirementOf' else 'default'}]")
    for graph in graphs:
        for symbol in graph["symbols"]:
            line = f"{product}.{place(symbol)}    {declaration(symbol, names)}"
            constraints = symbol.get("swiftExtension", {}).get("constraints", [])
            if constraints:
                line += " where " + ", ".join(f"{c['lhs']} {c['kind']} {c['rhs']}" for c in constraints)
            if noted := notes.get(symbol["identifier"]["precise"]):
                line += "    " + " ".join(sorted(noted))
            lines.append(line)
    return "".join(f"{line}\n" for line in sorted(set(lines)))


def main(mode: str, graphs: str, lists: str, *products: str) -> int:
    folder = Path(lists)
    wrong: list[str] = []
    count = 0
    for product in products:
        of_product = load(Path(graphs), product)
        for graph in of_product:
            count += len(graph["symbols"])
            wrong += [f"{product}: {complaint}" for complaint in undocumented(graph)]
        file = folder / f"{product}.txt"
        now = listing(product, of_product)
        if mode == "write":
            folder.mkdir(exist_ok=True)
            file.write_text(now)
            continue
        if not file.exists():
            wrong.append(f"{file} is not there: 'make api' writes it")
            continue
        difference = list(
            difflib.unified_diff(
                file.read_text().splitlines(), now.splitlines(), str(file), "the public interface now", lineterm="", n=0
            )
        )
        if difference:
            wrong.append("\n".join([*difference, f"{file} says otherwise: 'make api' writes it anew, if it is meant"]))
    for stale in sorted(file for file in folder.glob("*.txt") if file.stem not in products):
        if mode == "write":
            stale.unlink()
        else:
            wrong.append(f"{stale} is the list of no product")
    for complaint in wrong:
        print(complaint)
    print(f"{count} public symbols of {len(products)} products, {len(wrong)} complaints")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
