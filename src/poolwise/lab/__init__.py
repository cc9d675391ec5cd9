"""Experiments on measures and judgments, from papers and beyond. May import: everything but judging and cli."""
