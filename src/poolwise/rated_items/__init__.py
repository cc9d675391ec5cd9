"""One number per item, known for few items and predicted for all: means, shares and differences, with intervals.

`item_table` holds the rows, `sampled_mean` estimates one mean, `estimate_items` handles systems, groups and
differences, `plan_items` draws the items to label. May import: scores and below.
"""
