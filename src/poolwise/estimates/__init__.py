"""Scores from sampled judgments, with intervals for the scores of complete judgments.

A relevance model on the runs' ranks predicts unjudged documents; corrections from the sampled labels remove its bias.
docs/theory/assisted.md derives it; each module names the section it follows. Names here and symbols there: `weight`
is w, `tail_chance` p~, `gradient` u, `curvature` B, `shares` a, `together` w_ij / (w_i w_j), `inclusion` pi.
May import: scores and below.
"""
