"""The papers' experiments run from packed sets to the page; here on simulated campaigns, whose numbers mean nothing."""

from __future__ import annotations

import pytest
from benchmarks.reproduce.__main__ import main
from tests.kit.packed_sets import write_sets

pytestmark = pytest.mark.slow


def test_simulated_campaigns_run_through_to_the_page(tmp_path):
    docs = tmp_path / "docs"
    (docs / "images").mkdir(parents=True)
    main(write_sets(tmp_path / "data"), tmp_path / "work", docs)
    page = (docs / "reproduction.md").read_text("utf-8")
    assert page.count("\n## ") == 5
    for image in (docs / "images").glob("*.svg"):
        assert f"images/{image.name}" in page
