"""`poolwise study`.

A study takes the settings that its function has an argument for. The command that a page shows is made from the same
table, so that it asks for what was done.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager

from poolwise.basics.settings import did_you_mean
from poolwise.cli.arguments import read_pairs, thresholds_given
from poolwise.cli.options import add_dask, add_input, add_measures, read_input, wanted_measures
from poolwise.cli.output import command_line
from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.lab.study.result import Study
    from poolwise.measures.measure import Measure

if TYPE_CHECKING:
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
        """The option as it is typed."""
        return "--" + self.typed.replace("_", "-")


def _parsed(kind: Callable[[str], Any]) -> Reading:
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


def _names_in_file(option: str, text: str) -> list[str]:
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
        Setting("trials", "N", _parsed(int), "how often labels are sampled"),
        Setting("fractions", "F,F", _several(_share), "shares of the labels, as in 0.1,0.2 or 10% ([B07]'s 17)"),
        Setting("rounding", "WAY", _word, "reduced labels are rounded up [B07] or down [S07]", ("up", "down")),
        Setting("depths", "K,K", _several(int), "estimation: depths that are judged in full ([Y08]: 1 to 50)"),
        Setting("cutoffs", "K,K", _several(int), "cut-offs of gain-discount and negative"),
        Setting("effort", "HOW", _word, "estimation: random samples also of equal size [Y08]", ("own", "equal")),
        Setting("precisions", "HOW", _word, "estimation: in infAP's interval", ("independent", "dependent")),
        Setting("discounts", "HOW", _word, "gain-discount: falling with rank, or also free [K09]", ("falling", "free")),
        Setting("discount", "NAME", _word, "negative: [G20], its code, its release 1.0.0", ("log2", "jk", "ln")),
        Setting("counted", "WHAT", _word, "negative: errors in means, or in topics won [G20]", ("means", "topics")),
        Setting("pairs", "N", _parsed(int), "decisions: random pairs of runs ([B07]: 300)"),
        Setting("judged", "POOL", _word, "decisions: each pair has labels of its own [B07], or all", ("pair", "all")),
        Setting("alpha", "A", _parsed(float), "level of significance"),
        Setting("resamples", "N", _parsed(int), "resamples of topics ([S07]: 1000)"),
        Setting("draws", "N", _parsed(int), "random sets of topics for error rates ([G20]: 200)"),
        Setting("tolerance", "T", _parsed(float), "error rates: means that differ by less than this share are equal"),
        Setting("splits", "N", _parsed(int), "gain-discount: random halves that weights are tried on"),
        Setting("assisted", "N", _parsed(int), "estimation: trials of assisted estimates"),
        Setting("top", "N", _parsed(int), "only the N best runs by AP ([S07, K09]: 30)"),
        Setting("retrieved", "S", _parsed(float), "only runs with this share of the most documents ([B07]: 0.95)"),
        Setting("contributing", "FILE", _names_in_file, "runs that made the pool, one per line"),
        Setting("groups", "FILE", _pairs, "reusability: run and group per line, left out together"),
        Setting("depth", "K", _parsed(int), "reusability: how deep contributing runs were pooled", typed="pool_depth"),
        Setting("labels", "F,F", _paths, "assessors: files of labels, one per assessor, or folders of them"),
        Setting("thresholds", "T,T", _thresholds, "assessors: labels from this on count 1, others 0; as in 2,NAME=1"),
        Setting("mixtures", "N", _parsed(int), "assessors: how often topics are dealt to them"),
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


EXAMPLE = "poolwise study robustness qrels.txt runs/ -o out"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    from poolwise.lab.study import STUDIES
    from poolwise.lab.study.protocols import PROTOCOLS

    listed = "; ".join(f"{name}: {answers}" for name, answers in STUDIES.items())
    parser.add_argument("name", metavar="STUDY", help=f"one of these, several with commas between, or all. {listed}")
    add_input(parser, alone=True)
    add_measures(parser, "those of the study")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="folder to write: index.html and tables/")
    parser.add_argument(
        "--as",
        dest="protocol",
        choices=tuple(PROTOCOLS),
        help="as a paper does it; options that are given come first. With all: the studies of the paper",
    )
    parser.add_argument("--topics-in", metavar="T,T", help="only these topics: names and ranges, as in 303,601-650")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same tables")
    add_settings(parser)
    add_dask(parser)
    parser.add_argument("--resume", action="store_true", help="go on where an interrupted study stopped")
    parser.add_argument("--overwrite", action="store_true", help="begin anew in a folder that holds a study already")
    parser.add_argument("--figures", metavar="F,F", default="", help="also write figures as svg, png, pdf")


def run(arguments: Namespace) -> int:
    """Read, study and write."""
    from pathlib import Path

    from poolwise.basics.dask_workers import connect
    from poolwise.lab.study.result import contents_page, study_page, write_study
    from poolwise.show.page import check_own_pages

    wanted = _names(arguments.name, arguments.protocol)
    asked = _asked(wanted, arguments)
    formats = [form for form in arguments.figures.split(",") if form]
    _look_for_libraries(formats)
    folder, command = Path(arguments.output), command_line()
    check_own_pages([folder / "index.html", *(folder / name / "index.html" for name in wanted if len(wanted) > 1)])
    pool = _read(arguments, wanted)
    studies: dict[str, Study] = {}
    with connect(arguments.dask, arguments.threads) as executor:
        for name in wanted:
            target = folder / name if len(wanted) > 1 else folder
            try:
                studies[name] = _conduct(name, pool, asked[name], target, arguments, executor)
            except InputError as error:
                if arguments.name != "all":
                    raise
                print(f"poolwise: note: {name} is left out: {error}", file=sys.stderr)
                continue
            links = {"All studies": "../index.html"} if len(wanted) > 1 else None
            write_study(studies[name], target, figures=formats, command=command, links=links, shared=folder)
    if len(wanted) > 1:
        pages = {name: study_page(study) for name, study in studies.items()}
        contents_page("Studies", pages, command).write(folder / "index.html", folder)
    for study in studies.values():
        print("\n".join(study.summary))
    print(f"Pages and tables are in {folder / 'index.html'}")
    return 0


def _look_for_libraries(formats: list[str]) -> None:
    """Refuse missing libraries before the work, not after hours of it."""
    from poolwise.basics.extras import load

    for library in ("jinja2", "plotly"):
        load(library, "report")
    if formats:
        from poolwise.show.page import check_images

        check_images(formats)


def _read(arguments: Namespace, wanted: list[str]) -> Any:
    """The campaign; or the judgments alone, from which the study of negative labels says what needs no runs."""
    if arguments.runs or arguments.runs_from:
        from poolwise.study import on_topics

        pool = read_input(arguments, documents="all")
        return on_topics(pool, arguments.topics_in) if arguments.topics_in is not None else pool
    if arguments.topics_in is not None:
        raise ArgumentError("--topics-in needs runs; cut the judgments themselves to some topics")
    if wanted != ["negative"]:
        raise ArgumentError(f"{', '.join(wanted)}: give runs after the judgments; only negative can do without them")
    return arguments.qrels


def _names(text: str, protocol: str | None) -> list[str]:
    from poolwise.lab.study import STUDIES
    from poolwise.lab.study.protocols import studies_as

    if text == "all" and protocol:
        return studies_as(protocol)
    names = list(STUDIES) if text == "all" else [name.strip() for name in text.split(",")]
    for name in names:
        if name not in STUDIES:
            near = did_you_mean(name, STUDIES)
            raise ArgumentError(
                f"no study is called {name!r}; {near + ' ' * bool(near)}choose among {', '.join(STUDIES)}, or all"
            )
    return list(dict.fromkeys(names))


def function_of(name: str) -> Callable[..., Study]:
    """The study's function."""
    import poolwise.study

    function: Callable[..., Study] = getattr(poolwise.study, name.replace("-", "_"))
    return function


def _asked(wanted: list[str], arguments: Namespace) -> dict[str, dict[str, Any]]:
    """The settings of each study; an option that none of them uses is refused."""
    found = {name: _settings(name, arguments) for name in wanted}
    first, *others = (unused for _, unused in found.values())
    idle = [option for option in first if all(option in unused for unused in others)]
    if idle:
        names = wanted[0] if len(wanted) == 1 else f"none of {', '.join(wanted)}"
        raise ArgumentError(f"{idle[0]}: {names} {'does not use it' if len(wanted) == 1 else 'uses it'}")
    return {name: settings for name, (settings, _) in found.items()}


def _settings(name: str, arguments: Namespace) -> tuple[dict[str, Any], list[str]]:
    """The options that were given, as the study's function takes them, and those that it does not use."""
    from inspect import signature

    from poolwise.study import settings_as

    taken = signature(function_of(name)).parameters
    usual = settings_as(arguments.protocol, name) if arguments.protocol else {}
    measures = _measures(arguments, usual.get("measures") or getattr(taken.get("measures"), "default", None))
    chosen = given_settings(arguments) | ({} if measures is None else {"measures": measures})
    if "measures" not in taken:
        chosen |= {"judged_only": True} if arguments.judged_only else {}
        chosen |= {"rel": arguments.rel} if arguments.rel is not None else {}
    if "complete_only" in usual:  # a protocol's, of its own measures
        among = [] if arguments.measures else usual["complete_only"]
        usual["complete_only"] = [measure for _, measure in wanted_measures(arguments, among)] if among else []
    settings = {**usual, **chosen, "seed": arguments.seed}
    return {key: value for key, value in settings.items() if key in taken}, unused(chosen, taken)


def _measures(arguments: Namespace, usual: Any) -> list[Measure] | None:
    """The measures asked for; -l and -J alone change those that the study has anyway."""
    asked = arguments.measures
    if not asked and (arguments.rel is not None or arguments.judged_only) and usual is not None:
        asked = list(usual)
    return [measure for _, measure in wanted_measures(arguments, asked)] if asked else None


def _conduct(name: str, pool: Any, settings: dict[str, Any], folder: Any, arguments: Namespace, executor: Any) -> Study:
    from poolwise.cli.output import progress

    with progress(name) as advance, _said_how_to_go_on(folder):
        return function_of(name)(
            pool,
            **settings,
            folder=folder,
            resume=arguments.resume,
            overwrite=arguments.overwrite,
            executor=executor,
            threads=arguments.threads,
            progress=advance,
        )


@contextmanager
def _said_how_to_go_on(folder: Any) -> Iterator[None]:
    """When the user stops a study, say what is kept and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"poolwise: finished work is kept in {folder}; the same command with --resume goes on", file=sys.stderr)
        raise
