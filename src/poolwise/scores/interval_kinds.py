"""What intervals beside scores may speak of, and how that is said; how ties may count. Words for the command line."""

from __future__ import annotations

INTERVAL_KINDS = {
    "judgments": "{level} intervals over the sampling of judgments",
    "topics": "{level} intervals over topics",
    "both": "{level} intervals over topics and the sampling of judgments",
    "bounds": "the range that unjudged documents leave open",
}
# Also what no interval is asked by: the range over orders of ties.
INTERVAL_WORDS = {**INTERVAL_KINDS, "ties": "the range over orders of tied documents"}
TIES = ("id", "expected", "range")
