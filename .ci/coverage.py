"""Prints the line coverage of folders and fails when one falls short: REPORT FOLDER=PERCENT …"""

import json
import sys
from pathlib import Path


def main(report: str, *goals: str) -> int:
    root = Path.cwd()
    files = json.loads(Path(report).read_text())["data"][0]["files"]
    lines = {
        Path(file["filename"]).relative_to(root): file["summary"]["lines"]
        for file in files
        if Path(file["filename"]).is_relative_to(root)
    }
    short = 0
    for goal in goals:
        folder, least = goal.split("=")
        of_folder = [summary for path, summary in lines.items() if path.is_relative_to(folder)]
        total = sum(summary["count"] for summary in of_folder)
        covered = sum(summary["covered"] for summary in of_folder)
        # A folder without a line that could run is one that nobody wrote yet, not one that is covered.
        percent = 100 * covered / total if total else 0.0
        holds = percent >= float(least)
        short += not holds
        verdict = "holds" if holds else "falls short"
        print(f"{folder:24} {percent:6.2f} % of {total:5} lines, at least {least} % asked: {verdict}")
    return 1 if short else 0


sys.exit(main(*sys.argv[1:]))
