"""What people are shown, as plain data: tables, figures, and how they become text and files.

May import: the stations up to score.
"""
