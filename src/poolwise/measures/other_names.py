"""Names of other tools: trec_eval's groups, families and parameters, and suggestions for unknown names.

This module is loaded when a name is unknown, so that poolwise's names cost no time.
"""

from __future__ import annotations

import re

from poolwise.basics.settings import did_you_mean
from poolwise.errors import ArgumentError
from poolwise.measures.registry import (
    ALIASES,
    DEFINITIONS,
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
    from collections.abc import Iterable, Iterator, Sequence

    from poolwise.measures.measure import Measure

# trec_eval's measures with several cut-offs, with its default cut-offs.
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
# Measures of trec_eval with positional parameters, as in `set_F.2`, and the names of these parameters.
POSITIONAL = {
    "set_F": "beta={}",
    "utility": "hit={}, false_alarm={}, missed={}, rejected={}",
    "11pt_avg": "points=[{}]",
}
# All measures of trec_eval in the order in which it prints them, except preference measures.
TREC_MEASURES = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg"),
    *("binG", "G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success"),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "yaap", "rbp"),
    *("rbp_resid", "unj"),
)
WORDS = ("runid", "relstring")  # printed as text, not as a number
# Its groups of measures.
NICKNAMES = {
    "official": TREC_MEASURES[: TREC_MEASURES.index("P") + 1],
    "all_trec": tuple(name for name in TREC_MEASURES if name not in ("dcg", "ideal_dcg", "yaap")),
    "set": (*TREC_MEASURES[:5], "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
}
GROUPS = {name: tuple(each for each in members if each not in WORDS) for name, members in NICKNAMES.items()}


def expanded(text: str) -> list[tuple[str, Measure]]:
    """The measures of a group, of a family, or with parameters in trec_eval's form. Other names are parsed."""
    if text in GROUPS:
        return [pair for name in GROUPS[text] for pair in expand(name)]
    family, dot, numbers = text.partition(".")
    if family in FAMILIES and (dot or text == family):
        return [(name, parse(name)) for name in _members(family, numbers.split(",") if dot else FAMILIES[family])]
    # trec_eval prints P_5 and takes P.5; both forms are accepted, so that output can be pasted.
    if again := _as_asked(text):
        return expanded(again)
    if dot and not is_declared(family):
        declare_all()
    if (family in ALIASES or family in REGISTRY) and "=" in numbers:
        return [(f"{family}_{numbers}", _with_parameters(family, numbers, text))]
    if family in POSITIONAL and dot:
        return [(f"{family}_{numbers}", parse(family)(**read_arguments(_placed(family, numbers), text)))]
    return [(text, parse(text))]


def _as_asked(text: str) -> str:
    """A printed name of trec_eval with parameters, in the form of its option -m. Empty for other names.

    >>> _as_asked("ndcg_1=3,2=10"), _as_asked("set_F_0.5"), _as_asked("ndcg.1=3"), _as_asked("P_10")
    ('ndcg.1=3,2=10', 'set_F.0.5', '', '')
    """
    if text.partition(".")[0] in TREC_MEASURES or "(" in text:
        return ""
    name = max((each for each in TREC_MEASURES if text.startswith(f"{each}_")), key=len, default="")
    numbers = text[len(name) + 1 :]
    positional = name in POSITIONAL and numbers[:1] in set("+-.0123456789")
    return f"{name}.{numbers}" if name and ("=" in numbers or positional) else ""


def takes_parameters(name: str) -> bool:
    """Whether a measure of trec_eval takes parameters other than cut-offs after a point."""
    return name in POSITIONAL or bool({"gain", "p"} & set(parse(name).parameters))


def _placed(name: str, numbers: str) -> str:
    """Positional numbers as named parameters."""
    form = POSITIONAL[name]
    values = [numbers] if "[" in form else numbers.split(",")
    if not numbers or len(values) != form.count("{}"):
        raise ArgumentError(f"{name}.{numbers}: expected {form.count('{}')} numbers between commas: {form}")
    return form.format(*values)


def _with_parameters(name: str, pairs: str, whole: str) -> Measure:
    """A measure with parameters in trec_eval's form: `rbp.p=0.8`, or gains of labels as in `ndcg.1=3,2=10`."""
    values = dict(pair.partition("=")[::2] for pair in pairs.split(","))
    # Labels as keys: gains of labels. Words as keys: parameters.
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
    """Names of a family's members as trec_eval prints them, with two decimals for shares of recall."""
    shares = "." in FAMILIES[family][0]
    numbers = list(numbers)
    if not all(is_share(number) if shares else is_number(number) for number in numbers):
        example = ",".join(FAMILIES[family][1:3])
        raise ArgumentError(
            f"{family}.{','.join(numbers)}: give {'shares' if shares else 'whole numbers'} between commas, as in "
            f"{family}.{example}"
        )
    return [f"{family}_{float(number):.2f}" if shares else f"{family}_{number}" for number in numbers]


RELSTRING_LENGTH = "10"  # documents, trec_eval's default
UNKNOWN = 0.0  # size of the collection if none is given: trec_eval uses 0, although its help differs


class TrecEvalLine:
    """A line of output: the name that trec_eval prints, and its measure (None for text lines).

    `root` is trec_eval's name without cut-off and parameters. `length` is for a relstring.
    """

    __slots__ = ("length", "measure", "name", "root")

    def __init__(self, root: str, name: str, measure: Measure | None, length: int = 0) -> None:
        self.root, self.name, self.measure, self.length = root, name, measure, length

    @property
    def is_count(self) -> bool:
        """Whether its values are whole numbers."""
        return self.measure is not None and self.measure.declaration.aggregate.counts

    @property
    def summary_only(self) -> bool:
        """Whether it is printed only for all topics together."""
        return self.name == "runid" or (self.measure is not None and self.measure.declaration.summary_only)


def lines_of(
    wanted: Sequence[str], level: int = 1, judged_only: bool = False, collection: float | None = None
) -> list[TrecEvalLine]:
    """The lines of the measures of option -m: names, groups, and parameters after a point.

    As in trec_eval, a measure is printed once, with the parameters of its first mention.
    """
    chosen: set[str] = set()
    parameters: dict[str, str] = {}
    for text in wanted:
        name, point, numbers = text.partition(".")
        if name not in TREC_MEASURES and name not in NICKNAMES:
            raise ArgumentError(f"illegal measure '{text}'; {_hint(text)}")
        if point and not numbers:
            raise ArgumentError(f"improper measure in parameter '{name}'; write {name}, or numbers behind the point")
        chosen.update(NICKNAMES.get(name, (name,)))
        if point:
            parameters.setdefault(name, numbers)
    lines = [line for name in TREC_MEASURES if name in chosen for line in _lines(name, parameters.get(name))]
    for line in lines:
        if line.measure is not None:
            line.measure = _adapted(line.measure, level, judged_only, collection)
    return lines


def _hint(text: str) -> str:
    """Hint for an unknown name: trec_eval takes `P.5` for the measure that it prints as P_5."""
    name, _, number = text.rpartition("_")
    if name in TREC_MEASURES and number.isdigit():
        return f"write {name}.{number}"
    return did_you_mean(text, [*TREC_MEASURES, *NICKNAMES]) or "`poolwise trec_eval -m all_trec` prints those there are"


def _lines(name: str, numbers: str | None) -> Iterator[TrecEvalLine]:
    if name == "relstring":
        length = max(0, _whole(numbers or RELSTRING_LENGTH))
        yield TrecEvalLine(name, name if numbers is None else f"{name}_{numbers}", None, length)
    elif name in WORDS:
        yield TrecEvalLine(name, name, None)
    elif numbers is not None and name in FAMILIES:
        for member in _sorted_members(name, numbers):
            yield from (TrecEvalLine(name, *pair) for pair in expand(f"{name}.{member}"))
    elif numbers is not None and takes_parameters(name):
        yield from (TrecEvalLine(name, *pair) for pair in expand(f"{name}.{numbers}"))
    else:
        yield from (TrecEvalLine(name, *pair) for pair in expand(name))


def _sorted_members(family: str, text: str) -> list[str]:
    """Cut-offs in ascending order, as trec_eval reads them: whole numbers end at the first other character."""
    shares = "." in FAMILIES[family][0]
    numbers = sorted(_real(each) if shares else _whole(each) for each in text.split(","))
    if len(set(numbers)) < len(numbers):
        raise ArgumentError(f"{family}.{text}: duplicate cutoffs detected; give each once")
    if not shares and numbers[0] <= 0:
        raise ArgumentError(f"{family}.{text}: a cutoff that is not positive was detected; give whole numbers from 1")
    return [str(number) for number in numbers]


def _whole(text: str) -> int:
    """The whole number at the beginning of a text, else 0, as C's atol."""
    text = text.strip()
    end = 1 if text[:1] in ("-", "+") else 0
    while end < len(text) and "0" <= text[end] <= "9":
        end += 1
    return int(text[:end]) if text[:end].lstrip("+-") else 0


def _real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(
            f"{text!r} is not a number; give numbers between commas, as in iprec_at_recall.0.25,.5"
        ) from None


def _adapted(measure: Measure, level: int, judged_only: bool, collection: float | None) -> Measure:
    """The measure under trec_eval's options -l, -J and -N."""
    if level != 1 and "rel" in measure.parameters:
        measure = measure(rel=level)
    if "collection" in measure.parameters:
        measure = measure(collection=UNKNOWN if collection is None else collection)
    return measure.on_judged_only() if judged_only and measure.declaration.judged_only else measure


# Measures that poolwise lacks, and what to do instead.
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
# Common names that no tool uses.
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
    """Parse a name that is unknown here, as other tools may write it."""
    if reason := not_here(name):
        raise ArgumentError(f"measure {text!r} is not here: {reason}")
    again = in_our_form(text.strip(), _one_name_each())
    # A form that does not change would be parsed without end.
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
    """The reason why another tool's measure is missing. Empty for names of no known tool."""
    if name.startswith("prefs_") or name.endswith("_avgjg"):
        return PREFERENCES
    if name.startswith("nauc_"):
        return NOT_HERE["nauc"]
    return NOT_HERE.get(name) or NOT_HERE.get(name.partition(".")[0], "")


def in_our_form(text: str, known: Iterable[str]) -> str | None:
    """The name of a measure of another tool in poolwise's syntax. None if it has no such form.

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
    """The text with the known name that differs only in case. None unless there is exactly one."""
    name, rest = _cut(text)
    near = [each for each in known if each.lower() == name.lower() and each != name]
    return near[0] + rest if len(near) == 1 else None


def _cut(text: str) -> tuple[str, str]:
    """The name, and the rest of the text."""
    end = min((index for mark in "@('" if (index := text.find(mark)) >= 0), default=len(text))
    return text[:end], text[end:]


def _one_name_each() -> list[str]:
    """Names that differ in more than case: one for each measure and spelling."""
    meant: dict[tuple[str, str], str] = {}
    for name in (*REGISTRY, *(alias for alias in ALIASES if "{" not in alias)):
        meant.setdefault((name.lower(), ALIASES.get(name, name)), name)
    return list(meant.values())


def _allowed_rest(name: str, rest: str) -> str:
    """The cut-off after a misspelt name, if the suggested measure takes one."""
    declaration = REGISTRY.get(name)
    takes = declaration is not None and (declaration.cutoff != "none" or declaration.at_parameter)
    return rest if takes and rest.startswith("@") else ""


def _unknown(name: str, text: str) -> ArgumentError:
    from difflib import get_close_matches

    names: Iterable[str] = [*DEFINITIONS, *GROUPS, *(alias for alias in ALIASES if "{" not in alias), *REGISTRY]
    by_lower = {known.lower(): known for known in names}
    several = [part.strip() for part in text.split("," if "," in text else None)]
    if len(several) > 1 and all(re.split("[@(]", part)[0].lower() in by_lower for part in several):
        return ArgumentError(f"measure {text!r} names several; give each by itself: {', '.join(map(repr, several))}")
    # nDCG10 for nDCG@10 is the most frequent mistake.
    bare = name.rstrip("0123456789")
    if bare != name and bare.lower() in by_lower:
        near = [f"{bare}@{name[len(bare) :]}"]
    else:
        near = [
            by_lower[match] + _allowed_rest(by_lower[match], text[len(name) :])
            for match in get_close_matches(name.lower(), list(by_lower), 4, 0.5)
        ]
    hint = f"did you mean {', '.join(near)}?" if near else "`poolwise measures` lists all"
    return ArgumentError(f"measure {text!r} is unknown; {hint}")
