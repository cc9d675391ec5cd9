"""Studies: whole experiments on a campaign, from the papers and beyond.

May import: everything up to analyse, and campaign.
"""
