"""Reports: pages and figures that people look at.

May import: everything up to study.
"""
