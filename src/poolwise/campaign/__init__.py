"""What users hold: a pool with its judgments, and the verbs of the rooms before; `read` makes one.

May import: everything up to holes.
"""

from poolwise.campaign.campaign import Campaign as Campaign
from poolwise.campaign.read_campaign import read as read
