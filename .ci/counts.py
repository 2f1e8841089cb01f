"""Sums the reports of the test runs (xUnit XML) in a folder: what failed, a line each, then `N passed, N failed`.

A step that failed without a failed test in its report (it did not build, or its process died) counts as one failure.
"""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path


LONGEST_MESSAGE = 400


def read(report: Path) -> tuple[int, list[str]]:
    """How many cases of a report passed, and a line for each that failed."""
    passed = 0
    failures = []
    for case in xml.parse(report).iter("testcase"):
        failure = case.find("failure")
        if failure is None:
            failure = case.find("error")
        if failure is not None:
            message = " ".join((failure.get("message") or failure.text or "no message").split())
            name = f"{case.get('classname')}/{case.get('name')}"
            failures.append(f"{name}: {message[:LONGEST_MESSAGE]}")
        elif case.find("skipped") is None:
            passed += 1
    return passed, failures


def main(folder: Path) -> None:
    passed = failed = 0
    failed_steps: set[str] = set()
    for report in sorted(folder.glob("*.xml")):
        step = report.stem.removesuffix("-swift-testing").split(".")[0]
        passed_here, failures = read(report)
        passed += passed_here
        failed += len(failures)
        if failures:
            failed_steps.add(step)
        for failure in failures:
            print(f"failed in {step}: {failure}")
    for mark in sorted(folder.glob("*.failed")):
        if mark.stem not in failed_steps:
            failed += 1
            print(f"failed: {mark.stem}")
    print(f"{passed} passed, {failed} failed")


main(Path(sys.argv[1]))
