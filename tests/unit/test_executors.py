"""Units of work: the same results on every engine, losses made good, errors that name the unit."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import poolwise as pw
from poolwise.basics.workers import Lacking, Threads, run_units, with_ticket
from poolwise.errors import ArgumentError, InputError, PoolwiseError

UNITS = range(20)
EXPECTED = [(unit, 100 + unit) for unit in UNITS]


def add(shared, unit):
    return shared + unit


def add_and_say_where(shared, unit):
    return os.getpid(), len(shared)


def die_once(shared, unit):
    if unit == 7 and not Path(shared).exists():
        Path(shared).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 100 + unit


def die_at_seven(shared, unit):
    if unit == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return unit


def fail_at_seven(shared, unit):
    if unit == 7:
        raise shared
    return unit


def interrupted(shared, unit):
    """A terminal sends Ctrl-C to every process that it started."""
    os.kill(os.getpid(), signal.SIGINT)
    return shared + unit


class Counted:
    """Counts how often it is pickled and unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __getstate__(self):
        Path(self.folder, f"pickled-{len(os.listdir(self.folder))}").touch()
        return {"folder": self.folder}

    def __setstate__(self, state):
        self.folder = state["folder"]
        Path(self.folder, f"unpickled-{os.getpid()}-{len(os.listdir(self.folder))}").touch()

    def __radd__(self, other):
        return other

    def __add__(self, other):
        return other


class Elsewhere:
    """An executor of another machine: it gets pickles and sees no files of this one."""

    def __init__(self):
        self.complete = 0

    def submit(self, function, *arguments):
        import pickle

        function, (key, _, data), unit = pickle.loads(pickle.dumps(arguments))
        self.complete += data is not None
        future: Future[object] = Future()
        future.set_result(with_ticket(function, (key, "/no/such/file", data), unit))
        return future


def processes():
    return ProcessPoolExecutor(2, mp_context=get_context("fork"))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_of_this_process(threads):
    assert list(run_units(add, 100, UNITS, threads=threads)) == EXPECTED


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(3), processes], ids=["threads", "processes"])
def test_pools_give_the_same(make):
    seen = []
    with make() as executor:
        got = list(run_units(add, 100, UNITS, executor=executor, progress=lambda *counts: seen.append(counts)))
    assert got == EXPECTED
    assert seen == [(done, 20) for done in range(1, 21)]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_shared_part_is_pickled_once_and_unpickled_once_a_worker(tmp_path):
    with processes() as executor:
        assert len(list(run_units(add, Counted(str(tmp_path)), range(40), executor=executor))) == 40
    names = [path.name for path in tmp_path.iterdir()]
    workers = [name.split("-")[1] for name in names if name.startswith("unpickled")]
    assert sum(name.startswith("pickled") for name in names) == 1
    assert 1 <= len(workers) == len(set(workers)) <= 2


def test_shared_part_is_sent_where_its_file_cannot_be_seen():
    elsewhere = Elsewhere()
    assert list(run_units(add, 100, UNITS, executor=elsewhere)) == EXPECTED
    assert 1 <= elsewhere.complete <= 20
    again = Elsewhere()
    assert list(run_units(add, 100, UNITS, executor=again)) == EXPECTED
    assert again.complete == 0  # kept since


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_units_lost_with_a_process_are_done_again(tmp_path):
    with processes() as executor:
        assert list(run_units(die_once, str(tmp_path / "died"), UNITS, executor=executor)) == EXPECTED
    assert (tmp_path / "died").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_unit_that_kills_its_worker_is_named():
    done = []
    with processes() as executor, pytest.raises(PoolwiseError, match="trial 7: its worker was lost 3 times"):
        done.extend(run_units(die_at_seven, 0, UNITS, executor=executor, name=lambda unit: f"trial {unit}"))


def test_errors_name_their_unit():
    with pytest.raises(InputError, match=r"^part 7: no rows$"):
        list(run_units(fail_at_seven, InputError("no rows"), UNITS, name=lambda unit: f"part {unit}"))
    with pytest.raises(InputError, match=r"^part 7: no rows$"):
        list(run_units(fail_at_seven, InputError("part 7: no rows"), UNITS, name=lambda unit: f"part {unit}"))
    with pytest.raises(KeyError) as caught:
        list(run_units(fail_at_seven, KeyError("x"), UNITS))
    assert "unit 7" in caught.value.__notes__[0]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_temporary_file_is_removed_also_when_work_is_left(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with processes() as executor:
        results = run_units(add, 100, UNITS, executor=executor)
        assert next(results) == (0, 100)
        assert len(list(tmp_path.iterdir())) == 1
        results.close()
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_executor_is_refused():
    with pytest.raises(ArgumentError, match=r"give a concurrent\.futures\.Executor"):
        list(run_units(add, 100, UNITS, executor="local"))


def test_a_pool_that_was_shut_down_is_an_error():
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        list(run_units(add, 100, UNITS, executor=executor))


# ---- Threads of this process ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("started", [0, 1, 2])
def test_threads_that_cannot_start_are_done_without(monkeypatch, started):
    """The system's limits may leave fewer threads than were asked for, or none."""
    usual, count = threading.Thread.start, iter(range(1000))

    def start(thread):
        if next(count) >= started:
            raise RuntimeError("can't start new thread")
        usual(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    assert list(run_units(add, 100, UNITS, threads=4)) == EXPECTED
    with Threads(4) as pool:
        assert list(pool.map(add, range(5), range(5))) == [0, 2, 4, 6, 8]


def test_threads_hand_on_errors_and_cancelled_work():
    with Threads(1) as pool:
        failed = pool.submit(fail_at_seven, KeyError("x"), 7)
        assert isinstance(failed.exception(), KeyError)
        waiting = [pool.submit(time.sleep, 0.05) for _ in range(50)]
        pool.shutdown(cancel_futures=True)
    assert sum(each.cancelled() for each in waiting) >= 40


def spin(shared, unit):
    """Work in Python, in the core, or asleep, for a minute."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        shared()


def interrupt(begins: list[float]) -> None:
    """Ctrl-C, which the system hands to the main thread; a signal to the process may go to any, as under xdist."""
    begins.append(time.monotonic())
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def python_work():
    sum(range(1000))


# Other tests of a long-lived worker leave threads behind that the signal may reach; these have a process of their own.
alone = pytest.mark.skipif(
    "PYTEST_XDIST_WORKER" in os.environ, reason="run by test_interrupts_in_a_process_of_their_own"
)


@pytest.mark.slow
def test_interrupts_in_a_process_of_their_own():
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    chosen = ["-k", "under_way or leave_the_core", "-p", "no:xdist", "-p", "no:cacheprovider"]
    called = [sys.executable, "-m", "pytest", "-q", __file__, *chosen]
    done = subprocess.run(called, capture_output=True, text=True, env=own, cwd=Path(__file__).parents[2], timeout=120)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "5 passed" in done.stdout


@alone
@pytest.mark.parametrize("work", [python_work, lambda: time.sleep(0.05)], ids=["python", "asleep"])
@pytest.mark.parametrize("threads", [1, 3])
def test_units_under_way_are_left_when_the_user_stops(work, threads):
    begins: list[float] = []
    timer = threading.Timer(0.3, interrupt, [begins])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        list(run_units(spin, work, range(4), threads=threads))
    assert time.monotonic() - begins[0] < 2
    assert not [thread for thread in threading.enumerate() if "_serve" in thread.name]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_processes_leave_ctrl_c_to_the_one_that_waits_for_them():
    """One that was interrupted while it handed over its result held the others' queue for good."""
    with processes() as executor:
        assert list(run_units(interrupted, 100, UNITS, executor=executor)) == EXPECTED


@alone
def test_threads_leave_the_core_too(tmp_path):
    """A call of the core in another thread, which would take many seconds, ends when its thread is asked to."""
    lines = "".join(f"{t} Q0 d{d:07d} {d + 1} {9000 - d}.5 run\n" for t in range(20) for d in range(5000))
    (tmp_path / "qrels").write_text("1 0 d1 1\n")
    (tmp_path / "run").write_text(lines)
    (tmp_path / "runs").mkdir()
    for number in range(1500):
        os.symlink("../run", tmp_path / "runs" / str(number))
    begins: list[float] = []
    timer = threading.Timer(0.4, interrupt, [begins])
    timer.start()
    with pytest.raises(KeyboardInterrupt), Threads(1) as pool:
        pool.submit(pw.read, tmp_path / "qrels", tmp_path / "runs", threads=1).result()
    assert time.monotonic() - begins[0] < 2
    assert threading.active_count() < 4


# ---- Whom to trust -------------------------------------------------------------------------------------------------


class Evil:
    """Unpickling it leaves a mark."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (Path(self.mark),)


def test_a_file_that_is_not_ours_is_not_unpickled(tmp_path):
    """The path of the shared part may be somebody else's file on another machine."""
    (tmp_path / "shared").write_bytes(pickle.dumps(Evil(str(tmp_path / "mark"))))
    ticket = ("0" * 64, str(tmp_path / "shared"), None)
    assert isinstance(with_ticket(add, ticket, 1), Lacking)
    assert isinstance(with_ticket(add, (*ticket[:2], pickle.dumps(100)), 1), Lacking)
    assert not (tmp_path / "mark").exists()
