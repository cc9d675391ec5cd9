"""The benchmark behind the page on reliability gives numbers of topics with which the coefficient is reached."""

from __future__ import annotations

import re

from benchmarks.optimal import reliability_row

import poolwise as pw


def test_topics_needed_are_rounded_up():
    pool = pw.simulate(runs=8, topics=20, depth=50, seed=4).pool()
    scores = pool.score("AP", "nDCG@10", "P@10", "bpref")
    for measure in ("AP", "nDCG@10", "P@10", "bpref"):
        found = pw.reliability(scores, measure)
        *_, shown, for_rho = reliability_row("simulated", scores, measure)
        needed, fewest, most = (int(number) for number in re.findall(r"\d+", shown))
        assert found.phi(needed) >= 0.95 > found.phi(needed - 1)
        assert found.rho2(int(for_rho)) >= 0.95 > found.rho2(int(for_rho) - 1)
        low, high = found.topics_for_interval(phi=0.95)
        assert (fewest - 1 < low <= fewest, most - 1 < high <= most) == (True, True)
