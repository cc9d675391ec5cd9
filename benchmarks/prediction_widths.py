"""How much width predictions save, by their quality: simulated predictions of known labels, sampled judgments.

    python benchmarks/prediction_widths.py QRELS RUNS [--samples 40] [--fraction 0.2]

Predictions are whether a document is relevant plus normal noise; their quality is the chance that a relevant document
is predicted higher than a non-relevant one (AUC). `inverted` predicts the opposite in every other topic. Prints widths
relative to no predictions, and coverage.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np

from poolwise.campaign.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.estimates.estimator import prepare

MEASURES = ("AP", "nDCG@10", "P@10")
NOISE = (None, np.inf, 2.4, 1.0, 0.68, 0.48, 0.3, "inverted")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--fraction", type=float, default=0.2)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    campaign = read(arguments.qrels, *arguments.runs, unjudged=None)
    print(f"| AUC | {' | '.join(f'width, {m} | coverage' for m in MEASURES)} |")
    plain = None
    for noise in NOISE:
        given, auc = predicted(campaign, noise)
        width, held = trials(campaign, given, arguments.samples, arguments.fraction)
        plain = width if plain is None else plain
        cells = [f"{w / p:.2f} | {100 * h:.1f}" for w, p, h in zip(width, plain, held, strict=True)]
        print(f"| {auc} | {' | '.join(cells)} |", flush=True)


def predicted(campaign: Campaign, noise: Any) -> tuple[Any, str]:
    """Predictions for all listed documents, and their AUC."""
    if noise is None:
        return None, "none"
    random = np.random.default_rng(3)
    given: dict[str, dict[str, float]] = {}
    values, truth = [], []
    for number, topic in enumerate(campaign.topics):
        labels = campaign.judgments.of(topic)
        relevant = np.array([label > 0 for label in labels.values()], dtype=float)
        signal = relevant if noise != "inverted" or number % 2 else -relevant
        signal = np.zeros(len(relevant)) if noise == np.inf else signal
        scale = 0.5 if noise == "inverted" else 1.0 if noise == np.inf else noise
        own = signal + scale * random.normal(size=len(relevant))
        given[topic] = dict(zip(labels, own.tolist(), strict=True))
        values.append(own)
        truth.append(relevant)
    places = np.concatenate(values).argsort().argsort() + 1.0
    found = np.concatenate(truth) > 0
    ones, zeros = found.sum(), (~found).sum()
    auc = (places[found].sum() - ones * (ones + 1) / 2) / (ones * zeros)
    return given, "inverted in every other topic" if noise == "inverted" else f"{auc:.2f}"


def trials(campaign: Campaign, given: Any, samples: int, fraction: float) -> tuple[Any, Any]:
    truth = campaign.score(*MEASURES).means()
    features = prepare(campaign, campaign.judgments, given)
    widths, held = [], []
    for seed in range(samples):
        sample = campaign.judgments.sample("uniform", fraction=fraction, seed=seed)
        scores = campaign.estimate(
            MEASURES, judgments=sample, predictions=features, threads=1, steadied=False, outside="nonrelevant"
        )
        low, high = scores.mean_low(), scores.mean_high()
        widths.append((high - low).mean(axis=0))
        held.append(((low <= truth) & (truth <= high)).mean(axis=0))
    return np.mean(widths, axis=0), np.mean(held, axis=0)


if __name__ == "__main__":
    main()
