"""Which measures a sample of judgments can say something of; estimates and plans ask here."""

from __future__ import annotations

from poolwise.measures.aggregate import MEAN
from poolwise.measures.measure import NO_MATTER, REPORTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.measures.measure import Measure

__all__ = ["why_not"]


def why_not(measure: Measure) -> str:
    """Why a measure cannot be estimated, and what to use; nothing if it can.

    >>> from poolwise.measures.rank import AP, GMAP
    >>> why_not(AP), why_not(GMAP)
    ('', 'it is no mean over topics; ask for the measure whose scores it puts together, such as AP for GMAP')
    """
    declaration = measure.declaration
    if declaration.estimates is not None:
        return f"it is an estimate itself; ask for what it estimates, {measure.estimated}"
    if declaration.unjudged in (REPORTED, NO_MATTER):
        return "it says what is judged or retrieved, which is known; score has it"
    if declaration.subtopics:
        return "a sample holds labels of documents, not of subtopics; score has it, for complete judgments"
    if declaration.aggregate is not MEAN:
        return "it is no mean over topics; ask for the measure whose scores it puts together, such as AP for GMAP"
    return ""
