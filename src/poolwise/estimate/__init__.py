"""Scores from sampled judgments, with intervals that hold what complete judgments would say.

A relevance model on the runs' ranks predicts unjudged documents; corrections from the sampled labels remove its bias.
May import: errors, extras, threads, the compiled core, and the stations up to score.
"""
