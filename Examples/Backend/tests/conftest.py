from collections.abc import Iterator
from pathlib import Path

import pytest
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


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "scans.sqlite"
