"""`poolwise study`."""

from __future__ import annotations

import sys

from poolwise.checks import did_you_mean
from poolwise.cli.options import add_dask, add_input, add_measures, read_input, read_pairs, wanted_measures
from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.score.measure import Measure
    from poolwise.study.shared.study_result import Study

EXAMPLE = "poolwise study robustness qrels.txt runs/ -o out"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    from poolwise.study import STUDIES

    listed = "; ".join(f"{name}: {answers}" for name, answers in STUDIES.items())
    parser.add_argument("name", metavar="STUDY", help=f"one of these, several with commas between, or all. {listed}")
    add_input(parser)
    add_measures(parser, "those of the study")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="folder to write: index.html and tables/")
    parser.add_argument("--trials", type=int, metavar="N", help="how often labels are sampled")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same tables")
    parser.add_argument("--fractions", metavar="F,F", help="shares of the labels, as in 0.1,0.2 (default: [B07]'s 17)")
    parser.add_argument("--cutoffs", metavar="K,K", help="cut-offs of gain-discount and negative")
    parser.add_argument("--top", type=int, metavar="N", help="only the N best runs by AP")
    parser.add_argument(
        "--retrieved", type=float, metavar="S", help="only runs with this share of the most documents ([B07]: 0.95)"
    )
    parser.add_argument("--groups", metavar="FILE", help="reusability: run and group per line, left out together")
    parser.add_argument("--kinds", metavar="FILE", help="reusability: run and kind (manual, automatic) per line")
    add_dask(parser)
    parser.add_argument("--resume", action="store_true", help="go on where an interrupted study stopped")
    parser.add_argument("--figures", metavar="F,F", default="", help="also write figures as svg, png, pdf")


def run(arguments: Namespace) -> int:
    """Read, study and write."""
    from pathlib import Path

    from poolwise.executors import connect
    from poolwise.study.shared.study_page import contents_page, study_page, write_study

    wanted = _names(arguments.name)
    asked = {name: _settings(name, arguments, len(wanted) > 1) for name in wanted}
    formats = [form for form in arguments.figures.split(",") if form]
    pool = read_input(arguments, documents="all")
    folder, command = Path(arguments.output), "poolwise " + " ".join(sys.argv[1:])
    found: dict[str, Study] = {}
    with connect(arguments.dask, arguments.threads) as executor:
        for name in wanted:
            place = folder / name if len(wanted) > 1 else folder
            try:
                found[name] = _conduct(name, pool, asked[name], place, arguments, executor)
            except InputError as error:
                if arguments.name != "all":
                    raise
                print(f"poolwise: note: {name} is left out: {error}", file=sys.stderr)
                continue
            links = {"All studies": "../index.html"} if len(wanted) > 1 else None
            write_study(found[name], place, figures=formats, command=command, links=links)
    if len(wanted) > 1:
        pages = {name: study_page(study) for name, study in found.items()}
        contents_page("Studies", pages, command).write(folder / "index.html")
    for study in found.values():
        print("\n".join(study.summary))
    print(f"Pages and tables are in {folder / 'index.html'}")
    return 0


def _names(text: str) -> list[str]:
    from poolwise.study import STUDIES

    names = list(STUDIES) if text == "all" else text.split(",")
    for name in names:
        if name not in STUDIES:
            near = did_you_mean(name, STUDIES)
            raise ArgumentError(
                f"no study is called {name!r}; {near + ' ' * bool(near)}choose among {', '.join(STUDIES)}, or all"
            )
    return names


def function_of(name: str) -> Callable[..., Study]:
    """The study's function."""
    import poolwise.study

    found: Callable[..., Study] = getattr(poolwise.study, name.replace("-", "_"))
    return found


def _settings(name: str, arguments: Namespace, several: bool) -> dict[str, Any]:
    """The options that were given, as the study's function takes them."""
    from inspect import signature

    taken = signature(function_of(name)).parameters
    given: dict[str, Any] = {"seed": arguments.seed, "trials": arguments.trials, "top": arguments.top}
    given["retrieved"] = arguments.retrieved
    given["measures"] = _measures(arguments, taken.get("measures"))
    given["fractions"] = _numbers("--fractions", arguments.fractions, float)
    given |= {name: read_pairs(getattr(arguments, name)) for name in ("groups", "kinds")}
    given["cutoffs"] = _numbers("--cutoffs", arguments.cutoffs, int)
    chosen = {key: value for key, value in given.items() if value is not None}
    wrong = [key for key in chosen if key not in taken and key != "seed"]
    if wrong and not several:
        raise ArgumentError(f"--{wrong[0].rstrip('s') if wrong[0] == 'measures' else wrong[0]}: {name} does not use it")
    return {key: value for key, value in chosen.items() if key in taken}


def _measures(arguments: Namespace, parameter: Any) -> list[Measure] | None:
    """The measures asked for; -l and -J alone change those that the study has anyway."""
    asked = arguments.measures
    if not asked and (arguments.rel is not None or arguments.judged_only) and parameter is not None:
        asked = list(parameter.default)
    return [measure for _, measure in wanted_measures(arguments, asked)] if asked else None


def _numbers(option: str, text: str | None, kind: Callable[[str], Any]) -> list[Any] | None:
    if text is None:
        return None
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentError(f"{option} {text!r}: give numbers with commas between them") from None


def _conduct(name: str, pool: Any, settings: dict[str, Any], folder: Any, arguments: Namespace, executor: Any) -> Study:
    from poolwise.cli.terminal import progress

    with progress(name) as advance:
        return function_of(name)(
            pool,
            **settings,
            folder=folder,
            resume=arguments.resume,
            executor=executor,
            threads=arguments.threads,
            progress=advance,
        )
