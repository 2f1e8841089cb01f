"""The command line: five commands, each of which checks its input before it does anything."""

import argparse
import asyncio
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from .faults import FaultPlan
from .faults import __doc__ as faults_help
from .inbox.faults import InboxFaultPlan
from .inbox.faults import __doc__ as inbox_faults_help
from .inbox.service import InboxSettings, serve_inbox
from .issuer.canonical import canonical_pairs
from .issuer.folder import read_plan, read_tickets, write_issue, write_lines
from .issuer.hostile import hostile_codes
from .issuer.plan import DEFAULT_EVENTS, DEFAULT_ZONES, HOUR, Options, draw_plan
from .issuer.qrcodes import draw, drawable, require_qrencode
from .issuer.tickets import issue_tickets
from .service import Settings, serve
from .times import now_milliseconds, read_moment


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit codes: 0 done, 1 failed (one line on standard error), 2 wrong usage."""
    chosen = _parser().parse_args(arguments)
    try:
        chosen.run(chosen)
    except BrokenPipeError:
        # The reader has seen enough; what is left must not be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, RuntimeError) as error:
        print(f"{chosen.command}: {error}", file=sys.stderr)
        return 1
    return 0


# The commands


def _serve(chosen: argparse.Namespace) -> None:
    settings = Settings(
        database=chosen.database,
        port=chosen.port,
        token=chosen.token,
        faults=FaultPlan(chosen.faults, chosen.fault_seed),
        allows_fault_control=chosen.allow_fault_control,
    )
    asyncio.run(serve(settings))


def _inbox(chosen: argparse.Namespace) -> None:
    settings = InboxSettings(
        database=chosen.database,
        port=chosen.port,
        api_key=chosen.api_key,
        keep_alive=chosen.keep_alive,
        retry_milliseconds=chosen.retry,
        faults=InboxFaultPlan(chosen.faults, chosen.fault_seed),
    )
    asyncio.run(serve_inbox(settings))


def _issue(chosen: argparse.Namespace) -> None:
    if chosen.png:
        require_qrencode()
    chance = _randomness(chosen.seed, chosen.command)
    options = Options(
        tickets=chosen.tickets,
        now=_now(chosen.now),
        events=tuple(chosen.event or DEFAULT_EVENTS),
        zones=tuple(chosen.zone or DEFAULT_ZONES),
        categories=tuple(chosen.category or ()),
        uses=chosen.uses,
        window_before=round(chosen.window_before * HOUR),
        window_after=round(chosen.window_after * HOUR),
        version=chosen.version,
        revoked_tickets=chosen.revoked_tickets,
        retired_key_share=chosen.retired_key_share,
        named_key_share=chosen.named_key_share,
        text_times_share=chosen.text_times_share,
        display_share=chosen.display_share,
    )
    plan = draw_plan(options, chance)
    written = write_issue(chosen.out, plan, issue_tickets(plan, options, chance), chosen.png)
    events = ", ".join(event.event_id for event in plan.events)
    print(f"issued {written} tickets for {events} at zone {plan.gate_zone} in {chosen.out}")


def _hostile(chosen: argparse.Namespace) -> None:
    if chosen.png:
        require_qrencode()
    plan, issued = read_plan(chosen.issued), read_tickets(chosen.issued)
    codes = [code.json() for code in hostile_codes(plan, issued, _randomness(chosen.seed, chosen.command))]
    chosen.out.mkdir(parents=True, exist_ok=True)
    if chosen.png:
        (chosen.out / "codes").mkdir(exist_ok=True)
        for number, code in enumerate(codes, start=1):
            if drawable(code["text"]):
                code["image"] = f"codes/{number:04d}.png"
        draw((code["text"], chosen.out / code["image"]) for code in codes if "image" in code)
    write_lines(chosen.out / "hostile.jsonl", codes)
    print(f"wrote {len(codes)} codes to {chosen.out / 'hostile.jsonl'}")


def _canonical(chosen: argparse.Namespace) -> None:
    def write(output: TextIO) -> None:
        for pair in canonical_pairs(
            chosen.generate, _randomness(chosen.seed, chosen.command), not chosen.without_noncharacters
        ):
            output.write(json.dumps(pair, separators=(",", ":")) + "\n")
        output.flush()

    if chosen.out is None:
        write(sys.stdout)
    else:
        with chosen.out.open("w", encoding="ascii") as file:
            write(file)


def _randomness(seed: int | None, purpose: str) -> random.Random:
    # A seed makes an issue repeatable, its private keys too: for tests. Without one the system's generator serves.
    # The purpose keeps one seed for two commands from drawing one key as the event's and as the forger's.
    return random.SystemRandom() if seed is None else random.Random(f"{purpose} {seed}")


def _now(moment: int | None) -> int:
    return now_milliseconds() // 1000 if moment is None else moment


# The arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="portico_backend", description="Reference service and ticket issuer.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_serve(commands)
    _add_inbox(commands)
    _add_issue(commands)
    _add_hostile(commands)
    _add_canonical(commands)
    return parser


_Commands = argparse._SubParsersAction  # argparse has no public name for it


def _add_serve(commands: "_Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "serve",
        help="serve POST /v1/scans on 127.0.0.1",
        epilog=faults_help,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=_port, default=8080, help="0 chooses a free one (default 8080)")
    parser.add_argument("--database", type=Path, required=True, metavar="FILE", help="SQLite file, made if absent")
    parser.add_argument("--token", help="demand this bearer token")
    parser.add_argument("--faults", default="", metavar="SPEC", help="misbehave, see below")
    parser.add_argument("--fault-seed", type=int, default=0, metavar="N", help="repeat the same misfortunes")
    parser.add_argument("--allow-fault-control", action="store_true", help="offer PUT /v1/faults")
    parser.set_defaults(run=_serve)


def _add_inbox(commands: "_Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "inbox",
        help="serve messages, preferences, devices and a stream of changes on 127.0.0.1",
        epilog=inbox_faults_help,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=_port, default=8081, help="0 chooses a free one (default 8081)")
    parser.add_argument("--database", type=Path, metavar="FILE", help="SQLite file, made if absent (default: memory)")
    parser.add_argument("--api-key", metavar="KEY", help="of operators (default: one is made and printed)")
    parser.add_argument(
        "--keep-alive", type=_seconds, default=15.0, metavar="SECONDS", help="between comments (default 15)"
    )
    parser.add_argument(
        "--retry", type=_milliseconds, default=1000, metavar="MS", help="clients come back so late (default 1000)"
    )
    parser.add_argument("--faults", default="", metavar="SPEC", help="misbehave, see below")
    parser.add_argument("--fault-seed", type=int, default=0, metavar="N", help="repeat the same misfortunes")
    parser.set_defaults(run=_inbox)


def _add_issue(commands: "_Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("issue", help="make event keys, a gate configuration and tickets")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--tickets", type=int, required=True, metavar="N")
    parser.add_argument("--seed", type=int, metavar="S", help="repeatable, keys included: for tests only")
    parser.add_argument("--now", type=_moment, metavar="TIME", help="epoch seconds or RFC 3339 (default: the clock)")
    parser.add_argument("--png", action="store_true", help="draw DIR/tickets/NNNN.png with qrencode")
    parser.add_argument("--event", action="append", metavar="ID", help="an event that the gate serves; repeatable")
    parser.add_argument("--zone", action="append", metavar="ID", help="the first is the gate's and admits all")
    parser.add_argument("--category", action="append", metavar="ID", help="tickets take turns; repeatable")
    parser.add_argument("--uses", type=int, default=1, metavar="N", help="admissions of each ticket (default 1)")
    parser.add_argument("--window-before", type=float, default=6, metavar="HOURS", help="valid so long before now")
    parser.add_argument("--window-after", type=float, default=12, metavar="HOURS", help="valid so long after now")
    parser.add_argument("--version", type=int, default=1, metavar="N", help="of the configuration")
    parser.add_argument("--revoked-tickets", type=int, default=3, metavar="N", help="on the revocation list")
    for name, default, what in (
        ("--retired-key-share", 0.2, "signed by the event's retired key"),
        ("--named-key-share", 0.5, "with keyId"),
        ("--text-times-share", 0.1, "with times as text"),
        ("--display-share", 0.3, "with holder and seat"),
    ):
        parser.add_argument(name, type=float, default=default, metavar="0…1", help=f"{what} (default {default})")
    parser.set_defaults(run=_issue)


def _add_hostile(commands: "_Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("hostile", help="make codes with the reason that a gate must give for each")
    parser.add_argument("--issued", type=Path, required=True, metavar="DIR", help="what issue wrote")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seed", type=int, metavar="S")
    parser.add_argument("--png", action="store_true", help="draw DIR/codes/NNNN.png of those that fit")
    parser.set_defaults(run=_hostile)


def _add_canonical(commands: "_Commands[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("canonical", help="write JSON objects and their RFC 8785 form, a pair a line")
    parser.add_argument("--generate", type=int, required=True, metavar="N")
    parser.add_argument("--seed", type=int, metavar="S")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    parser.add_argument("--without-noncharacters", action="store_true", help="keep to I-JSON")
    parser.set_defaults(run=_canonical)


def _port(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError("a port is 0 to 65535")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0.01 <= value <= 86_400:
        raise argparse.ArgumentTypeError("0.01 to 86400 seconds")
    return value


def _milliseconds(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 86_400_000:
        raise argparse.ArgumentTypeError("0 to 86400000 milliseconds")
    return value


def _moment(text: str) -> int:
    try:
        return read_moment(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
