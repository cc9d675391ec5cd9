"""What trec_eval prints of a measure: its lines, with their names, in its order."""

from __future__ import annotations

from poolwise.basics.settings import did_you_mean
from poolwise.errors import ArgumentError
from poolwise.measures.registry import expand
from poolwise.measures.trec_names import FAMILIES, NICKNAMES, TREC_MEASURES, WORDS, takes_parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poolwise.measures.measure import Measure

RELSTRING_LENGTH = "10"
UNKNOWN = 0.0  # what trec_eval takes for the size of a collection that is not given, whatever its help says


class Line:
    """A line: the name that trec_eval prints and the measure behind it, None for words; `length` of a relstring.

    `root` is trec_eval's name of the measure, without cut-offs and parameters.
    """

    __slots__ = ("length", "measure", "name", "root")

    def __init__(self, root: str, name: str, measure: Measure | None, length: int = 0) -> None:
        self.root, self.name, self.measure, self.length = root, name, measure, length

    @property
    def is_count(self) -> bool:
        """Whether its numbers are whole."""
        return self.measure is not None and self.measure.declaration.aggregate.counts

    @property
    def of_all(self) -> bool:
        """Whether it is printed for all topics together alone."""
        return self.name == "runid" or (self.measure is not None and self.measure.declaration.of_all)


def lines_of(
    wanted: Sequence[str], level: int = 1, judged_only: bool = False, collection: float | None = None
) -> list[Line]:
    """The lines of measures as they are asked for with -m: names, nicknames, and parameters behind a point.

    As in trec_eval, a measure is printed once, with the parameters that are given first.
    """
    chosen: set[str] = set()
    parameters: dict[str, str] = {}
    for text in wanted:
        name, point, given = text.partition(".")
        if name not in TREC_MEASURES and name not in NICKNAMES:
            raise ArgumentError(f"illegal measure '{text}'; {_hint(text)}")
        if point and not given:
            raise ArgumentError(f"improper measure in parameter '{name}'; write {name}, or numbers behind the point")
        chosen.update(NICKNAMES.get(name, (name,)))
        if point:
            parameters.setdefault(name, given)
    lines = [line for name in TREC_MEASURES if name in chosen for line in _lines(name, parameters.get(name))]
    for line in lines:
        if line.measure is not None:
            line.measure = _adapted(line.measure, level, judged_only, collection)
    return lines


def _hint(text: str) -> str:
    """What to write for a name that is unknown: numbers of a measure stand behind a point when it is asked for."""
    name, _, number = text.rpartition("_")
    if name in TREC_MEASURES and number.isdigit():
        return f"write {name}.{number}"
    return did_you_mean(text, [*TREC_MEASURES, *NICKNAMES]) or "`poolwise trec_eval -m all_trec` prints those there are"


def _lines(name: str, given: str | None) -> Iterator[Line]:
    if name == "relstring":
        length = max(0, _whole(given or RELSTRING_LENGTH))
        yield Line(name, name if given is None else f"{name}_{given}", None, length)
    elif name in WORDS:
        yield Line(name, name, None)
    elif given is not None and name in FAMILIES:
        for member in _sorted_members(name, given):
            yield from (Line(name, *pair) for pair in expand(f"{name}.{member}"))
    elif given is not None and takes_parameters(name):
        yield from (Line(name, *pair) for pair in expand(f"{name}.{given}"))
    else:
        yield from (Line(name, *pair) for pair in expand(name))


def _sorted_members(family: str, given: str) -> list[str]:
    """Cut-offs in ascending order, as trec_eval reads them: whole numbers end at the first other character."""
    shares = "." in FAMILIES[family][0]
    numbers = sorted(_real(each) if shares else _whole(each) for each in given.split(","))
    if len(set(numbers)) < len(numbers):
        raise ArgumentError(f"{family}.{given}: duplicate cutoffs detected; give each once")
    if not shares and numbers[0] <= 0:
        raise ArgumentError(f"{family}.{given}: a cutoff that is not positive was detected; give whole numbers from 1")
    return [str(number) for number in numbers]


def _whole(text: str) -> int:
    """The whole number that a text begins with, 0 without one; as C's atol."""
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
    """Apply -l, -J and -N."""
    if level != 1 and "rel" in measure.parameters:
        measure = measure(rel=level)
    if "collection" in measure.parameters:
        measure = measure(collection=UNKNOWN if collection is None else collection)
    return measure.on_judged_only() if judged_only and measure.declaration.judged_only else measure
