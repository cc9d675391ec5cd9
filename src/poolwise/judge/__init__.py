"""Judgments: what is known of a pool's documents, complete or sampled.

May import: read, pool.
"""
