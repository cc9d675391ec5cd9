"""Names as users of other tools write them, and why some have no measure here.

Loaded when a name is not known, so that names of our own cost nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# What other tools have and poolwise has not, and what to do instead.
PREFERENCES = "it is of trec_eval's preference and judgment-group formats, which are not read here"
NO_NUMBER = "it is a word and no number; `poolwise trec_eval` prints it"
CWL = "it is cwl-eval's; ir-measures with cwl-eval has it"
OLD_BPREF = "it is trec_eval 8.1's, which later versions dropped; bpref10 is [B07]'s, did you mean bpref10?"
NTCIR = "NTCIREVAL has it"
NOT_HERE = {
    "runid": NO_NUMBER,
    "relstring": NO_NUMBER,
    "prefs": PREFERENCES,
    "all_prefs": PREFERENCES,
    "qrels_jg": PREFERENCES,
    **dict.fromkeys(("INST", "INSQ", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11", "TBG"), CWL),
    **dict.fromkeys(("bpref_10", "bpref_top10pRnonrel", "bpref_top5Rnonrel", "bpref_top10Rnonrel"), OLD_BPREF),
    **dict.fromkeys(("EBR", "iRBU", "GAP"), NTCIR),
    "Accuracy": "it is ir-measures' own; what BEIR calls accuracy@k is Success@k",
    "rbp": "ranx multiplies by the label; write for example RBP(p=0.95), which is the same for labels 0 and 1",
    "nauc": "it is MTEB's, of its own tasks",
    "p-MRR": "it is MTEB's, of its own tasks",
}


def not_here(name: str) -> str:
    """Why another tool's measure is not here; empty if no tool is known to have it."""
    if name.startswith("prefs_") or name.endswith("_avgjg"):
        return PREFERENCES
    if name.startswith("nauc_"):
        return NOT_HERE["nauc"]
    return NOT_HERE.get(name) or NOT_HERE.get(name.partition(".")[0], "")


def in_our_form(text: str, known: Iterable[str]) -> str | None:
    """A measure as others write it, in a form that may be known; None if there is no such form.

    >>> in_our_form("ndcg_at_10", []), in_our_form("map@100-l2", []), in_our_form("judged@10", ["Judged", "P"])
    ('ndcg@10', 'map(rel=2)@100', 'Judged@10')
    """
    head, at, number = text.rpartition("_at_")  # MTEB
    if at and number.isdigit():
        return f"{head}@{number}"
    head, level, number = text.rpartition("-l")  # ranx
    if level and number.isdigit():
        name, at, cutoff = head.partition("@")
        return f"{name}(rel={number}){at}{cutoff}"
    return _in_its_case(text, known)


def _in_its_case(text: str, known: Iterable[str]) -> str | None:
    """The text with the one known name that differs in capitals only."""
    end = min((place for sign in "@('" if (place := text.find(sign)) >= 0), default=len(text))
    name, rest = text[:end], text[end:]
    near = [each for each in known if each.lower() == name.lower() and each != name]
    return near[0] + rest if len(near) == 1 else None
