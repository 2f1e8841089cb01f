"""Sums the reports of the test runs (xUnit XML) in a folder: `N passed, N failed`.

A step that failed without a failed test in its report (it did not build, or its process died) counts as one failure.
"""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def count(report: Path) -> tuple[int, int]:
    passed = failed = 0
    for case in xml.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is None:
            passed += 1
    return passed, failed


def main(folder: Path) -> None:
    passed = failed = 0
    failed_steps: set[str] = set()
    for report in sorted(folder.glob("*.xml")):
        of_report = count(report)
        passed += of_report[0]
        failed += of_report[1]
        if of_report[1]:
            failed_steps.add(report.stem.removesuffix("-swift-testing").split(".")[0])
    failed += sum(mark.stem not in failed_steps for mark in folder.glob("*.failed"))
    print(f"{passed} passed, {failed} failed")


main(Path(sys.argv[1]))
