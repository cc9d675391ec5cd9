"""Scores from sampled judgments, with intervals for the scores of complete judgments.

A relevance model on the runs' ranks predicts unjudged documents; corrections from the sampled labels remove its bias.
docs/theory/assisted.md derives it; each module names the section it follows. Names here and symbols there: `weight`
is w, `tail_chance` p~, `gradient` u, `curvature` B, `shares` a, `together` w_ij / (w_i w_j), `inclusion` pi.

Four parts, one after the other; a module imports only those before it, which lint-imports checks:

model: `layout` (documents and columns), `model_errors`, `model` (probabilities of labels).
terms: `targets` (measures), `terms` (values and derivatives by formulas), `drawn_labels`,
    `simulated_terms` (those of measures without a formula), `unpooled` (documents outside the pool).
interval: `standard_errors`, `combine`, `shrinkage` (of runs towards all), `notes`, `differences` (of runs), `estimates`
    (the result), `estimates_shown` (its page).
sequential: `sequential_band`, `interim_looks`, `width_forecast`, `one_look`.

`estimator`, after all of them, is the verb.
May import: scores and below.
"""
