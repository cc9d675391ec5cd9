"""Whatever Python hands to the core is looked at before it is used; long work of it can be stopped."""

from __future__ import annotations

import gc
import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest

import poolwise as pw
from poolwise import _core
from poolwise.measures.registry import parse
from poolwise.scores.scoring import to_spec

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"d": 2.0, "a": 1.0}},
    "two": {"1": {"c": 1.0}, "2": {"a": 1.0}},
}
ASK = to_spec(parse("AP"), [0, 1, 2], 2)  # as the core takes a measure
KEY = bytes.fromhex("2f64bd78641d76a0")  # with a hash without secret keys, what begins so has the hash 0


@pytest.fixture(scope="module")
def pool():
    return pw.read(QRELS, RUNS)


@pytest.mark.parametrize("depth", [2**31, 2**61, 2**62 + 1, 2**63, 2**64, 0, -1, 2.5])
def test_absurd_depths(pool, depth):
    """Their product with runs and topics wrapped around, to an array smaller than what was written to it."""
    with pytest.raises(pw.ArgumentError, match="must be a whole number from 1 to"):
        pool.label_matrix(depth)


@pytest.mark.parametrize("depth", [2**60, 2**62 + 1, 2**63])
def test_shapes_past_all_memory(pool, depth):
    with pytest.raises(MemoryError):
        pool.core.label_matrix(pool.judgments.buffer, depth)
    with pytest.raises((MemoryError, ValueError)):
        pool.core.score([ASK], pool.judgments.buffer, depth, [0, 1, 2], 1)


@pytest.mark.parametrize("number", [2, 10**6, 4 * 10**9])
def test_topics_and_runs_that_are_not_there(pool, number):
    core = pool.core
    for call in (
        lambda: core.known_documents(0, number),
        lambda: core.all_documents(0, number),
        lambda: core.known_documents(number, 0),
        lambda: core.document_names(number),
        lambda: core.best_ranks([number]),
        lambda: core.rank_summary(number),
        lambda: core.rank_weights(0, [number % 2**31], np.ones(3)),
        lambda: precision_terms(core, topic=number),
        lambda: gain_terms(core, topic=number),
        lambda: gain_terms(core, runs=[number % 2**31]),
    ):
        with pytest.raises((IndexError, TypeError)):
            call()


# Arrays that fit a topic of three documents, of which the first is chosen.
CHOSEN, HALF, ROWS = np.array([0, -1, -1], np.int32), np.full(3, 0.5), np.full((3, 1), 0.5)
OF_TERMS = {
    "topic": 0,
    "runs": [0],
    "chosen_index": CHOSEN,
    "pairs": np.zeros((1, 1)),
    "columns": ROWS,
    "anew": ROWS,
    "left_out": [0],
}


def precision_terms(core, **other):
    own = {"depth": 10, "known": 0 * HALF, "loose": HALF, "weight": HALF, "factor": ROWS, "each": True}
    return core.precision_terms(**(OF_TERMS | own | {"residual": np.ones(1)} | other))


def gain_terms(core, **other):
    by_document = {"tail_chance": ROWS, "chances": ROWS, "classes": np.array([1, -1, 0], np.int32), "predicted": ROWS}
    rest = {"table": np.ones(3), "gains": np.array([0.0, 1.0]), "ideal": np.arange(5.0), "speaks_for": HALF}
    return core.gain_terms(**(OF_TERMS | by_document | rest | {"residual": np.ones((1, 1))} | other))


def test_arrays_that_do_not_fit(pool):
    core, labels, short = pool.core, pool.judgments.buffer, np.zeros(1, np.int32)
    assert len(precision_terms(core)) == 10
    assert len(gain_terms(core)) == 9
    three = np.array([0, 1, 2], np.int32)
    numbers, pairs = np.ones((2, 4)), np.array([0, 5], np.int32)
    for call in (
        lambda: core.unjudged_strata(labels, short),
        lambda: core.unjudged_strata(short, labels),
        lambda: core.bounds([ASK], short, 1, [0, 1, 2], 1),
        *(
            lambda call=call, other=other: call(core, **other)
            for call in (precision_terms, gain_terms)
            for other in (
                {"chosen_index": three},
                {"chosen_index": CHOSEN[:2]},
                {"chosen_index": CHOSEN * 0 - 1},
                {"pairs": np.ones((2, 2))},
                {"columns": ROWS[:2]},
                {"anew": np.ones((3, 2))},
                {"anew": -ROWS},
                {"anew": np.nan * ROWS},
                {"left_out": [7]},
                {"left_out": [1]},
            )
        ),
        *(
            lambda other=other: precision_terms(core, **other)
            for other in (
                {"known": HALF[:2]},
                {"known": 2 * HALF + 1},
                {"loose": HALF[:2]},
                {"loose": 3 * HALF},
                {"weight": HALF[:2]},
                {"factor": ROWS[:2]},
                {"residual": np.ones(2)},
            )
        ),
        *(
            lambda other=other: gain_terms(core, **other)
            for other in (
                {"gains": np.ones(3)},
                {"ideal": np.ones(1)},
                {"tail_chance": ROWS[:2]},
                {"tail_chance": 3 * ROWS},
                {"chances": ROWS[:2]},
                {"classes": CHOSEN[:2]},
                {"classes": np.array([2, -1, 0], np.int32)},
                {"classes": np.array([-1, -1, 0], np.int32)},
                {"predicted": ROWS[:2]},
                {"speaks_for": HALF[:2]},
                {"residual": np.ones((2, 1))},
            )
        ),
        lambda: core.rank_components(0, np.ones(3), np.ones((9, 2))),
        lambda: core.rates_of_others(0, labels, np.ones(1, np.uint32), np.ones((1, 1)), 6, 3.0, 3.0),
        lambda: core.rates_of_others(
            0, labels, np.ones(len(core.retrieving_runs(0, 5)), np.uint32), np.ones(1), 6, 3.0, 3.0
        ),
        lambda: core.rank_moments(0, np.ones(3), np.array([3]), 1),
        lambda: core.rank_moments(0, np.ones(3), np.array([-1]), 1),
        lambda: core.draw(labels, short, np.zeros((1, 2, 1), np.int64), 0, [0], 1),
        lambda: _core.sum_topics(numbers, short, 2, 4),
        lambda: _core.count_flips(numbers, np.ones((3, 4), np.int8), pairs, pairs, np.ones(2), 1),
        lambda: _core.mean_worths(np.ones(1), np.ones(3, np.int64), np.ones(3), np.ones(3)),
        lambda: _core.mean_worths(np.ones(5), np.ones(2, np.int64), np.ones(3), np.ones(3)),
        *(
            lambda rows=rows, bounds=bounds: _core.weighted_squares(np.ones((3, 2)), np.ones(rows), bounds, 1)
            for rows, bounds in (
                (2, np.array([0, 2])),
                (3, np.array([0, 2])),
                (3, np.array([1, 3])),
                (3, np.array([0, 4, 3])),
                (3, np.zeros(0, np.int64)),
            )
        ),
        lambda: core.used_weights(0, [9], np.ones(3)),
        lambda: _core.leave_pairs_out(numbers, np.ones(3), np.ones(3), np.ones(3), np.ones(3)),
        lambda: _core.fit_without_each(numbers, np.ones(3), np.ones(3), np.ones(4), np.ones(4), [0], 1),
    ):
        with pytest.raises((ValueError, IndexError)):
            call()


@pytest.mark.parametrize("what", ["strata", "rounds"])
def test_strata_and_rounds_that_do_not_fit(pool, what):
    labels = pool.judgments.labels
    with pytest.raises(pw.ArgumentError, match=f"1 {what} do not fit a pool of 5 listed documents"):
        pw.Judgments(pool, labels, **{what: np.zeros(1, np.int32)})
    for wrong in (np.full(5, 0.5), np.full(5, -1), np.full(5, 2**40), ["a"] * 5):
        with pytest.raises(pw.ArgumentError, match=f"{what} are whole numbers of 32 bits from 0 on"):
            pw.Judgments(pool, labels, **{what: wrong})
    kept = pw.Judgments(pool, labels, **{what: np.arange(5)})
    assert getattr(kept, what).tolist() == [0, 1, 2, 3, 4]


def test_damaged_pools_are_refused(pool):
    """Every changed, missing or added byte is seen before anything is made of it."""
    source = random.Random(4)
    keeps_all, state = pool.core.__getstate__()
    fresh = _core.Pool.__new__(_core.Pool)
    fresh.__setstate__((keeps_all, state))
    assert fresh.__getstate__() == (keeps_all, state)
    for _ in range(1500):
        damaged = bytearray(state)
        for _ in range(source.choice([1, 1, 3])):
            damaged[source.randrange(len(damaged))] ^= 1 << source.randrange(8)
        cut = source.choice([None, None, source.randrange(len(damaged))])
        damaged = bytes(damaged[:cut]) + b"\0" * source.choice([0, 0, 8])
        if damaged != state:
            with pytest.raises(ValueError, match="damaged, or of another version"):
                _core.Pool.__new__(_core.Pool).__setstate__((keeps_all, damaged))
    assert pickle.loads(pickle.dumps(pool)).score("AP").to_dict() == pool.score("AP").to_dict()


# ---- Hostile ids ---------------------------------------------------------------------------------------------------


def seconds_to_read(folder, start, count=15_000):
    names = [start + b"%08d" % number for number in range(count)]
    (folder / "qrels").write_bytes(b"".join(b"1 0 %s 1\n" % name for name in names))
    (folder / "run").write_bytes(b"".join(b"1 Q0 %s 1 1 x\n" % name for name in names))
    begin = time.process_time()
    found = pw.read(folder / "qrels", folder / "run").score("NumRelRet")
    assert found.means().tolist() == [[count]]
    return time.process_time() - begin


def test_ids_made_to_collide_take_no_longer(tmp_path):
    usual = min(seconds_to_read(tmp_path, b"DOCUMENT") for _ in range(3))
    crafted = min(seconds_to_read(tmp_path, KEY) for _ in range(2))
    assert crafted < 5 * usual + 0.05


@pytest.mark.slow
def test_nothing_depends_on_the_keys_of_the_hash(tmp_path):
    """They are drawn anew in each process; files, samples and pickles come out the same."""
    script = """
import hashlib, pickle, random, sys
import poolwise as pw
source = random.Random(5)
qrels = {str(t): {f"doc-{source.randrange(10**6)}": source.randint(-1, 2) for _ in range(200)} for t in range(5)}
runs = {
    name: {t: {source.choice([d, d + "x"]): float(source.randint(0, 30)) for d in known} for t, known in qrels.items()}
    for name in "abc"
}
pool = pw.read(qrels, runs)
sample = pool.judgments.sample("uniform", fraction=0.3, seed=2)
parts = [pool.score("AP", "bpref").to_csv(per_topic=True), sample.to_text(), pickle.dumps(pool.core)]
print(hashlib.sha256(repr([parts, [pool.documents(t) for t in pool.topics]]).encode()).hexdigest())
"""
    found = {subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout for _ in range(3)}
    assert len(found) == 1
    assert len(found.pop()) == 65


# ---- Threads and signals -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many_files(tmp_path_factory):
    """Some seconds of reading: one file under many names."""
    folder = tmp_path_factory.mktemp("many")
    (folder / "qrels.txt").write_text("".join(f"{t} 0 d{d} 1\n" for t in range(50) for d in range(20)))
    lines = [f"{t} Q0 d{d:07d} {d + 1} {4000 - d}.5 run\n" for t in range(50) for d in range(4000)]
    (folder / "run.txt").write_text("".join(lines))
    (folder / "runs").mkdir()
    for number in range(1500):
        os.symlink("../run.txt", folder / "runs" / f"{number:04d}.txt")
    return folder


@pytest.mark.slow
def test_threads_that_cannot_start_are_done_without(many_files):
    """A limit on memory or tasks leaves fewer threads; it ended the process."""
    for number in range(200):
        (many_files / "few").mkdir(exist_ok=True)
        (many_files / "few" / f"{number:03d}.txt").write_text("1 Q0 d1 1 1 x\n")
    limits = [(memory << 10, resource.RLIM_INFINITY) for memory in range(141_000, 153_000, 500)]
    for memory, stack in [*limits, (1 << 40, 4_000_000 << 10)]:

        def limit(memory=memory, stack=stack):
            most = resource.getrlimit(resource.RLIMIT_STACK)[1]
            if most == resource.RLIM_INFINITY and stack != resource.RLIM_INFINITY:
                resource.setrlimit(resource.RLIMIT_STACK, (stack, most))
                memory = 2 * stack
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

        words = ["score", "--threads", "64", "qrels.txt", "few", "-m", "NumRelRet"]
        done = subprocess.run(
            [sys.executable, "-m", "poolwise", *words], cwd=many_files, capture_output=True, preexec_fn=limit
        )
        assert (done.returncode, done.stdout.count(b"\n")) == (0, 200), done.stderr


def seconds_after_interrupt(work):
    """How long it takes from Ctrl-C, which comes while some work is done, to its end."""
    begins: list[float] = []
    timer = threading.Timer(0.4, lambda: (begins.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT)))
    gc.disable()  # what is raised while garbage is collected, in a callback of Hypothesis, goes nowhere
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        gc.enable()
    return time.monotonic() - begins[0]


@pytest.mark.parametrize("threads", [1, 3])
def test_reading_stops_when_asked(many_files, threads):
    """Ctrl-C in the middle of one call of the core, which would go on for many seconds."""
    reading = partial(pw.read, many_files / "qrels.txt", many_files / "runs", threads=threads)
    assert seconds_after_interrupt(reading) < 1.5


def test_bounds_stop_when_asked():
    """Three thousand samples take ten seconds and more."""
    ranked = {str(t): {f"d{d}": float(-d) for d in range(60)} for t in range(100)}
    labels = {t: {d: n % 3 - 1 for n, d in enumerate(documents)} for t, documents in ranked.items()}
    pool = pw.read(labels, {f"r{n}": ranked for n in range(20)})
    scoring = partial(pool.score, "AP", interval="bounds", judgments=[pool.judgments] * 3000, threads=2)
    assert seconds_after_interrupt(scoring) < 1.5
