"""Cells with one document in common: the variance is that of collapsed cells, and never 0."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.single_labels import TABLE, draws, least

import poolwise as pw
from poolwise.basics.numbers import student_quantile
from poolwise.sampling.cells import cells_of
from poolwise.trust.coefficients import shared_documents
from poolwise.trust.label_sheet import LabelSheet


def sheet_of(stratum, row, topics):
    """A pool of these cells, strata of one topic or one stratum of topics; both assessors judged the same documents."""
    topic, number = (stratum, np.ones_like(stratum)) if topics else (np.zeros_like(stratum), stratum + 1)
    labels = np.where(row[:, None], 1.0, np.full((len(row), 2), np.nan))
    documents = [f"d{n}" for n in range(len(row))]
    cells = cells_of(topic, number, row, row)
    return LabelSheet(["a", "b"], topic.astype(str).tolist(), documents, labels, cells, sampled=True)


@pytest.mark.parametrize("topics", [False, True])
@pytest.mark.parametrize(("sizes", "labels", "means", "share"), TABLE)
def test_a_cell_with_one_document_has_a_variance(sizes, labels, means, share, topics):
    stratum, value, chosen = draws(sizes, labels, means, number=200)
    errors, held = [], []
    for row in chosen:
        sample = shared_documents(sheet_of(stratum, row, topics), row)
        errors.append(sample.weights @ value[row] / len(value) - value.mean())
        error, freedom = sample.error(value[row] / len(value))
        held.append(abs(errors[-1]) <= float(student_quantile(freedom, 0.975)) * error)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(len(errors))
    assert np.mean(held) >= least(share, 200)


def test_intervals_of_few_documents_in_common_hold_the_pool():
    """300, 60 and 20 documents, of which both judged 1, 6 and 12; they agree on half, 70 and 95 % of them."""
    stratum, _, chosen = draws(*TABLE[1][:3], number=40)
    first = np.arange(len(stratum)) % 2
    agreed = np.random.default_rng(2).random(len(stratum)) < np.array([0.5, 0.7, 0.95])[stratum]
    second = np.where(agreed, first, 1 - first)
    held, values = [], []
    for row in chosen:
        people = {"1": {f"d{n}": int(label) if row[n] else -1 for n, label in enumerate(first)}}
        listed = [
            {"topic": "1", "document": document, "label": label, "stratum": int(stratum[n]) + 1}
            for n, (document, label) in enumerate(people["1"].items())
        ]
        model = {"1": {f"d{n}": int(label) for n, label in enumerate(second)}}
        with pytest.warns(pw.PoolwiseWarning, match=r"one document in common .* people and model \(79 %\)"):
            found = pw.label_agreement({"people": listed, "model": model}).of("agreement", "people", "model", "graded")
        values.append(found.value)
        held.append(found.low <= agreed.mean() <= found.high)
    assert abs(np.mean(values) - agreed.mean()) < 4 * np.std(values) / np.sqrt(len(values))
    assert np.mean(held) >= 0.85


def test_a_stratum_with_no_document_in_common_is_named():
    listed = [
        {"topic": "1", "document": f"d{n}", "label": 1 if n < 5 else -1, "stratum": 1 + n // 10} for n in range(20)
    ]
    model = {"1": {f"d{n}": n % 2 for n in range(20)}}
    with pytest.warns(pw.PoolwiseWarning, match="stratum 2: no document in common; those of the neighbouring stratum"):
        pw.label_agreement({"people": listed, "model": model})
