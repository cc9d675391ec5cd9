"""The papers' protocols: for each paper and study the settings that repeat it, declared once.

`poolwise study NAME --as B07` takes them from here, `poolwise.study.settings_as("B07", "robustness")` gives them to
Python. Settings that a paper leaves open, such as the number of trials of [B07], are those of the study.
"""

from __future__ import annotations

from poolwise.errors import ArgumentError
from poolwise.lab.study.choices import FRACTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# [S07] section 2: nDCG as Jarvelin and Kekalainen have it with a = 2, to rank 1000.
_SAKAI_NDCG = "nDCG(discount='jk')@1000", "nDCG'(discount='jk')@1000"
_BOMPADA = {  # section 2: binary gains, graded ones only in section 5.3, which is a table of its own
    "measures": ("nDCG(gain='binary')", "nDCG'(gain='binary')", "infAP", "bpref"),
    "fractions": FRACTIONS,
    "rounding": "up",
    "retrieved": 0.95,
}
_SAKAI = {
    "measures": (
        "AP", "Q", _SAKAI_NDCG[0], "AP'", "Q'", _SAKAI_NDCG[1], "rpref_relative2", "bpref_R", "bpref_N", "rpref_N",
    ),
    "fractions": (0.1, 0.3, 0.5, 0.7, 0.9, 1.0),
    "complete_only": ("bpref_N", "rpref_N"),  # left out in section 6 and in figure 3
    "rounding": "down",
    "top": 30,
}  # fmt: skip
_GIENAPP = {"cutoffs": (5, 10, 15, 20), "draws": 200, "tolerance": 0.05, "resamples": 1000, "counted": "topics"}

PROTOCOLS: dict[str, dict[str, dict[str, Any]]] = {
    "B07": {
        "robustness": _BOMPADA,
        "decisions": {**_BOMPADA, "pairs": 300, "judged": "pair", "alpha": 0.05},
    },
    "S07": {
        "robustness": _SAKAI,
        "discrimination": {**_SAKAI, "resamples": 1000, "alpha": 0.05},
    },
    "Y08": {
        "estimation": {
            "measures": ("infAP", "xinfAP", "infNDCG", "nDCG", "statAP"),
            "fractions": (0.1, 0.2, 0.3),
            "depths": (1, 2, 3, 4, 5, 10, 20, 30, 40, 50),
            "effort": "equal",
            "trials": 100,
            "assisted": 0,
        },
    },
    "K09": {
        "gain-discount": {"cutoffs": (3, 10, 20, 100, 200), "discounts": "free", "resamples": 1000},
    },
    "G20": {"negative": {**_GIENAPP, "discount": "log2", "judged_only": False}},
    # Its code takes judged documents only; the discount was mended on 2020-11-10, after release 1.0.0.
    "G20-code": {"negative": {**_GIENAPP, "discount": "jk", "judged_only": True}},
    "G20-release": {"negative": {**_GIENAPP, "discount": "ln", "judged_only": True}},
}


def settings_as(paper: str, study: str) -> dict[str, Any]:
    """Give the settings with which a study repeats a paper.

    Parameters
    ----------
    paper : str
        The paper's tag: B07, S07, Y08, K09, G20, or G20-code and G20-release for what its code does.
    study : str
        The name of the study.

    Returns
    -------
    dict
        Settings by name, as the study's function takes them.

    Examples
    --------
    >>> settings_as("S07", "discrimination")["resamples"]
    1000
    """
    if paper not in PROTOCOLS:
        raise ArgumentError(f"no protocol is called {paper!r}; choose among {', '.join(PROTOCOLS)}")
    if study not in PROTOCOLS[paper]:
        listed = ", ".join(PROTOCOLS[paper])
        raise ArgumentError(f"[{paper}] has no {study} study; what it has: {listed}")
    return dict(PROTOCOLS[paper][study])


def studies_as(paper: str) -> list[str]:
    """Give the studies that repeat a paper.

    >>> studies_as("B07")
    ['robustness', 'decisions']
    """
    if paper not in PROTOCOLS:
        raise ArgumentError(f"no protocol is called {paper!r}; choose among {', '.join(PROTOCOLS)}")
    return list(PROTOCOLS[paper])
