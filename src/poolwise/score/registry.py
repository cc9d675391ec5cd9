"""The registry of measures, and how their names are read."""

from __future__ import annotations

from poolwise.errors import ArgumentError
from poolwise.score.aggregate import MEAN
from poolwise.score.measure import Measure
from poolwise.score.parameters import OTHER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from poolwise.score.aggregate import Aggregate
    from poolwise.score.measure import Declaration

REGISTRY: dict[str, Declaration] = {}  # as far as they are declared: `declare_all` sees to the others
DEFINITIONS: dict[str, Measure] = {}  # names that users gave to measures with their parameters

ALIASES: dict[str, str] = {}  # names of other tools and what they mean, from the declarations

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

# ir-measures' words for parameters.
SYNONYMS = {("dcg", "log2"): {}, ("dcg", "exp-log2"): {"gain": "exp"}}
NO_WORDS = ("True", "False", "None")
# Its measures that are others with a parameter.
RENAMED = {("NumRet", "rel"): "NumRelRet"}


# Modules that declare measures which few ask for; they are loaded when a name is not known yet, or all are wanted.
MORE = ("counts", "cumulative_gain", "diversity", "estimators", "sets")


def declare_all() -> None:
    """Have all measures of the library declared."""
    from importlib import import_module

    for name in ("rank", "preference", *MORE):
        import_module(f"poolwise.score.{name}")


def register(declaration: Declaration) -> Measure:
    """Add a declared measure and return it with its defaults."""
    if declaration.function is not None:
        declare_all()
    if declaration.name in REGISTRY or any(declaration.name == alias for alias in ALIASES):
        raise ArgumentError(f"a measure called {declaration.name!r} exists already; choose another name")
    REGISTRY[declaration.name] = declaration
    ALIASES.update(declaration.aliases)
    return Measure(declaration)


def aggregate_of(measure: str | Measure) -> Aggregate:
    """How a measure puts topics together; a mean where it is none of ours but a column of some table."""
    try:
        return parse(measure).declaration.aggregate
    except ArgumentError:
        return MEAN


def aliases_of(declaration: Declaration) -> list[str]:
    """Names of other tools for a measure, k standing for a number."""
    return [alias.replace("{}", "k") for alias in declaration.aliases]


def parse(text: str | Measure) -> Measure:
    """Read a measure's name.

    Parameters
    ----------
    text : str or Measure
        A name in our words, trec_eval's or ir_measures'; a `Measure` passes through, and one of ir_measures is read
        by its name.

    Returns
    -------
    Measure
        The measure.

    Examples
    --------
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
    if not _is_declared(name):
        declare_all()
    preset: dict[str, Any] = {}
    if name in ALIASES:
        aliased = parse(ALIASES[name])
        preset, name, prime = aliased.parameters, aliased.name, prime or aliased.is_condensed
    if name not in REGISTRY:
        alias = _numbered_alias(name)
        if alias is None or arguments or cutoff:
            return _foreign(name, text)
        measure = parse(alias)
        return measure.condensed if prime else measure
    parameters = {**preset, **(_arguments(arguments, text) if arguments else {})}
    judged_only = parameters.pop("judged_only", False)
    name = next((RENAMED[name, word] for word in parameters if (name, word) in RENAMED), name)
    measure = Measure(REGISTRY[name], parameters)
    if "-l" in cutoff:
        return _foreign(name, text)
    if cutoff:
        measure = measure @ _cutoff(cutoff, measure, text)
    if prime:
        return measure.condensed
    return measure.on_judged_only() if judged_only else measure


def each_cutoff(given: Any) -> list[Any]:
    """A name with several cut-offs as one name per cut-off; all else as it is.

    >>> each_cutoff("nDCG@10,20"), each_cutoff("P(rel=2)")
    (['nDCG@10', 'nDCG@20'], ['P(rel=2)'])
    """
    if not isinstance(given, str):
        return [given]
    name, at, cutoffs = given.strip().rpartition("@")
    numbers = cutoffs.split(",")
    return [f"{name}@{number}" for number in numbers] if at and all(map(_is_share, numbers)) else [given]


def expand(text: str | Measure) -> list[tuple[str, Measure]]:
    """Read a measure, with several cut-offs (`P@5,10`), a trec_eval family (`P`, `P.5,10`) or group (`official`).

    Each comes with the name that trec_eval-like output shows for it.

    >>> expand("P.5,10")
    [('P_5', P@5), ('P_10', P@10)]
    """
    if not isinstance(text, str):
        return [(str(text), parse(text))]
    text = text.strip()
    if len(each_cutoff(text)) > 1:
        return [pair for name in each_cutoff(text) for pair in expand(name)]
    if text in GROUPS:
        return [pair for name in GROUPS[text] for pair in expand(name)]
    family, dot, numbers = text.partition(".")
    if family in FAMILIES and (dot or text == family):
        return [(name, parse(name)) for name in _members(family, numbers.split(",") if dot else FAMILIES[family])]
    if dot and not _is_declared(family):
        declare_all()
    if (family in ALIASES or family in REGISTRY) and "=" in numbers:
        return [(f"{family}_{numbers}", _with_parameters(family, numbers, text))]
    if family in BY_PLACE and dot:
        return [(f"{family}_{numbers}", parse(family)(**_arguments(_placed(family, numbers), text)))]
    return [(text, parse(text))]


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
    if all(map(_is_number, values)):
        written = f"gains={{{', '.join(f'{label}: {gain}' for label, gain in values.items())}}}"
    else:
        written = ", ".join(f"{key}={value}" for key, value in values.items())
    arguments = _arguments(written, whole)
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
    if not all(_is_share(number) if shares else _is_number(number) for number in numbers):
        example = ",".join(FAMILIES[family][1:3])
        raise ArgumentError(
            f"{family}.{','.join(numbers)}: give {'shares' if shares else 'whole numbers'} between commas, as in "
            f"{family}.{example}"
        )
    return [f"{family}_{float(number):.2f}" if shares else f"{family}_{number}" for number in numbers]


def measures() -> list[Declaration]:
    """All measures, in the order of their declaration."""
    declare_all()
    return list(REGISTRY.values())


def declared_names() -> list[str]:
    """Names of the measures that come with the library, which the package exports."""
    declare_all()
    return [declaration.name for declaration in REGISTRY.values() if declaration.function is None]


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
    head, cutoff = head.rstrip(), cutoff.lstrip()
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
    values = _simple_arguments(text)
    if values is None:
        values = _written_arguments(text, whole)
    if "gains" in values:  # ir-measures' word; labels without one keep their own value
        gains = values.pop("gains")
        values["gain"] = {**gains, OTHER: "linear"} if isinstance(gains, dict) else gains
    for word, meaning in SYNONYMS.items():
        if values.get(word[0]) == word[1]:
            del values[word[0]]
            values.update(meaning)
    return values


def _simple_arguments(text: str) -> dict[str, Any] | None:
    """Parameters that are all numbers or words, without loading what reads all others; None if not."""
    values: dict[str, Any] = {}
    for pair in text.split(","):
        name, _, value = pair.strip().partition("=")
        if not name.isidentifier() or name in values:
            return None
        if _is_number(value) and str(int(value)) == value:
            values[name] = int(value)
        elif _is_share(value) and "." in value:
            values[name] = float(value)
        elif len(value) > 2 and value[0] == value[-1] == "'" and value[1:-1].replace("_", "").isalnum():
            values[name] = value[1:-1]
        elif value[:1].isalpha() and value.replace("_", "").replace("-", "").isalnum() and value not in NO_WORDS:
            values[name] = value  # a word whose quotes the shell has taken
        else:
            return None
    return values


def _written_arguments(text: str, whole: str) -> dict[str, Any]:
    import ast

    try:
        call = ast.parse(f"measure({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(word.arg is None for word in call.keywords):
            raise ValueError
        return {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise ArgumentError(
            f"measure {whole!r}: {text!r} cannot be read; parameters are written name=value, with quotes around words"
        ) from None


def _cutoff(text: str, measure: Measure, whole: str) -> int | float:
    """What stands behind the @: a whole number, or a share where @ sets a share."""
    if measure.declaration.at and _is_share(text):
        return float(text)
    if not _is_number(text):
        raise ArgumentError(f"measure {whole!r}: the cut-off after @ must be a whole number, found {text!r}")
    return int(text[:20])  # so long a number is refused as a cut-off, whatever follows


def _is_declared(name: str) -> bool:
    """Whether a name is known already, if it is one."""
    family, _, number = name.rpartition("_")
    return name in REGISTRY or name in ALIASES or (family + "_{}" in ALIASES and _is_share(number))


def _numbered_alias(name: str) -> str | None:
    family, _, number = name.rpartition("_")
    alias = ALIASES.get(family + "_{}")
    return alias.format(number) if alias is not None and _is_share(number) else None


def _foreign(name: str, text: str) -> Measure:
    """A name that we do not have, as other tools may write it."""
    from poolwise.score.foreign_names import in_our_form, not_here

    if reason := not_here(name):
        raise ArgumentError(f"measure {text!r} is not here: {reason}")
    again = in_our_form(text.strip(), _one_name_each())
    if again is None or again == text.strip():
        raise _unknown(name, text)
    measure = parse(again)
    if "(rel=" in again and "gain" in measure.parameters:
        raise ArgumentError(
            f"measure {text!r}: {measure.name} takes labels as gains; name those that count, as in "
            f"{measure.name}(gain={{2: 2, 3: 3}})"
        )
    return measure


def _one_name_each() -> list[str]:
    """Names that can be told without regard to capitals: one for each measure and spelling."""
    meant: dict[tuple[str, str], str] = {}
    for name in (*REGISTRY, *(alias for alias in ALIASES if "{" not in alias)):
        meant.setdefault((name.lower(), ALIASES.get(name, name)), name)
    return list(meant.values())


def _unknown(name: str, text: str) -> ArgumentError:
    from difflib import get_close_matches

    names: Iterable[str] = [*DEFINITIONS, *GROUPS, *(alias for alias in ALIASES if "{" not in alias), *REGISTRY]
    by_lower = {known.lower(): known for known in names}
    bare = name.rstrip("0123456789")
    if bare != name and bare.lower() in by_lower:
        near = [f"{bare}@{name[len(bare) :]}"]
    else:
        near = [by_lower[match] for match in get_close_matches(name.lower(), list(by_lower), 4, 0.5)]
    hint = f"did you mean {', '.join(near)}?" if near else "`poolwise measures` lists all"
    return ArgumentError(f"measure {text!r} is unknown; {hint}")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_share(text: str) -> bool:
    """A number that may have decimals."""
    return _is_number(text.replace(".", "", 1))
