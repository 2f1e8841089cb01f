"""Draws texts as PNG with the tool qrencode: level M, four modules of quiet zone."""

import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LARGEST_PAYLOAD = 2331
"""Bytes that a QR code of version 40 holds at level M."""

_PROCESSES = 2
_ARGUMENTS = ("--level=M", "--margin=4", "--size=4", "--type=PNG", "--8bit")


def require_qrencode() -> str:
    """The path of the tool. Raises FileNotFoundError that names the package."""
    path = shutil.which("qrencode")
    if path is None:
        raise FileNotFoundError("qrencode is missing; on Debian it is in the package qrencode")
    return path


def drawable(text: str) -> bool:
    # The tool reads its input as a C string at the end: a zero byte would cut the code short.
    return "\0" not in text and 1 <= len(text.encode("utf-8")) <= LARGEST_PAYLOAD


def draw(codes: Iterable[tuple[str, Path]]) -> None:
    """Draws each text to its file. Raises RuntimeError for the first that the tool refuses."""
    tool = require_qrencode()

    def draw_one(code: tuple[str, Path]) -> None:
        text, path = code
        finished = subprocess.run(
            [tool, *_ARGUMENTS, f"--output={path}"],
            input=text.encode("utf-8"),
            capture_output=True,
            check=False,
        )
        if finished.returncode != 0:
            raise RuntimeError(f"qrencode cannot draw {path.name}: {finished.stderr.decode(errors='replace').strip()}")

    with ThreadPoolExecutor(max_workers=_PROCESSES) as pool:
        for _ in pool.map(draw_one, codes):
            pass
