"""What a Dask cluster may lack: a scheduler at its address, workers, poolwise on them, the same version of it."""

from __future__ import annotations

import contextlib
import http.server
import os
import signal
import socket
import threading
import time
import warnings

import pytest

import poolwise as pw
from poolwise.basics import dask_workers as dask_engine
from poolwise.basics.dask_workers import connect
from poolwise.basics.workers import run_units
from poolwise.errors import ArgumentError, InputError, PoolwiseWarning

distributed = pytest.importorskip("distributed", reason="it comes with the extra 'cluster'")


@pytest.fixture
def web_server():
    """A server that waits to be asked, as that of the dashboard."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.slow
def test_a_web_server_is_no_scheduler(web_server, monkeypatch):
    """A client took its answer for the size of a message, or waited for minutes."""
    monkeypatch.setattr(dask_engine, "ANSWER", 0.5)
    begin = time.monotonic()
    for address in (web_server, f"tcp://{web_server}"):
        with pytest.raises(ArgumentError, match="is no scheduler; is it the port of the dashboard"), connect(address):
            pass
    assert time.monotonic() - begin < 5


@pytest.mark.slow
def test_workers_of_this_machine_leave_ctrl_c_to_the_one_that_waits_for_them():
    """A terminal sends it to all of them, and each printed where it was."""
    with connect("local", 1) as executor:
        assert executor.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) != signal.SIG_IGN


def test_what_speaks_first_but_otherwise():
    """Mail servers greet with text, which is an absurd size."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet():
            connection, _ = listener.accept()
            with connection, contextlib.suppress(ConnectionError):
                connection.send(b"220 mail.example ESMTP\r\n")
                connection.recv(1)

        greeter = threading.Thread(target=greet)
        greeter.start()
        with pytest.raises(ArgumentError, match="no scheduler"), connect(f"127.0.0.1:{listener.getsockname()[1]}"):
            pass
        greeter.join()


def test_nothing_listens():
    with pytest.raises(ArgumentError, match="no Dask scheduler answers"), connect("127.0.0.1:9"):
        pass


class Client:
    """A client whose workers answer as told."""

    def __init__(self, answer):
        self.answer = answer

    def run(self, function):
        if isinstance(self.answer, Exception):
            raise self.answer
        return {"tcp://w": self.answer}


def test_workers_without_poolwise_or_of_another_version():
    for error in (ImportError("no"), Exception("ModuleNotFoundError(\"No module named 'poolwise'\")")):
        with pytest.raises(ArgumentError, match="a Dask worker cannot import poolwise"):
            dask_engine._check_versions(Client(error))
    with pytest.raises(InputError, match="the Dask scheduler is gone"):
        dask_engine._check_versions(Client(OSError("Stream is closed")))
    with pytest.raises(ArgumentError, match=r"has poolwise 0\.0\.9, here is"):
        dask_engine._check_versions(Client("0.0.9"))
    dask_engine._check_versions(Client(pw.__version__))
    with pytest.raises(ArgumentError, match=r"here is 0\.0\.9"):  # a worker that joined late
        dask_engine._same_version("0.0.9", pow, 2, 3)
    assert dask_engine._same_version(pw.__version__, pow, 2, 3) == 8


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_without_workers_is_waited_for_and_said(monkeypatch):
    monkeypatch.setattr(dask_engine, "PATIENCE", 0.2)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        warnings.catch_warnings(record=True) as seen,
    ):
        warnings.simplefilter("always", PoolwiseWarning)
        threading.Timer(1.5, lambda: cluster.scale(1)).start()
        assert list(run_units(pow, 2, [3, 1, 2], executor=client)) == [(0, 8), (1, 2), (2, 4)]
    ours = [str(warning.message) for warning in seen if warning.category is PoolwiseWarning]
    assert ours == ["the Dask cluster has no worker; waiting for one"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_of_this_machine_keep_the_memory_they_had():
    """What glibc reads when a process starts; Dask's own setting has it give everything back at once."""
    with connect("local", 1) as executor:
        (kept,) = executor._client.run(os.getenv, "MALLOC_TRIM_THRESHOLD_").values()
        assert int(kept) >= 1 << 30
        assert [result for _, result in run_units(pow, 2, [3, 1], executor=executor)] == [8, 2]
