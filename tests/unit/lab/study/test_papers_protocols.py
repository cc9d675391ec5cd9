"""What a study done as a paper does it shows and says: the paper's measures, figures and subject, and its own runs."""

from __future__ import annotations

import pytest

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate
from poolwise.study import settings_as

FEW = {"trials": 2, "fractions": [0.2, 1.0]}


@pytest.fixture(scope="module")
def campaign():
    return simulate(runs=10, topics=14, depth=120, pool_depth=20, grades=3, seed=8)


def test_b07_has_binary_gains_and_no_other_measures_than_the_paper(campaign, pool):
    study = pw.study.robustness(pool, **{**settings_as("B07", "robustness"), **FEW, "retrieved": 0.0})
    curve = study.tables["curve"].columns
    assert set(curve["measure"]) == {"nDCG(gain='binary')", "nDCG'(gain='binary')", "infAP", "bpref"}
    labels = {topic: {d: int(x > 0) for d, x in row.items()} for topic, row in campaign.qrels().items()}
    binary = pw.read(labels, {run: campaign.run(run) for run in campaign.runs}).score("nDCG")
    runs = study.tables["runs"].columns
    means = dict(zip(binary.runs, binary.means()[:, 0].tolist(), strict=True))
    assert [means[run] for run in runs["run"]] == pytest.approx(runs["nDCG(gain='binary')"], abs=1e-12)
    assert pool.score("nDCG").means()[:, 0].tolist() != pytest.approx(binary.means()[:, 0].tolist(), abs=1e-3)
    graded = [name for name in study.tables["gains"].columns["measure"] if name.startswith("nDCG(")]
    assert len(set(graded)) == 4  # weights 1, 2, 10 and 100 stay
    assert "nDCG(gain='binary')" in study.summary[0]


@pytest.mark.parametrize("name", ["robustness", "discrimination"])
def test_s07_leaves_two_measures_out_of_reduced_labels(name, pool):
    few = {**FEW, "resamples": 50} if name == "discrimination" else FEW
    study = getattr(pw.study, name)(pool, **{**settings_as("S07", name), **few})
    out = {"bpref_N", "rpref_N"}
    reduced, complete = ("curve", "agreement") if name == "robustness" else ("discrimination", "complete")
    columns = study.tables[complete].columns
    with_all = set(columns["measure"]) if name == "discrimination" else {*columns["measure_a"], *columns["measure_b"]}
    assert len(with_all) == 10
    assert set(study.tables[reduced].columns["measure"]) == with_all - out
    assert not out & {each for figure in list(study.figures.values())[-1:] for each in _names(figure)}
    assert all(measure not in sentence for measure in out for sentence in study.summary if "All" not in sentence[5:8])
    everything = getattr(pw.study, name)(pool, **{**settings_as("S07", name), **few, "complete_only": ()})
    column = "tau" if name == "robustness" else "power"
    values = _by(everything.tables[reduced].columns, column)
    assert _by(study.tables[reduced].columns, column) == {key: values[key] for key in values if key[0] not in out}


def _names(figure):
    return [trace.get("name") for trace in figure.data]


def _by(columns, value):
    return dict(zip(zip(columns["measure"], columns["fraction"], strict=True), columns[value], strict=True))


def test_y08_speaks_of_its_estimators_and_of_strata(pool):
    more = {"trials": 3, "depths": (1, 3), "fractions": (0.1,)}
    study = pw.study.estimation(pool, **{**settings_as("Y08", "estimation"), **more})
    rows = study.tables["estimation"].columns
    rows = {(m, d): place for place, (m, d) in enumerate(zip(rows["measure"], rows["design"], strict=True))}
    tau = study.tables["estimation"].columns["tau"]
    two, four = study.summary[:2]
    design = "depth 1, two strata" if "depth 1," in two else "depth 3, two strata"
    assert f"xinfAP has a tau of {tau[rows['xinfAP', design]]:.2f}" in two
    assert f"infNDCG has a tau of {tau[rows['infNDCG', design]]:.2f}" in two
    alike = f"uniform, as many as {design.split(',')[0]}"
    assert f"On a uniform sample of as many: infAP has a tau of {tau[rows['infAP', alike]]:.2f}" in two
    assert "four strata): xinfAP has a tau of" in four
    assert "uniform 10 %" in study.summary[2]


def unlike():
    """Twelve alike runs, a short one, and one of which next to nothing is judged and that is worse than all others."""
    made = simulate(runs=12, topics=14, depth=120, pool_depth=20, grades=3, seed=9)
    runs = {run: made.run(run) for run in made.runs}
    topics = made.topics
    runs["short"] = {t: {f"s{i}": -float(i) for i in range(12)} for t in topics}
    runs["stray"] = {t: {f"x{i}": -float(i) for i in range(120)} for t in topics[1:]}
    return pw.read(made.qrels(), runs)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("name", ["robustness", "estimation", "reliability", "gain_discount"])
def test_warnings_speak_of_the_runs_of_the_study_alone(name):
    pool = unlike()
    few = {
        "robustness": {"measures": ["AP", "nDCG"], **FEW},
        "estimation": {"measures": ["AP", "nDCG"], "fractions": [0.3], "depths": [2], "trials": 1, "assisted": 0},
        "reliability": {"measures": ["AP"]},
        "gain_discount": {"cutoffs": [20, 100], "splits": 1, "resamples": 20},
    }[name]
    best = getattr(pw.study, name)(pool, top=12, **few)
    assert not [note for note in best.warnings if "short" in note or "stray" in note]
    everyone = " ".join(getattr(pw.study, name)(pool, **few).warnings)
    assert "short" in everyone
    assert "2 of 14 runs lack topics" in everyone
    assert "for stray" in everyone


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_gain_discount_draws_at_100_and_prints_no_weights_in_warnings():
    study = pw.study.gain_discount(unlike(), cutoffs=[20, 100, 101], splits=1, resamples=20)
    titles = [figure.title for figure in study.figures.values()]
    assert "Means of runs at cut-off 100" in titles
    assert "Means of runs by gains, cut-off 100" in titles
    deepest = pw.study.gain_discount(unlike(), cutoffs=[3, 5], splits=1, resamples=20)
    assert "Means of runs at cut-off 5" in [figure.title for figure in deepest.figures.values()]
    assert "nDCG(...)@20" in " ".join(study.warnings)
    assert not [note for note in study.warnings if "discount=[" in note]
    assert len(study.warnings) == len({note.split(": cut-off")[0] for note in study.warnings})  # each is said once
