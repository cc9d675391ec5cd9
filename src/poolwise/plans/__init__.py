"""Planning judgments: which documents to judge next, within a budget or for a wanted width.

`listing` lists the pool, `plan_strata` splits it, `worth` says where labels matter most, `allocation` shares out the
judgments, `width` says how many are needed, `make_plan` puts it together. May import: the stations up to show.
"""
