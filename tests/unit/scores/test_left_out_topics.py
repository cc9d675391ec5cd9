"""Topics that are left out of a mean are no zeros to what takes the scores on; arrays are the caller's to change."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.campaign.scores_page import scores_page

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")

TOPICS = [str(number) for number in range(1, 13)]
QRELS = {topic: {"a": 1, "b": 0, "c": 1} for topic in TOPICS}


def run(seed: int, lacks: tuple[str, ...] = ()) -> dict[str, dict[str, float]]:
    draw = np.random.default_rng(seed)
    return {topic: dict(zip("abc", draw.random(3).tolist(), strict=True)) for topic in TOPICS if topic not in lacks}


@pytest.fixture
def scores() -> pw.Scores:
    """B lacks topics 3 and 4, which are left out of its mean."""
    return pw.read(QRELS, {"A": run(1), "B": run(2, ("3", "4")), "C": run(3)}).score("AP", "P@1", missing="skip")


def test_array_has_no_number_where_a_topic_is_left_out(scores):
    values = scores.array("AP")
    assert np.argwhere(np.isnan(values)).tolist() == [[1, 2], [1, 3]]
    assert np.nanmean(values, axis=1) == pytest.approx(scores.means()[:, 0])
    again = pw.Scores.from_frame(scores.to_frame())
    assert np.array_equal(again.array("AP"), values, equal_nan=True)


@pytest.mark.parametrize(
    "use",
    [
        lambda scores: pw.compare(scores, "AP", test="t"),
        lambda scores: pw.error_rates(scores, "AP"),
        lambda scores: pw.discriminative_power(scores, "AP"),
        lambda scores: pw.topics_needed(scores, "AP", difference=0.1),
        lambda scores: pw.reliability(scores, "AP"),
        lambda scores: pw.agreement(scores, scores, measure="AP", resamples=20),
    ],
)
def test_what_needs_every_topic_refuses_them(scores, use):
    with pytest.raises(pw.InputError, match=r"every run needs|every run on every|scores are missing"):
        use(scores)


def test_reliability_without_the_topics_is_that_of_the_others(scores):
    others = [number for number, topic in enumerate(scores.topics) if topic not in ("3", "4")]
    found = pw.reliability(scores, "AP", missing="drop-topics")
    assert found.components == pw.reliability(scores.array("AP")[:, others]).components


def test_page_of_topics_counts_the_runs_that_have_them(scores):
    table = next(part for part in scores_page(scores).parts if getattr(part, "title", "").startswith("Topics"))
    place = table.columns["topic"].index("3")
    assert table.columns["mean"][place] == pytest.approx(np.nanmean(scores.array("AP")[:, 2]))
    assert table.columns["lowest"][place] == np.nanmin(scores.array("AP")[:, 2]) > 0


@pytest.mark.parametrize("many", [False, True])
def test_arrays_are_the_callers(many):
    pool = pw.read(QRELS, {"A": run(1), "B": run(2)})
    judgments = [pool.judgments, pool.judgments] if many else None
    scores = pool.score("AP", interval="bounds", judgments=judgments)
    before = scores.means(), scores.mean_low(), scores.mean_high()
    for taken in (scores.array("AP"), scores.low("AP"), scores.high("AP"), scores.mean_low(), scores.mean_high()):
        taken[...] = -1.0
    after = scores.means(), scores.mean_low(), scores.mean_high()
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert min(scores.array("AP").min(), scores.low("AP").min()) >= 0


def test_runs_without_a_mean_come_last():
    nan = float("nan")
    scores = pw.Scores.from_arrays(list("abcd"), ["1", "2"], {"AP": [[0.1, 0.2], [nan, 0.3], [0.5, 0.5], [0.4, 0.9]]})
    assert scores.overview()["run"] == ["d", "c", "a", "b"]
    assert scores.means_frame()["run"].tolist() == ["d", "c", "a", "b"]
