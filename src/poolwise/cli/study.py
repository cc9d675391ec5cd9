"""`poolwise study`."""

from __future__ import annotations

import sys
from contextlib import contextmanager

from poolwise.basics.settings import did_you_mean
from poolwise.cli.options import add_dask, add_input, add_measures, read_input, wanted_measures
from poolwise.cli.output import command_line
from poolwise.cli.study_settings import add_settings, given_settings, unused
from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.lab.study.study_result import Study
    from poolwise.measures.measure import Measure

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
    from poolwise.lab.study.study_page import contents_page, study_page, write_study
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
            place = folder / name if len(wanted) > 1 else folder
            try:
                studies[name] = _conduct(name, pool, asked[name], place, arguments, executor)
            except InputError as error:
                if arguments.name != "all":
                    raise
                print(f"poolwise: note: {name} is left out: {error}", file=sys.stderr)
                continue
            links = {"All studies": "../index.html"} if len(wanted) > 1 else None
            write_study(studies[name], place, figures=formats, command=command, links=links, shared=folder)
    if len(wanted) > 1:
        pages = {name: study_page(study) for name, study in studies.items()}
        contents_page("Studies", pages, command).write(folder / "index.html", folder)
    for study in studies.values():
        print("\n".join(study.summary))
    print(f"Pages and tables are in {folder / 'index.html'}")
    return 0


def _look_for_libraries(formats: list[str]) -> None:
    """Asked before the work begins, so that hours of it do not end without a page."""
    from poolwise.basics.extras import load

    for library in ("jinja2", "plotly"):
        load(library, "report")
    if formats:
        from poolwise.show.images import check_images

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
    from poolwise.cli.terminal import progress

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
