"""Names as users of other tools write them, and why some have no measure here.

Loaded when a name is not known, so that names of our own cost nothing.
"""

from __future__ import annotations

import re

from poolwise.errors import ArgumentError
from poolwise.measures.registry import ALIASES, DEFINITIONS, REGISTRY, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolwise.measures.measure import Measure

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

# Names that belong to no tool but to the way people speak.
SPELLED = {
    "acc": "Success",
    "average_precision": "AP",
    "avg_precision": "AP",
    "hitrate": "Success",
    "hr": "Success",
    "mean_average_precision": "AP",
    "mean_reciprocal_rank": "RR",
    "prec": "P",
    "r-prec": "Rprec",
    "r_precision": "Rprec",
    "r_prec": "Rprec",
    "reciprocal_rank": "RR",
}


def parse_foreign(name: str, text: str) -> Measure:
    """A name that we do not have, as other tools may write it."""
    if reason := not_here(name):
        raise ArgumentError(f"measure {text!r} is not here: {reason}")
    again = in_our_form(text.strip(), _one_name_each())
    if again is None or again == text.strip():
        raise _unknown(name, text)
    measure = parse(again)
    if "(rel=" in again and "gain" in measure.parameters:
        raise ArgumentError(
            f"measure {text!r}: {measure.name} takes labels as gains; name those that count, as in "
            f"{measure.name}(gain={{2: 2, 3: 3}}){'' if measure.cutoff is None else f'@{measure.cutoff}'}"
        )
    return measure


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
    >>> in_our_form("ndcg_cut.10", []), in_our_form("HR@10", [])
    ('ndcg_cut_10', 'Success@10')
    """
    head, at, number = text.rpartition("_at_")  # MTEB
    if at and number.isdigit():
        return f"{head}@{number}"
    head, level, number = text.rpartition("-l")  # ranx
    if level and number.isdigit():
        name, at, cutoff = head.partition("@")
        return f"{name}(rel={number}){at}{cutoff}"
    head, dot, number = text.rpartition(".")  # trec_eval's command line
    if dot and number.isdigit() and not {"(", "@"} & set(head):
        return f"{head}_{number}"
    name, rest = _cut(text)
    spelled = SPELLED.get(name.lower())
    return _in_its_case(text, known) if spelled is None else spelled + rest


def _in_its_case(text: str, known: Iterable[str]) -> str | None:
    """The text with the one known name that differs in capitals only."""
    name, rest = _cut(text)
    near = [each for each in known if each.lower() == name.lower() and each != name]
    return near[0] + rest if len(near) == 1 else None


def _cut(text: str) -> tuple[str, str]:
    """The name, and what follows it."""
    end = min((place for sign in "@('" if (place := text.find(sign)) >= 0), default=len(text))
    return text[:end], text[end:]


def _one_name_each() -> list[str]:
    """Names that can be told without regard to capitals: one for each measure and spelling."""
    meant: dict[tuple[str, str], str] = {}
    for name in (*REGISTRY, *(alias for alias in ALIASES if "{" not in alias)):
        meant.setdefault((name.lower(), ALIASES.get(name, name)), name)
    return list(meant.values())


def _kept(name: str, rest: str) -> str:
    """What followed a misspelt name, if it may follow the one that is offered: a cut-off."""
    declaration = REGISTRY.get(name)
    takes = declaration is not None and (declaration.cutoff != "none" or declaration.at)
    return rest if takes and rest.startswith("@") else ""


def _unknown(name: str, text: str) -> ArgumentError:
    from difflib import get_close_matches

    from poolwise.measures.trec_names import GROUPS

    names: Iterable[str] = [*DEFINITIONS, *GROUPS, *(alias for alias in ALIASES if "{" not in alias), *REGISTRY]
    by_lower = {known.lower(): known for known in names}
    several = [part.strip() for part in text.split("," if "," in text else None)]
    if len(several) > 1 and all(re.split("[@(]", part)[0].lower() in by_lower for part in several):
        return ArgumentError(f"measure {text!r} names several; give each by itself: {', '.join(map(repr, several))}")
    bare = name.rstrip("0123456789")
    if bare != name and bare.lower() in by_lower:
        near = [f"{bare}@{name[len(bare) :]}"]
    else:
        near = [
            by_lower[match] + _kept(by_lower[match], text[len(name) :])
            for match in get_close_matches(name.lower(), list(by_lower), 4, 0.5)
        ]
    hint = f"did you mean {', '.join(near)}?" if near else "`poolwise measures` lists all"
    return ArgumentError(f"measure {text!r} is unknown; {hint}")
