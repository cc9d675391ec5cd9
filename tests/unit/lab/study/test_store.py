"""What a study may resume: only what was made of the very same input, settings and code."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

import poolwise as pw
from poolwise.lab.study.conduct import digest
from poolwise.measures.registry import REGISTRY

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")

DEEP = 130
LABELS = {f"d{d}": d % 3 - 1 for d in range(0, DEEP, 3)} | {f"e{d}": d % 2 for d in range(40)}
QRELS = dict.fromkeys("123", LABELS)
RUN = {t: {f"d{d}": float(DEEP - d) for d in range(DEEP)} for t in QRELS}


def changed(*, label=False, rank=None, name="mine"):
    """The campaign with one thing changed."""
    qrels = {t: dict(documents) for t, documents in QRELS.items()}
    runs = {t: dict(documents) for t, documents in RUN.items()}
    if label:
        qrels["3"]["d126"] = 2 - qrels["3"]["d126"]
    if rank is not None:  # this document and the next change places
        first, second = (f"d{number}" for number in (rank - 1, rank))
        runs["3"][first], runs["3"][second] = runs["3"][second], runs["3"][first]
    return pw.read(qrels, {name: runs, "other": RUN})


def test_everything_that_a_study_sees_is_in_its_digest():
    """Ranks below 100 were not, nor were documents without a label."""
    usual = digest(changed())
    assert digest(changed()) == usual
    others = [
        digest(changed(label=True)),
        digest(changed(rank=1)),
        digest(changed(rank=DEEP - 1)),
        digest(changed(name="yours")),
        digest(pw.read(QRELS, {"mine": RUN, "other": RUN}, unjudged=None)),
    ]
    assert len({usual, *others}) == 6


def test_deep_changes_are_not_resumed(tmp_path):
    settings = {"measures": ["AP"], "fractions": [0.5], "trials": 2, "folder": tmp_path}
    pw.study.robustness(changed(), **settings)
    pw.study.robustness(changed(), **settings, resume=True)
    with pytest.raises(pw.InputError, match="a study with other input"):
        pw.study.robustness(changed(rank=DEEP - 1), **settings, resume=True)


def test_changed_measures_of_ones_own_are_not_resumed(tmp_path, monkeypatch):
    """Their name stays; what it computes does not, also when a function beside it changed."""
    monkeypatch.syspath_prepend(tmp_path)
    text = "import poolwise\ndef power():\n    return {}\n@poolwise.measure('Mine')\ndef mine(labels):\n"
    text += "    return float((labels[:5] == 1).sum()) ** power()\n"
    pool = changed()

    def conduct(exponent, resume):
        (tmp_path / "plugin_of_mine.py").write_text(text.format(exponent))
        REGISTRY.pop("Mine", None)
        sys.modules.pop("plugin_of_mine", None)
        importlib.invalidate_caches()
        measure = importlib.import_module("plugin_of_mine").mine
        settings = {"fractions": [0.5], "trials": 2, "folder": tmp_path / "o", "resume": resume}
        return pw.study.robustness(pool, measures=[measure], **settings)

    conduct(1, False)
    with pytest.raises(pw.InputError, match="a study with other code"):
        conduct(22, True)
    assert conduct(1, True).tables
    REGISTRY.pop("Mine")


@pytest.mark.parametrize("left", [0, 10, 200])
def test_cut_units_are_named(tmp_path, left):
    settings = {"measures": ["AP"], "fractions": [0.5], "trials": 2, "folder": tmp_path}
    pw.study.robustness(changed(), **settings)
    unit = next(iter(sorted((tmp_path / "units" / "robustness").glob("*.npz"))))
    unit.write_bytes(unit.read_bytes()[:left])
    with pytest.raises(pw.InputError, match=r"npz: a finished unit cannot be read .* remove it and resume again"):
        pw.study.robustness(changed(), **settings, resume=True)


@pytest.mark.parametrize("name", ["reliability", "robustness", "discrimination", "decisions"])
def test_a_measure_that_is_the_same_everywhere(name):
    """RR of good runs is often 1 on every topic: a study says so and goes on."""
    generator = np.random.default_rng(2)
    runs = {
        f"r{n}": {t: {"e1": 999.0} | {f"d{d}": float(generator.random()) for d in range(30)} for t in QRELS}
        for n in range(3)
    }
    pool = pw.read(QRELS, runs)
    assert (pool.score("RR").array("RR") == 1).all()
    settings = {"reliability": {}, "decisions": {"trials": 2}}.get(name, {"trials": 2, "fractions": [0.5]})
    found = getattr(pw.study, name)(pool, measures=["RR", "AP"], **settings)
    assert found.tables
    if name == "reliability":
        assert any("All scores of 3 topics are equal" in line for line in found.summary)


@pytest.mark.filterwarnings("default::poolwise.errors.PoolwiseWarning")
def test_studies_of_few_runs_say_so(tmp_path):
    """Two runs are ranked alike by every measure with any labels, which is no merit of one."""
    with pytest.warns(pw.PoolwiseWarning, match="only 2 runs: a study of so few says little of others"):
        found = pw.study.robustness(changed(), measures=["AP", "nDCG"], fractions=[0.5], trials=2)
    assert "only 2 runs" in found.warnings[0]
    assert found.summary[0].startswith("With 50 % of the labels, all 2 measures rank these 2 runs like all labels do")


def test_errors_of_a_study_name_it():
    one_topic = pw.read({"1": LABELS}, {name: {"1": RUN["1"]} for name in "ab"})
    with pytest.raises(pw.PoolwiseError, match=r"^study reliability: reliability needs at least two topics, found 1"):
        pw.study.reliability(one_topic, measures=["AP"])
