"""Help texts of measures, for `help(pw.nDCG)`, `pw.nDCG?` and `poolwise measures nDCG`.

The sections are numpydoc's. `python docs/generate.py` computes the scores of the examples.
"""

from __future__ import annotations

from math import inf

from poolwise.measures.example_scores import EXAMPLE_SCORES
from poolwise.measures.measure import Measure
from poolwise.measures.registry import aliases_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolwise.measures.measure import Declaration
    from poolwise.measures.parameters import Parameter

PAPERS = {
    "[B07]": "Bompada, Chang, Chen, Kumar and Shenoy 2007, On the Robustness of Relevance Measures with Incomplete "
    "Judgments, SIGIR",
    "[G20]": "Gienapp, Fröbe, Hagen and Potthast 2020, The Impact of Negative Relevance Judgments on NDCG, CIKM",
    "[K09]": "Kanoulas and Aslam 2009, Empirical Justification of the Gain and Discount Function for nDCG, CIKM",
    "[S07]": "Sakai 2007, Alternatives to Bpref, SIGIR",
    "[Y08]": "Yilmaz, Kanoulas and Aslam 2008, A Simple and Efficient Sampling Method for Estimating AP and NDCG, "
    "SIGIR",
}
# Judgments and a run of every example: all labels from -1 to 2, an unjudged document, two topics.
QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": -1}, "2": {"e": 1, "f": 0}}
RUN = {"1": {"b": 4.0, "a": 3.0, "x": 2.0, "c": 1.0}, "2": {"f": 2.0, "e": 1.0}}  # scores


def pattern(declaration: Declaration) -> str:
    """The name with its optional parts, as in nDCG['][@k]."""
    prime = "[']" if declaration.condensable else ""
    return declaration.name + prime + {"none": "", "optional": "[@k]", "required": "@k"}[declaration.cutoff]


def label_kind(declaration: Declaration) -> str:
    """Kind of labels that a measure uses, by its parameters: binary, graded, negative.

    >>> from poolwise import AP, RBP, Judged, nDCG
    >>> [label_kind(each.declaration) for each in (AP, RBP, nDCG, Judged)]
    ['binary', 'binary or graded', 'graded, negative', '']
    """
    defaults = {parameter.name: parameter.default for parameter in declaration.parameters}
    if "negative" in defaults:
        return "graded, negative"
    if declaration.gains is not None:
        return "binary or graded" if defaults.get("gain") == "binary" else "graded"
    return "binary" if "rel" in defaults else ""


def measure_text(declaration: Declaration) -> str:
    """Help text of a measure, as `poolwise measures NAME` and `help` print it."""
    parts = [
        f"{pattern(declaration)}: {declaration.summary}.",
        _wrapped(declaration.description),
        _wrapped(f"Unjudged documents {declaration.unjudged}{_prime(declaration)}."),
    ]
    if declaration.aliases:
        parts.append(
            _wrapped(f"Also called: {', '.join(map(_alias, aliases_of(declaration), declaration.aliases.values()))}")
        )
    for title, lines in _sections(declaration):
        parts.append("\n".join([title, "-" * len(title), *lines]))
    return "\n\n".join(parts)


def _alias(alias: str, stands_for: str) -> str:
    """A name of another tool, with its meaning if parameters differ from the defaults.

    >>> _alias("map", "AP"), _alias("Rprec_mult_k", "Rprec(times={})")
    ('map', 'Rprec_mult_k (which is Rprec(times=k))')
    """
    meaning = stands_for.replace("{}", "k")
    return f"{alias} (which is {meaning})" if {"(", "'"} & set(stands_for) else alias


def _prime(declaration: Declaration) -> str:
    return f"; {declaration.name}' leaves them out of the ranking first" if declaration.condensable else ""


def _sections(declaration: Declaration) -> Iterator[tuple[str, list[str]]]:
    parameters = [line for parameter in declaration.parameters for line in _parameter(parameter)]
    if declaration.cutoff != "none":
        parameters += [
            f"k : a whole number of at least 1{', optional' * (declaration.cutoff == 'optional')}",
            f"    how many documents to look at, written {declaration.name} @ 10 or '{declaration.name}@10'",
        ]
    if parameters:
        yield "Parameters", parameters
    yield "Returns", ["float", _indented(_scores(declaration))]
    if declaration.citation:
        yield "References", [_wrapped(declaration.citation + "."), *_papers(declaration.citation)]
    if str(example_of(declaration)) in EXAMPLE_SCORES:
        yield "Examples", _example(declaration)


def _parameter(parameter: Parameter) -> list[str]:
    default = "" if parameter.default is None else f", default {parameter.show(parameter.default)}"
    return [f"{parameter.name} : {parameter.allowed()}{default}", _indented(parameter.help)]


def _scores(declaration: Declaration) -> str:
    low, high = declaration.bounds
    sides = [] if low == -inf else [f"from {low:g}" + (" on" if high == inf else "")]
    sides += [] if high == inf else [f"to {high:g}"]
    perfect = "" if declaration.perfect is None else f"; a perfect ranking has {declaration.perfect:g}"
    bounds = f", {' '.join(sides)}" if sides else ""
    return f"One score per topic{bounds}{perfect}. The row `all` holds the {declaration.aggregate.name} over topics."


def _papers(citation: str) -> list[str]:
    return [_wrapped(f"{tag} {paper}.") for tag, paper in PAPERS.items() if tag in citation]


def example_of(declaration: Declaration) -> Measure:
    """Return the measure of the example: required parameters with their first example, the first 3 ranks."""
    required = {p.name: p.examples[0] for p in declaration.parameters if p.required}
    return Measure(declaration, required, None if declaration.cutoff == "none" else 3)


def _example(declaration: Declaration) -> list[str]:
    measure = example_of(declaration)
    required = {p.name: p.examples[0] for p in declaration.parameters if p.required}
    arguments = ", ".join(f"{name}={value!r}" for name, value in required.items())
    cutoff = "" if measure.cutoff is None else f" @ {measure.cutoff}"
    written = f"pw.{declaration.name}{f'({arguments})' if arguments else ''}{cutoff}"
    return [
        ">>> import poolwise as pw",
        f">>> qrels = {QRELS}",
        f">>> run = {RUN}",
        f">>> pw.read(qrels, run).score({written}).to_dict()",
        str({"run": {str(measure): EXAMPLE_SCORES[str(measure)]}}),
    ]


def _wrapped(text: str, indent: str = "") -> str:
    from textwrap import fill

    return fill(text, 100, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def _indented(text: str) -> str:
    return _wrapped(text, "    ")
