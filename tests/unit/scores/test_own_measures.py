"""Measures of one's own as notebooks write them: functions that write, cells that are run again."""

import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest

import poolwise as pw
from poolwise.measures.registry import REGISTRY

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture(autouse=True)
def forgotten() -> Any:
    """What a test declares is gone after it."""
    before = dict(REGISTRY)
    yield
    for name in set(REGISTRY) - set(before):
        del REGISTRY[name]


@pytest.fixture
def pool() -> pw.Campaign:
    return pw.simulate(runs=4, topics=6, depth=40, seed=7).pool()


def test_a_function_that_writes_into_its_labels_changes_them_for_nobody(pool):
    sample = pool.judgments.sample("uniform", fraction=0.3, seed=1)

    @pw.measure("Writes")
    def writes(labels, judged):
        labels[np.isnan(labels)] = 0.0
        judged.sort()  # ascending, where highest first is given
        return float((labels >= 1).mean() + judged[-1])

    @pw.measure("Reads")
    def reads(labels, judged):
        return float(np.isnan(labels).mean() + judged[0])

    together = pool.score("Writes", "Reads", judgments=sample)
    for name in ("Writes", "Reads"):
        assert (together.array(name) == pool.score(name, judgments=sample).array(name)).all()
    for run, row in zip(pool.runs, together.array("Reads"), strict=True):
        for topic, value in zip(pool.topics, row, strict=True):
            labels = sample.of(topic)
            unjudged = np.mean([document not in labels for document in pool.ranking(run, topic)])
            assert value == pytest.approx(unjudged + max(labels.values()))


def test_judged_is_given_by_name(pool):
    @pw.measure
    def size_of_pool(labels, rel=1, *, judged):
        return float(len(judged))

    expected = [len(pool.judgments.of(topic)) for topic in pool.topics]
    assert pool.score(size_of_pool).array("size_of_pool").tolist() == [expected] * 4


def test_a_cell_can_be_run_again(pool):
    cell = "@pw.measure('Again')\ndef again(labels): return {}\n"
    names = {"pw": pw, "__name__": "__main__"}
    for value in (1.0, 2.0):
        exec(cell.format(value), names)
        assert pool.score("Again").means().tolist() == [[value]] * 4
    with pytest.raises(pw.ArgumentError, match="exists already"):
        exec("@pw.measure('Again')\ndef other(labels): return 0.0\n", names)


def test_functions_that_have_no_name_are_given_one(pool):
    pw.measure("Third")(partial(lambda labels, place: float(labels[place] >= 1), place=2))
    assert pool.score("Third(place=0)").means().tolist() == pool.score("P@1").means().tolist()


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: pw.measure("Mine")(lambda: 0.0), "the first argument is the labels"),
        (lambda: pw.measure("Mine")(lambda judged, labels: 0.0), "the first argument is the labels"),
        (lambda: pw.measure("Mine")(lambda labels, other: 0.0), r"takes \(labels, other\)"),
        (lambda: pw.measure("Mine")(5), "5 cannot be a measure"),
        (lambda: pw.measure("a@5")(lambda labels: 0.0), "'a@5' cannot name a measure"),
        (lambda: pw.measure(lambda labels: 0.0), "'<lambda>' cannot name a measure"),
        (lambda: pw.measure(5)(lambda labels: 0.0), "5 cannot name a measure"),
        (lambda: pw.measure("Mine", bounds=5), "bounds=5 must be two numbers"),
        (lambda: pw.measure("Mine", bounds=(1, 0)), r"bounds=\(1, 0\) must be two numbers"),
        (lambda: pw.measure("Mine", bounds=("a", "b")), "must be two numbers"),
    ],
)
def test_what_no_measure_can_be_is_refused_when_it_is_declared(declare, message):
    with pytest.raises(pw.ArgumentError, match=message):
        declare()


def test_names_of_measures_that_are_not_yet_loaded_are_taken_too():
    program = "import poolwise as pw\ntry: pw.define('SetF', 'AP')\nexcept pw.ArgumentError as error: print(error)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.startswith("'SetF' cannot name a measure")
