"""Settings of studies on the command line, declared once: how each is written, read, and written again.

A study takes the settings that its function has an argument for. The command that a page shows is made from the same
table, so that it asks for what was done.
"""

from __future__ import annotations

from poolwise.cli.options import read_pairs, thresholds_given
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser

    Reading = Callable[[str, str], Any]


class Setting:
    """One setting: its option, how its value is read, and what it means."""

    def __init__(
        self,
        name: str,
        metavar: str,
        read: Reading,
        help: str,
        choices: tuple[str, ...] | None = None,
        typed: str | None = None,
    ) -> None:
        self.name, self.metavar, self.read, self.help, self.choices = name, metavar, read, help, choices
        self.typed = typed or name  # where another option has the argument's name

    @property
    def option(self) -> str:
        """As it is typed."""
        return "--" + self.typed.replace("_", "-")


def _one(kind: Callable[[str], Any]) -> Reading:
    def read(option: str, text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            expected = "a whole number" if kind is int else "a number"
            raise ArgumentError(f"{option} {text!r}: expected {expected}") from None

    return read


def _several(kind: Callable[[str], Any]) -> Reading:
    def read(option: str, text: str) -> Any:
        try:
            return [kind(part) for part in text.split(",")]
        except ValueError:
            raise ArgumentError(f"{option} {text!r}: give numbers with commas between them") from None

    return read


def _share(text: str) -> float:
    """A share, also as per cent."""
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def _word(option: str, text: str) -> str:
    return text


def _names(option: str, text: str) -> list[str]:
    """Names in a file, the first word of each line."""
    return list(read_pairs(text, alone=True) or {})


def _pairs(option: str, text: str) -> dict[str, str] | None:
    return read_pairs(text)


def _paths(option: str, text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def _thresholds(option: str, text: str) -> dict[str, float]:
    """Lowest relevant labels by label set, "" being all others.

    >>> _thresholds("--thresholds", "2,model=1")
    {'': 2.0, 'model': 1.0}
    """
    return thresholds_given(option, text.split(","))


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("trials", "N", _one(int), "how often labels are sampled"),
        Setting("fractions", "F,F", _several(_share), "shares of the labels, as in 0.1,0.2 or 10% ([B07]'s 17)"),
        Setting("rounding", "WAY", _word, "reduced labels are rounded up [B07] or down [S07]", ("up", "down")),
        Setting("depths", "K,K", _several(int), "estimation: depths that are judged in full ([Y08]: 1 to 50)"),
        Setting("cutoffs", "K,K", _several(int), "cut-offs of gain-discount and negative"),
        Setting("effort", "HOW", _word, "estimation: random samples also of equal size [Y08]", ("own", "equal")),
        Setting("precisions", "HOW", _word, "estimation: in infAP's interval", ("independent", "dependent")),
        Setting("discounts", "HOW", _word, "gain-discount: falling with rank, or also free [K09]", ("falling", "free")),
        Setting("discount", "NAME", _word, "negative: [G20], its code, its release 1.0.0", ("log2", "jk", "ln")),
        Setting("counted", "WHAT", _word, "negative: errors in means, or in topics won [G20]", ("means", "topics")),
        Setting("pairs", "N", _one(int), "decisions: random pairs of runs ([B07]: 300)"),
        Setting("judged", "POOL", _word, "decisions: each pair has labels of its own [B07], or all", ("pair", "all")),
        Setting("alpha", "A", _one(float), "level of significance"),
        Setting("resamples", "N", _one(int), "resamples of topics ([S07]: 1000)"),
        Setting("draws", "N", _one(int), "random sets of topics for error rates ([G20]: 200)"),
        Setting("tolerance", "T", _one(float), "error rates: means that differ by less than this share are equal"),
        Setting("splits", "N", _one(int), "gain-discount: random halves that weights are tried on"),
        Setting("assisted", "N", _one(int), "estimation: trials of assisted estimates"),
        Setting("top", "N", _one(int), "only the N best runs by AP ([S07, K09]: 30)"),
        Setting("retrieved", "S", _one(float), "only runs with this share of the most documents ([B07]: 0.95)"),
        Setting("contributing", "FILE", _names, "runs that made the pool, one per line"),
        Setting("groups", "FILE", _pairs, "reusability: run and group per line, left out together"),
        Setting("depth", "K", _one(int), "reusability: how deep contributing runs were pooled", typed="pool_depth"),
        Setting("labels", "F,F", _paths, "assessors: files of labels, one per assessor, or folders of them"),
        Setting("thresholds", "T,T", _thresholds, "assessors: labels from this on count 1, others 0; as in 2,NAME=1"),
        Setting("mixtures", "N", _one(int), "assessors: how often topics are dealt to them"),
        Setting("correction", "HOW", _word, "assessors: of p values for all pairs of runs", ("holm", "bh", "none")),
        Setting("kinds", "FILE", _pairs, "reusability: run and kind (manual, automatic) per line"),
    )
}  # fmt: skip


def add_settings(parser: Parser) -> None:
    """Declare the options, but for -M, which is the depth of reading."""
    for setting in SETTINGS.values():
        metavar = None if setting.choices else setting.metavar  # choices are shown in its place
        parser.add_argument(setting.option, metavar=metavar, choices=setting.choices, help=setting.help)


def given_settings(arguments: Namespace) -> dict[str, Any]:
    """The settings that were given, as studies take them."""
    return {
        name: setting.read(setting.option, getattr(arguments, setting.typed))
        for name, setting in SETTINGS.items()
        if getattr(arguments, setting.typed) is not None
    }


def command_words(settings: Mapping[str, Any]) -> list[str]:
    """The words of a command line that ask for settings; measures first.

    >>> command_words({"measures": ["AP", "nDCG'"], "trials": 2, "fractions": [0.1, 0.5]})
    ['-m', 'AP', '-m', "nDCG'", '--trials', '2', '--fractions', '0.1,0.5']
    """
    words: list[str] = []
    for measure in settings.get("measures", ()):
        words += ["-m", str(measure)]
    for name, setting in SETTINGS.items():
        if name in settings:
            words += [setting.option, _written(settings[name])]
    return words


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}={label:g}" if name else f"{label:g}" for name, label in value.items())
    return ",".join(map(str, value)) if _is_several(value) else str(value)


def _is_several(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def unused(settings: Mapping[str, Any], taken: Iterable[str]) -> list[str]:
    """Options that were given but that a study has no use for."""
    known = set(taken)
    others = {"measures": "-m", "judged_only": "-J", "rel": "-l"}
    return [SETTINGS[name].option if name in SETTINGS else others[name] for name in settings if name not in known]
