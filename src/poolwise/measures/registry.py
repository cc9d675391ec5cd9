"""Registry of measures, and parser of their names."""

from __future__ import annotations

from math import inf

from poolwise.errors import ArgumentError
from poolwise.measures.aggregate import MEAN
from poolwise.measures.measure import NO_MATTER, REPORTED, Measure
from poolwise.measures.parameters import OTHER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.measures.aggregate import Aggregate
    from poolwise.measures.measure import Declaration


def why_not(measure: Measure) -> str:
    """The reason why a measure cannot be estimated, with an alternative. Empty if it can be.

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


REGISTRY: dict[str, Declaration] = {}  # those declared so far; `declare_all` adds the others
DEFINITIONS: dict[str, Measure] = {}  # users' names for measures with parameters
ALIASES: dict[str, str] = {}  # names of other tools -> names here, from the declarations
# Values of ir-measures' parameter `dcg`: log2 is the default here, exp-log2 is a gain.
SYNONYMS = {("dcg", "log2"): {}, ("dcg", "exp-log2"): {"gain": "exp"}}
NO_WORDS = ("True", "False", "None")
# Measures of ir-measures that are another one here with this parameter.
RENAMED = {("NumRet", "rel"): "NumRelRet"}
# Modules of rarer measures, loaded when a name is unknown or all are listed: `poolwise score` starts faster.
MORE = ("counts", "cumulative_gain", "diversity")


def declare_all() -> None:
    """Load all modules that declare measures."""
    from importlib import import_module

    for name in ("rank", "partly_judged", *MORE):
        import_module(f"poolwise.measures.{name}")


def register(declaration: Declaration) -> Measure:
    """Add a declared measure and return it with its defaults."""
    # A user's name must not hide a measure whose module is not loaded yet.
    if declaration.function is not None:
        declare_all()
    taken = declaration.name in REGISTRY or declaration.name in ALIASES
    if taken and not _is_declared_again(declaration):
        raise ArgumentError(f"a measure called {declaration.name!r} exists already; choose another name")
    REGISTRY[declaration.name] = declaration
    ALIASES.update(declaration.aliases)
    return Measure(declaration)


def _is_declared_again(declaration: Declaration) -> bool:
    """Whether the same function declares the measure again, as a notebook cell that is run twice does."""
    there = REGISTRY.get(declaration.name)
    names = [
        (getattr(function, "__module__", None), getattr(function, "__qualname__", "<lambda>"))
        for function in (declaration.function, there.function if there else None)
    ]
    return names[0] == names[1] and not names[0][1].endswith("<lambda>")


def aggregate_of(measure: str | Measure) -> Aggregate:
    """The aggregate of a measure. Unknown names are columns of a user's table, which are averaged."""
    try:
        return parse(measure).declaration.aggregate
    except ArgumentError:
        return MEAN


def aliases_of(declaration: Declaration) -> list[str]:
    """Names of other tools for a measure, with k for a number."""
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
    # Users' names first: `define` refuses names of measures, so that nothing is hidden.
    if text.strip() in DEFINITIONS:
        return DEFINITIONS[text.strip()]
    name, prime, arguments, cutoff = _parts(text.strip(), text)
    if not is_declared(name):
        declare_all()
    preset: dict[str, Any] = {}
    if name in ALIASES:
        aliased = parse(ALIASES[name])
        preset, name, prime = aliased.parameters, aliased.name, prime or aliased.is_condensed
    if name not in REGISTRY:
        alias = _numbered_alias(name)
        if alias is None or arguments or cutoff:
            return _elsewhere(name, text)
        measure = parse(alias)
        return measure.condensed if prime else measure
    parameters = {**preset, **(read_arguments(arguments, text) if arguments else {})}
    judged_only = parameters.pop("judged_only", False)
    # ir-measures writes NumRet(rel=1) for what trec_eval calls num_rel_ret.
    name = next((RENAMED[name, word] for word in parameters if (name, word) in RENAMED), name)
    measure = Measure(REGISTRY[name], parameters)
    # ranx writes P@10-l2 for rel=2.
    if "-l" in cutoff:
        return _elsewhere(name, text)
    if cutoff:
        measure = measure @ _cutoff(cutoff, measure, text)
    if prime:
        return measure.condensed
    return measure.on_judged_only() if judged_only else measure


def each_cutoff(name: Any) -> list[Any]:
    """One name per cut-off for a name with several cut-offs. Other values are returned as they are.

    >>> each_cutoff("nDCG@10, 20"), each_cutoff("P(rel=2)")
    (['nDCG@10', 'nDCG@20'], ['P(rel=2)'])
    """
    if not isinstance(name, str):
        return [name]
    root, at, cutoffs = name.strip().rpartition("@")
    numbers = [number.strip() for number in cutoffs.split(",")]
    return [f"{root}@{number}" for number in numbers] if at and all(map(is_share, numbers)) else [name]


def expand(text: str | Measure) -> list[tuple[str, Measure]]:
    """Read a measure, with several cut-offs (`P@5,10`), a trec_eval family (`P`, `P.5,10`) or group (`official`).

    Each measure has the name that output in trec_eval's format shows.

    >>> expand("P.5,10")
    [('P_5', P@5), ('P_10', P@10)]
    """
    if not isinstance(text, str):
        return [(str(text), parse(text))]
    text = text.strip()
    if len(each_cutoff(text)) > 1:
        return [pair for name in each_cutoff(text) for pair in expand(name)]
    declaration = REGISTRY.get(text.partition("@")[0])
    if declaration is not None and ("@" in text or declaration.cutoff != "required"):  # `other_names` is not needed
        return [(text, parse(text))]
    from poolwise.measures.other_names import expanded

    return expanded(text)


def measures() -> list[Declaration]:
    """All measures, in the order of their declaration."""
    declare_all()
    return list(REGISTRY.values())


def declared_names() -> list[str]:
    """Names of the measures that come with the library, which the package exports."""
    declare_all()
    return [declaration.name for declaration in REGISTRY.values() if declaration.function is None]


def _of_ir_measures(measure: Any) -> Measure:
    """Parse a measure of ir_measures. Its `str` omits gains that equal their label, so the text is built here."""
    parameters = dict(measure.params)
    cutoff = parameters.pop("cutoff", None)
    arguments = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return parse(f"{measure.NAME}{f'({arguments})' if arguments else ''}{'' if cutoff is None else f'@{cutoff}'}")


def _elsewhere(name: str, text: str) -> Measure:
    """Parse a name that is unknown here, as other tools may write it."""
    from poolwise.measures.other_names import parse_foreign

    return parse_foreign(name, text)


def _parts(text: str, whole: str) -> tuple[str, bool, str, str]:
    """The parts of NAME['][(arguments)]['][@cutoff]: name, whether primed, arguments, cut-off."""
    prime = text.startswith("cond:")
    text = text.removeprefix("cond:")
    # The last @ may be inside brackets or a mapping, as in nDCG(gain={...}) without a cut-off.
    head, at, cutoff = text.rpartition("@")
    if not at or ")" in cutoff or "}" in cutoff:
        head, cutoff = text, ""
    head, cutoff = head.rstrip(), cutoff.lstrip()
    if head != text and not cutoff:  # an empty variable of the shell
        raise ArgumentError(f"measure {whole!r}: no cut-off stands after @; write for example {head}@10")
    # The prime may follow the name or the brackets: nDCG'(gain=...) and nDCG(gain=...)'. A leading quote is one
    # that a shell left.
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


def read_arguments(text: str, whole: str) -> dict[str, Any]:
    """Parameters from the text in brackets. Errors quote `whole`."""
    values = _simple_arguments(text)
    if values is None:
        values = _written_arguments(text, whole)
    if "gains" in values:  # ir-measures' name; labels without a gain there have the label as gain
        gains = values.pop("gains")
        values["gain"] = {**gains, OTHER: "linear"} if isinstance(gains, dict) else gains
    for word, meaning in SYNONYMS.items():
        if values.get(word[0]) == word[1]:
            del values[word[0]]
            values.update(meaning)
    return values


def _simple_arguments(text: str) -> dict[str, Any] | None:
    """Parameters that are all numbers or words, read without loading `ast`. None if there are others."""
    values: dict[str, Any] = {}
    for pair in text.split(","):
        name, _, value = pair.strip().partition("=")
        if not name.isidentifier() or name in values:
            return None
        # Leading zeros and exponents are left to `ast`, which has Python's rules.
        if is_number(value) and str(int(value)) == value:
            values[name] = int(value)
        elif is_share(value) and "." in value:
            values[name] = float(value)
        elif len(value) > 2 and value[0] == value[-1] == "'" and value[1:-1].replace("_", "").isalnum():
            values[name] = value[1:-1]
        elif value[:1].isalpha() and value.replace("_", "").replace("-", "").isalnum() and value not in NO_WORDS:
            values[name] = value  # a word whose quotes the shell removed
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
    """The number after @: a whole number, or a share if @ sets a share."""
    if measure.declaration.at_parameter and is_share(text):
        return float(text)
    if not is_number(text):
        raise ArgumentError(f"measure {whole!r}: the cut-off after @ must be a whole number, found {text!r}")
    return int(text[:20])  # 20 digits exceed every cut-off, and `int` refuses texts of 4,300 digits


def bounds_of(name: str) -> tuple[float, float]:
    """Lowest and highest possible score of a measure, infinite for unknown names.

    >>> bounds_of("AP"), bounds_of("DCG@10"), bounds_of("clicks")
    ((0.0, 1.0), (0.0, inf), (-inf, inf))
    """
    try:
        return parse(name).declaration.bounds
    except ArgumentError:
        return -inf, inf


def within_bounds(measures: Sequence[str], rows: Sequence[float], runs: int) -> list[float]:
    """Means (by measure, then run) clipped to the bounds of each measure. NaN stays.

    >>> within_bounds(["AP", "DCG@10"], [1.02, -0.1, 7.0, -0.1], 2)
    [1.0, 0.0, 7.0, 0.0]
    """
    ends = [bounds_of(measure) for measure in measures for _ in range(runs)]
    return [
        mean if mean != mean else min(max(mean, low), high)
        for mean, (low, high) in zip(rows, ends * (len(rows) // max(len(ends), 1)), strict=True)
    ]


def is_declared(name: str) -> bool:
    """Whether a name is known without loading further modules."""
    family, _, number = name.rpartition("_")
    return name in REGISTRY or name in ALIASES or (family + "_{}" in ALIASES and is_share(number))


def _numbered_alias(name: str) -> str | None:
    family, _, number = name.rpartition("_")
    alias = ALIASES.get(family + "_{}")
    return alias.format(number) if alias is not None and is_share(number) else None


def is_number(text: str) -> bool:
    """A whole number from 0 on."""
    return text.isascii() and text.isdigit()


def is_share(text: str) -> bool:
    """A number that may have decimals."""
    return is_number(text.replace(".", "", 1))
