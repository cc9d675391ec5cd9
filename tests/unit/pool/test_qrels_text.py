"""Judgments as text."""

from __future__ import annotations

import pytest

from poolwise.campaign.campaign import read
from poolwise.errors import ArgumentError


@pytest.mark.parametrize("document", ["a b", "a\tb", "a\u000bb"])
def test_ids_that_would_be_two_columns_are_refused(document, tmp_path):
    campaign = read({"1": {document: 1, "c": 0}}, {"mine": {"1": {document: 2.0, "c": 1.0}}})
    with pytest.raises(ArgumentError, match="an id has blanks, which a qrels file cannot hold"):
        campaign.judgments.write(tmp_path / "qrels.txt")
    assert not (tmp_path / "qrels.txt").exists()
    assert campaign.judgments.equals(campaign.judgments)
