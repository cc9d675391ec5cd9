"""Topics under a fitted relevance model, of campaigns with whatever may make terms of estimates go wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.kit.small_campaigns import campaign_tables, uniform_sample

from poolwise.campaign.campaign import Campaign, read
from poolwise.estimates.estimator import prepare
from poolwise.estimates.layout import Layout
from poolwise.estimates.model import LabelModel, fit_model
from poolwise.estimates.targets import Target, target_of
from poolwise.measures.registry import parse
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments

KINDS = ["plain", "strata", "predictions", "outside", "ties", "gaps"]


def topic_states(kind: str, measure: str, grades: int, seed: int) -> tuple[LabelModel, Target, Campaign]:
    """Four topics of five runs; in "gaps" one has nothing judged, one nothing relevant, and a run lacks one."""
    qrels, lists = campaign_tables(5, 4, 22, 12, 0.3, grades, 1.0, seed)
    if kind == "ties":
        for run in lists.values():
            for scores in run.values():
                scores.update({document: float(round(score)) for document, score in scores.items()})
    if kind == "gaps":
        del lists["run2"]["t1"]
        qrels["t3"] = dict.fromkeys(qrels["t3"], 0)
    campaign = read(qrels, lists)
    strata = np.arange(len(campaign.judgments.labels)) % 3 if kind == "strata" else None
    sample = uniform_sample(campaign, 0.4, seed, strata)
    if kind in ("outside", "gaps"):
        sample = changed(sample, kind)
    noise = np.random.default_rng(seed)
    guesses = {t: {d: label + noise.normal() for d, label in own.items()} for t, own in qrels.items()}
    features = prepare(campaign, sample, guesses if kind == "predictions" else None)
    layout = Layout.of(campaign, sample)
    target = target_of(parse(measure), layout)
    return fit_model(layout, features, target.classes(layout), target.grades), target, campaign


def changed(sample: Judgments, kind: str) -> Judgments:
    """Every fourth document is outside the pool, or nothing of the second topic is judged."""
    labels = sample.labels.copy()
    if kind == "outside":
        labels[::4] = OUTSIDE
    else:
        labels[sample.offsets[2] : sample.offsets[3]] = POOLED
    return Judgments(sample.pool, labels, top=sample.top)


def ranks_of(model: LabelModel, campaign: Campaign, run: int, topic: int, depth: int) -> np.typing.NDArray[Any]:
    """N: the rank of each pooled document in a run, 0 where it has none within the depth."""
    layout = model.layout
    found = np.asarray(campaign.all_documents(run, topic)).tolist()[:depth]
    places = {document: rank for rank, document in enumerate(found, 1)}
    return np.array([places.get(int(document), 0) for document in layout.listed[layout.part(topic)]], dtype=float)
