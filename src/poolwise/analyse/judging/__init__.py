"""Planning judgments: which documents to judge next, within a budget or for a wanted width.

`listing` lists the pool, `strata` splits it, `spread` says where labels matter most, `allocation` shares out the
judgments, `width` says how many are needed, `plan` puts it together.
"""
