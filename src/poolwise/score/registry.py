"""The registry of measures, and how their names are read."""

from __future__ import annotations

from poolwise.errors import ArgumentError
from poolwise.score.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from poolwise.score.measure import Declaration

REGISTRY: dict[str, Declaration] = {}
DEFINITIONS: dict[str, Measure] = {}  # names that users gave to measures with their parameters

# Names of other tools that stand for one measure here; `{}` takes the number behind the last underscore.
ALIASES = {
    "map": "AP",
    "map_cut_{}": "AP@{}",
    "ndcg": "nDCG",
    "ndcg_cut_{}": "nDCG@{}",
    "P_{}": "P@{}",
    "recall_{}": "R@{}",
    "success_{}": "Success@{}",
    "recip_rank": "RR",
    "rbp": "RBP(p=0.9)",  # trec_eval reads on with probability 0.9
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_q": "NumQ",
    "Bpref": "bpref",
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "Recall": "R",
    "Precision": "P",
    "bpref_relative2": "AP'",
    "bpref_allnonrel": "bpref_N",
    "bpref_10": "bpref10",
}

# trec_eval's default cut-offs and its groups, as far as we have their measures.
TREC_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
CUTOFF_FAMILIES = {
    "P": TREC_CUTOFFS,
    "recall": TREC_CUTOFFS,
    "ndcg_cut": TREC_CUTOFFS,
    "map_cut": TREC_CUTOFFS,
    "success": (1, 5, 10),
}
OFFICIAL = ("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank", "P")
ALL_TREC = (*OFFICIAL, "recall", "infAP", "ndcg", "ndcg_cut", "map_cut", "success", "rbp")
GROUPS = {"official": OFFICIAL, "all_trec": ALL_TREC}

# ir-measures' words for parameters.
SYNONYMS = {("dcg", "log2"): {}, ("dcg", "exp-log2"): {"gain": "exp"}}


def register(declaration: Declaration) -> Measure:
    """Add a declared measure and return it with its defaults."""
    if declaration.name in REGISTRY or any(declaration.name == alias for alias in ALIASES):
        raise ArgumentError(f"a measure called {declaration.name!r} exists already; choose another name")
    REGISTRY[declaration.name] = declaration
    return Measure(declaration)


def parse(text: str | Measure) -> Measure:
    """Read a measure's name; a `Measure` passes through, and one of ir_measures is read by its name.

    >>> parse("map"), parse("cond:nDCG@10"), parse("nDCG(dcg='exp-log2')@10")
    (AP, nDCG'@10, nDCG(gain='exp')@10)
    """
    if isinstance(text, Measure):
        return text
    if type(text).__module__.partition(".")[0] == "ir_measures":
        return _of_ir_measures(text)
    if not isinstance(text, str):
        raise ArgumentError(f"{text!r} is not a measure; use a name such as 'nDCG@10' or an object such as nDCG @ 10")
    if text.strip() in DEFINITIONS:
        return DEFINITIONS[text.strip()]
    name, prime, arguments, cutoff = _parts(text.strip(), text)
    preset: dict[str, Any] = {}
    if name in ALIASES:
        aliased = parse(ALIASES[name])
        preset, name, prime = aliased.parameters, aliased.name, prime or aliased.is_condensed
    if name not in REGISTRY:
        alias = _numbered_alias(name)
        if alias is None or arguments or cutoff:
            raise _unknown(name, text)
        measure = parse(alias)
        return measure.condensed if prime else measure
    parameters = {**preset, **(_arguments(arguments, text) if arguments else {})}
    prime = bool(parameters.pop("judged_only", False)) or prime
    return Measure(REGISTRY[name], parameters, int(cutoff) if cutoff else None, prime)


def expand(text: str | Measure) -> list[tuple[str, Measure]]:
    """Read a measure, a trec_eval family (`P`, `P.5,10`, `ndcg_cut`) or group (`official`).

    Each comes with the name that trec_eval-like output shows for it.

    >>> expand("P.5,10")
    [('P_5', P@5), ('P_10', P@10)]
    """
    if not isinstance(text, str):
        return [(str(text), parse(text))]
    text = text.strip()
    if text in GROUPS:
        return [pair for name in GROUPS[text] for pair in expand(name)]
    family, dot, numbers = text.partition(".")
    if family in CUTOFF_FAMILIES and (dot or text == family):
        cutoffs = numbers.split(",") if dot else [str(cutoff) for cutoff in CUTOFF_FAMILIES[family]]
        if not all(_is_number(cutoff) for cutoff in cutoffs):
            raise ArgumentError(f"{text!r}: cut-offs are whole numbers between commas, as in {family}.5,10")
        return [(f"{family}_{cutoff}", parse(f"{family}_{cutoff}")) for cutoff in cutoffs]
    return [(text, parse(text))]


def measures() -> list[Declaration]:
    """All declared measures, in the order of their declaration."""
    return list(REGISTRY.values())


def _of_ir_measures(given: Any) -> Measure:
    """A measure of ir_measures; its own text leaves out gains that equal their label, so it is written anew."""
    parameters = dict(given.params)
    cutoff = parameters.pop("cutoff", None)
    arguments = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return parse(f"{given.NAME}{f'({arguments})' if arguments else ''}{'' if cutoff is None else f'@{cutoff}'}")


def _parts(text: str, whole: str) -> tuple[str, bool, str, str]:
    """Cut NAME['][(arguments)]['][@cutoff] into its parts."""
    prime = text.startswith("cond:")
    text = text.removeprefix("cond:")
    head, at, cutoff = text.rpartition("@")
    if not at or ")" in cutoff or "}" in cutoff:
        head, cutoff = text, ""
    elif not _is_number(cutoff):
        raise ArgumentError(f"measure {whole!r}: the cut-off after @ must be a whole number, found {cutoff!r}")
    if head.endswith("'") and not head.startswith("'"):
        head, prime = head[:-1], True
    arguments = ""
    if head.endswith(")"):
        head, bracket, arguments = head[:-1].partition("(")
        if not bracket:
            raise ArgumentError(f"measure {whole!r}: a closing bracket has no opening one")
    elif "(" in head:
        raise ArgumentError(f"measure {whole!r}: the bracket is not closed")
    if head.endswith("'"):
        head, prime = head[:-1], True
    return head, prime, arguments, cutoff


def _arguments(text: str, whole: str) -> dict[str, Any]:
    import ast

    try:
        call = ast.parse(f"measure({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(word.arg is None for word in call.keywords):
            raise ValueError
        values = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise ArgumentError(
            f"measure {whole!r}: {text!r} cannot be read; parameters are written name=value, with quotes around words"
        ) from None
    if "gains" in values:
        values["gain"] = values.pop("gains")
    for word, meaning in SYNONYMS.items():
        if values.get(word[0]) == word[1]:
            del values[word[0]]
            values.update(meaning)
    return values


def _numbered_alias(name: str) -> str | None:
    family, _, number = name.rpartition("_")
    alias = ALIASES.get(family + "_{}")
    return alias.format(number) if alias is not None and _is_number(number) else None


def _unknown(name: str, text: str) -> ArgumentError:
    from difflib import get_close_matches

    names: Iterable[str] = [*DEFINITIONS, *GROUPS, *(alias for alias in ALIASES if "{" not in alias), *REGISTRY]
    by_lower = {known.lower(): known for known in names}
    near = [by_lower[match] for match in get_close_matches(name.lower(), list(by_lower), 4, 0.5)]
    hint = f"did you mean {', '.join(near)}?" if near else "`poolwise measures` lists all"
    return ArgumentError(f"measure {text!r} is unknown; {hint}")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
