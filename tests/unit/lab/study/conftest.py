"""Every file here simulates a `campaign` to its needs; its pool is made in one place."""

from __future__ import annotations

import pytest

from poolwise.campaign.campaign import Campaign
from poolwise.lab.simulate.simulated import Simulated


@pytest.fixture(scope="module")
def pool(campaign: Simulated) -> Campaign:
    """The campaign of the file, read as a pool."""
    return campaign.pool()
