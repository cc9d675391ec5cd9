"""Which documents to judge next, within a budget or for a wanted width.

`listing` lists the pool, `plan_strata` splits it, `label_value` finds where labels matter most, `make_plan` puts the
plan together, `planned_widths` forecasts its intervals. May import: scores and below.
"""
