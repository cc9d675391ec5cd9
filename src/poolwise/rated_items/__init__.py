"""One number per item, known for few items and predicted for all: means, shares and differences, with intervals.

`item_table` holds the rows, `sampled_mean` estimates one mean, `mean_interval` says how sure that is, `estimate_items`
asks for systems, groups and differences, `plan_items` says which items to label. May import: the stations up to show.
"""
