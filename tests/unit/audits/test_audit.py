"""The audit of a campaign, against counts made by hand."""

from __future__ import annotations

import pytest

import poolwise as pw
from poolwise.audits.audit import audit

QRELS = {"1": {"a": 1, "b": 0, "c": 2, "p": -1}, "2": {"a": 0, "d": -2}}
RUNS = {
    "full": {"1": {"a": 3.0, "b": 3.0, "x": 3.0}, "2": {"a": 1.0, "y": 0.5}},
    "thin": {"1": {"x": 1.0, "y": 0.5, "p": 0.2}, "9": {"a": 1.0}},
}


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_counts():
    result = audit(pw.read(QRELS, RUNS))
    assert result.labels == {-2: 1, 0: 2, 1: 1, 2: 1}
    assert result.pooled == 1
    assert result.never_retrieved == 2  # c and d
    assert result.relevant_never_retrieved == 1
    assert result.without_relevant == ["2"]
    assert result.topics_of_run == [2, 1]
    assert result.lines == [5, 4]
    assert result.ties == [2, 0]
    assert result.ties_move == pytest.approx([(1 / 2 - 1 / 6) / 2, 0])  # a stands first or third, one of two relevant
    assert result.depth_most == [3, 3]
    assert result.other_topics == [0, 1]
    assert result.judged_share[10] == [pytest.approx((2 / 3 + 1 / 2) / 2), 0.0]
    assert len(result.to_frame()) == 2
    findings = " ".join(result.findings)
    for words in (
        "1 of 2 runs lacks topics",
        "1 topic has no relevant document and scores 0",
        "this is a sample (5 of 6 pooled documents judged): use `poolwise estimate`",
        "negative labels",
        "1 of 2 runs has ties whose order moves mean AP by 0.001 or more, up to 0.1667",
    ):
        assert words in findings
    assert result.to_dict()["runs"][1]["missing"] == 1


def lists(depth):
    return {"1": {f"d{rank}": -float(rank) for rank in range(depth)}}


@pytest.mark.parametrize(
    ("depths", "judged", "said"),
    [
        ((60, 60), 60, []),
        ((60, 60), 50, ["2 of 2 runs have more than 10 % of the top 100 unjudged"]),
        ((60, 20), 60, ["run1 lists 20 documents per topic, others up to 60"]),
        ((1000, 100), 1000, ["run1 lists 100 documents per topic, others up to 1000"]),
        ((100, 60), 100, []),
        ((60, 60), 8, ["2 of 2 runs have more than 10 % of the top 10 unjudged"]),
    ],
)
def test_what_is_unjudged_and_short_below_the_top(depths, judged, said):
    """Both move AP, though the top ten is judged."""
    qrels = {"1": {f"d{rank}": rank % 2 for rank in range(judged)}}
    found = audit(pw.read(qrels, {f"run{place}": lists(depth) for place, depth in enumerate(depths)})).findings
    found = [finding for finding in found if "top 10" in finding or "per topic" in finding]
    assert len(found) == len(said)
    assert all(finding.startswith(words) for finding, words in zip(found, said, strict=True))


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({1: 60, 3: 40, 99: 2}, "2 labels are 99, and no other is above 3: meant so?"),
        ({3: 99, 33: 1}, "1 label is 33, and no other is above 3: meant so?"),
        ({1: 60, 3: 40, 4: 1}, ""),  # the next grade
        ({1: 60, 20: 40}, ""),  # a scale of its own
        ({5: 100}, ""),
    ],
)
def test_labels_far_above_all_others_are_told_of(labels, said):
    given = [label for label, number in labels.items() for _ in range(number)]
    qrels = {"1": {f"d{place}": label for place, label in enumerate(given)}}
    found = [words for words in audit(pw.read(qrels, {"a": {"1": {"d0": 1.0}}})).findings if "meant so?" in words]
    assert [words.split("?")[0] + "?" for words in found] == ([said] if said else [])
