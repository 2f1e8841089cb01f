"""The issuer's tickets, configuration and files, judged by the referee."""

import json
import re
import shutil
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from referee import Referee

from portico_backend.cli import main
from portico_backend.issuer.encoding import base64url_bytes
from portico_backend.issuer.folder import read_plan, read_tickets
from portico_backend.issuer.qrcodes import drawable

NOW = 1_783_188_000


def issue(folder: Path, *options: str, tickets: int = 60, seed: int = 1) -> None:
    arguments = ["issue", "--out", str(folder), "--tickets", str(tickets), "--seed", str(seed), "--now", str(NOW)]
    assert main([*arguments, *options]) == 0


def configuration(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "configuration.json").read_text("utf-8"))
    return read


def referee(folder: Path) -> Referee:
    plan = read_plan(folder)
    return Referee(configuration(folder), [event.event_id for event in plan.events], plan.gate_zone, plan.now)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def test_every_issued_ticket_is_admitted_once(tmp_path: Path) -> None:
    issue(tmp_path, "--event", "one", "--event", "two", "--category", "guest", "--category", "crew", tickets=200)
    gate = referee(tmp_path)
    issued = read_tickets(tmp_path)
    assert [gate.judge(ticket["text"]) for ticket in issued] == ["admitted"] * 200
    assert [gate.judge(ticket["text"]) for ticket in issued] == ["alreadyUsed"] * 200
    assert {ticket["eventId"] for ticket in issued} == {"one", "two"}
    assert {ticket["category"] for ticket in issued} == {"guest", "crew"}
    assert {ticket["zoneId"] for ticket in issued} == {"main", "vip"}
    assert {ticket.get("keyId") for ticket in issued} == {None, "one-1", "one-2", "two-1", "two-2"}
    assert max(len(ticket["text"]) for ticket in issued) <= 500


def test_a_line_says_what_its_ticket_says(tmp_path: Path) -> None:
    issue(tmp_path, "--uses", "3")
    for line in read_tickets(tmp_path):
        members = json.loads(base64url_bytes(line["text"]))
        del members["signature"]
        assert line["signedBytesSha256"] == sha256(rfc8785.dumps(members)).hexdigest()
        assert (line["uses"], members["uses"]) == (3, 3)
        assert (line["ticketId"], line["zoneId"]) == (members["ticketId"], members["zoneId"])


def test_a_seed_repeats_an_issue_and_none_never_does(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        issue(tmp_path / name, seed=seed)
    for name in ("d", "e"):
        assert main(["issue", "--out", str(tmp_path / name), "--tickets", "2", "--now", str(NOW)]) == 0
    a, b, c, d, e = ((tmp_path / name / "tickets.jsonl").read_bytes() for name in "abcde")
    assert a == b
    assert len({a, c, d, e}) == 4


def test_private_keys_are_for_their_owner_alone(tmp_path: Path) -> None:
    issue(tmp_path)
    issue(tmp_path)
    assert stat.S_IMODE((tmp_path / "keys.json").stat().st_mode) == 0o600
    secrets = re.findall(r'"privateKey": "([^"]+)"', (tmp_path / "keys.json").read_text())
    assert len(secrets) == 6
    others = (tmp_path / "configuration.json").read_text() + (tmp_path / "tickets.jsonl").read_text()
    assert not any(secret in others for secret in secrets)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["configuration.json", "keys.json", "tickets.jsonl"]


def test_a_configuration_has_one_key_of_each_state(tmp_path: Path) -> None:
    issue(tmp_path, "--version", "7", "--revoked-tickets", "4")
    read = configuration(tmp_path)
    assert (read["schema"], read["version"]) == ("portico.gate/1", 7)
    served, other = read["events"]
    assert [key["status"] for key in served["keys"]] == ["active", "retired", "revoked"]
    assert len(served["revokedTickets"]) == 6
    assert "revokedTickets" not in other
    assert [zone["zoneId"] for zone in served["zones"]] == [zone["zoneId"] for zone in other["zones"]]
    assert all(len(base64url_bytes(key["publicKey"])) == 32 for event in read["events"] for key in event["keys"])


@pytest.mark.parametrize(
    "options",
    [
        ("--tickets", "-1"),
        ("--event", "a b"),
        ("--event", "one", "--event", "one"),
        ("--event", "winter-market"),
        ("--zone", "backstage"),
        ("--uses", "1001"),
        ("--retired-key-share", "1.5"),
        ("--now", "0"),
        ("--version", "0"),
    ],
)
def test_options_out_of_range_are_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    assert main(["issue", "--out", str(tmp_path / "out"), "--tickets", "1", *options]) == 1
    assert capsys.readouterr().err.startswith("issue: ")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("moment", ["yesterday", "2026-07-04T18:00:00", "1783188000000", "²"])
def test_a_moment_that_is_unclear_is_refused(tmp_path: Path, moment: str) -> None:
    with pytest.raises(SystemExit):
        main(["issue", "--out", str(tmp_path), "--tickets", "1", "--now", moment])


def test_a_moment_may_be_written_either_way(tmp_path: Path) -> None:
    issue(tmp_path / "a", "--now", "2026-07-04T20:00:00+02:00")
    assert read_plan(tmp_path / "a").now == NOW


def test_hostile_codes_are_judged_as_they_expect(tmp_path: Path) -> None:
    issued, hostile = tmp_path / "issued", tmp_path / "hostile"
    for seed in range(3):
        issue(issued, seed=seed)
        assert main(["hostile", "--issued", str(issued), "--out", str(hostile), "--seed", str(seed)]) == 0
        gate = referee(issued)
        for ticket in read_tickets(issued):
            assert gate.judge(ticket["text"]) == "admitted"
        codes = lines(hostile / "hostile.jsonl")
        wrong = [
            (code["why"], code["expect"], got) for code in codes if (got := gate.judge(code["text"])) != code["expect"]
        ]
        assert wrong == []
        assert {code["expect"] for code in codes} == {
            "admitted", "malformed", "unsupportedFormat", "unknownEvent", "unknownKey", "badSignature", "keyRevoked",
            "outsideKeyValidity", "inconsistent", "wrongEvent", "revoked", "issuedInFuture", "notYetValid", "expired",
            "wrongZone", "alreadyUsed",
        }  # fmt: skip
        tickets = {ticket["ticketId"] for ticket in read_tickets(issued)}
        assert all((code.get("after") in tickets) == (code["expect"] == "alreadyUsed") for code in codes)


def test_hostile_codes_need_an_issue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hostile", "--issued", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    (tmp_path / "keys.json").write_text("{}")
    assert main(["hostile", "--issued", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert "was not written by issue" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("qrencode") is None, reason="qrencode is not installed (Debian package qrencode)")
def test_images_are_drawn_for_every_code_that_fits(tmp_path: Path) -> None:
    issue(tmp_path, "--png", tickets=3)
    assert sorted(path.name for path in (tmp_path / "tickets").iterdir()) == ["0001.png", "0002.png", "0003.png"]
    assert main(["hostile", "--issued", str(tmp_path), "--out", str(tmp_path / "h"), "--seed", "1", "--png"]) == 0
    codes = lines(tmp_path / "h" / "hostile.jsonl")
    assert all(("image" in code) == drawable(code["text"]) for code in codes)
    drawn = [tmp_path / "h" / code["image"] for code in codes if "image" in code]
    assert all(path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n") for path in drawn)
    assert len(drawn) > 200


def test_a_missing_tool_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["issue", "--out", str(tmp_path / "out"), "--tickets", "1", "--png"]) == 1
    assert "package qrencode" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
