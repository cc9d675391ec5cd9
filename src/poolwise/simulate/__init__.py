"""Campaigns with known complete labels that look like real ones.

>>> campaign = simulate(runs=4, topics=3, depth=20, pool_depth=5, seed=1)
>>> campaign.topics
['101', '102', '103']
>>> len(campaign.qrels()["101"]) <= 4 * 5
True

May import: everything up to campaign.
"""

from poolwise.simulate.campaign_draw import simulate
from poolwise.simulate.entrants import Shape
from poolwise.simulate.simulated import Simulated

__all__ = ["Shape", "Simulated", "simulate"]
