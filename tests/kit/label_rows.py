"""Labels of assessors as rows, and sheets of them."""

from __future__ import annotations

from poolwise.trust.label_sheet import label_sheet


def rows(labels, topics=None):
    """Rows of one assessor; documents that they lack are not listed."""
    return [
        (topics[place] if topics else "1", f"d{place:03d}", float(label), 1)
        for place, label in enumerate(labels)
        if label is not None
    ]


def sheet_of(table):
    return label_sheet({name: rows(labels) for name, labels in table.items()})
