import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from inbox import Inbox, Recipient
from service import Service


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for the tests that use devices of their own and look at no totals."""
    database = tmp_path_factory.mktemp("shared") / "scans.sqlite"
    with Service(database, "--allow-fault-control") as service:
        yield service


@pytest.fixture
def calm(shared: Service) -> Iterator[Service]:
    """The shared service without faults, before and after."""
    shared.set_faults("")
    yield shared
    shared.set_faults("")


@pytest.fixture(scope="session")
def shared_inbox() -> Iterator[Inbox]:
    with Inbox("--keep-alive", "0.2") as inbox:
        yield inbox


@pytest.fixture
def inbox(shared_inbox: Inbox) -> Iterator[Inbox]:
    """The shared inbox without faults, before and after."""
    shared_inbox.set_faults("")
    yield shared_inbox
    shared_inbox.set_faults("")


@pytest.fixture
def anna(inbox: Inbox) -> Recipient:
    """A recipient of whom the inbox knows nothing yet."""
    return inbox.recipient(f"anna-{secrets.token_hex(4)}")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "scans.sqlite"
