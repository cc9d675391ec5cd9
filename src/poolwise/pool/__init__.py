"""The pool: runs of a campaign joined once with the documents they retrieved.

May import: read.
"""
