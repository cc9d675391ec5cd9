"""trec_eval's names for many measures at once, and its ways to write parameters.

Loaded when a name is none of our own, so that these cost nothing.
"""

from __future__ import annotations

from poolwise.errors import ArgumentError
from poolwise.measures.registry import (
    ALIASES,
    REGISTRY,
    declare_all,
    expand,
    is_declared,
    is_number,
    is_share,
    parse,
    read_arguments,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolwise.measures.measure import Measure

# trec_eval's measures that are printed at several cut-offs, and its groups, as far as we have their measures.
TREC_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
FAMILIES = {
    "P": TREC_CUTOFFS,
    "recall": TREC_CUTOFFS,
    "ndcg_cut": TREC_CUTOFFS,
    "map_cut": TREC_CUTOFFS,
    "success": ("1", "5", "10"),
    "unj": ("5", "10", "20"),
    "iprec_at_recall": tuple(f"{tenth / 10:.2f}" for tenth in range(11)),
    "Rprec_mult": tuple(f"{fifth / 5:.2f}" for fifth in range(1, 11)),
    "relative_P": TREC_CUTOFFS,
}
# Measures of trec_eval that take numbers by their place, as in `set_F.2`, and what these are.
BY_PLACE = {
    "set_F": "beta={}",
    "utility": "hit={}, false_alarm={}, missed={}, rejected={}",
    "11pt_avg": "points=[{}]",
}
# All measures of trec_eval in the order in which it prints them, but for those of preferences.
TREC_MEASURES = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg"),
    *("binG", "G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success"),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "yaap", "rbp"),
    *("rbp_resid", "unj"),
)
WORDS = ("runid", "relstring")  # what is no number
# Its nicknames for several measures.
NICKNAMES = {
    "official": TREC_MEASURES[: TREC_MEASURES.index("P") + 1],
    "all_trec": tuple(name for name in TREC_MEASURES if name not in ("dcg", "ideal_dcg", "yaap")),
    "set": (*TREC_MEASURES[:5], "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
}
GROUPS = {name: tuple(each for each in members if each not in WORDS) for name, members in NICKNAMES.items()}


def expanded(text: str) -> list[tuple[str, Measure]]:
    """The measures of a group or family, or with parameters as trec_eval writes them; all else as it is."""
    if text in GROUPS:
        return [pair for name in GROUPS[text] for pair in expand(name)]
    family, dot, numbers = text.partition(".")
    if family in FAMILIES and (dot or text == family):
        return [(name, parse(name)) for name in _members(family, numbers.split(",") if dot else FAMILIES[family])]
    if again := _as_asked(text):
        return expanded(again)
    if dot and not is_declared(family):
        declare_all()
    if (family in ALIASES or family in REGISTRY) and "=" in numbers:
        return [(f"{family}_{numbers}", _with_parameters(family, numbers, text))]
    if family in BY_PLACE and dot:
        return [(f"{family}_{numbers}", parse(family)(**read_arguments(_placed(family, numbers), text)))]
    return [(text, parse(text))]


def _as_asked(text: str) -> str:
    """A name with parameters as trec_eval prints it, in the form by which it is asked for; empty for all others.

    >>> _as_asked("ndcg_1=3,2=10"), _as_asked("set_F_0.5"), _as_asked("ndcg.1=3"), _as_asked("P_10")
    ('ndcg.1=3,2=10', 'set_F.0.5', '', '')
    """
    if text.partition(".")[0] in TREC_MEASURES or "(" in text:
        return ""
    name = max((each for each in TREC_MEASURES if text.startswith(f"{each}_")), key=len, default="")
    given = text[len(name) + 1 :]
    by_place = name in BY_PLACE and given[:1] in set("+-.0123456789")
    return f"{name}.{given}" if name and ("=" in given or by_place) else ""


def takes_parameters(name: str) -> bool:
    """Whether a measure of trec_eval takes numbers behind a point that are no cut-offs."""
    return name in BY_PLACE or bool({"gain", "p"} & set(parse(name).parameters))


def _placed(name: str, numbers: str) -> str:
    """Numbers by place as parameters by name."""
    form = BY_PLACE[name]
    given = [numbers] if "[" in form else numbers.split(",")
    if not numbers or len(given) != form.count("{}"):
        raise ArgumentError(f"{name}.{numbers}: expected {form.count('{}')} numbers between commas: {form}")
    return form.format(*given)


def _with_parameters(name: str, pairs: str, whole: str) -> Measure:
    """trec_eval's way to write parameters: `rbp.p=0.8`, and gains of labels as in `ndcg.1=3,2=10`, also below 0."""
    values = dict(pair.partition("=")[::2] for pair in pairs.split(","))
    if all(map(is_number, values)):
        written = f"gains={{{', '.join(f'{label}: {gain}' for label, gain in values.items())}}}"
    else:
        written = ", ".join(f"{key}={value}" for key, value in values.items())
    arguments = read_arguments(written, whole)
    measure = parse(name)
    if any(gain.strip().startswith("-") for gain in values.values()):
        if "negative" not in measure.parameters:
            raise ArgumentError(
                f"{whole}: gains below 0 count as 0 in {measure}, which trec_eval does otherwise; use gains from 0 on, "
                "or nDCG, which takes them"
            )
        arguments["negative"] = "keep"
    return measure(**arguments)


def _members(family: str, numbers: Iterable[str]) -> list[str]:
    """Names of a family's members, as trec_eval prints them: shares of recall have two decimals."""
    shares = "." in FAMILIES[family][0]
    numbers = list(numbers)
    if not all(is_share(number) if shares else is_number(number) for number in numbers):
        example = ",".join(FAMILIES[family][1:3])
        raise ArgumentError(
            f"{family}.{','.join(numbers)}: give {'shares' if shares else 'whole numbers'} between commas, as in "
            f"{family}.{example}"
        )
    return [f"{family}_{float(number):.2f}" if shares else f"{family}_{number}" for number in numbers]
