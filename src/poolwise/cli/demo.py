"""`poolwise demo`: a tour on a simulated campaign."""

from __future__ import annotations

from poolwise.basics.rows import aligned_text
from poolwise.cli.output import progress
from poolwise.cli.study import command_words
from poolwise.errors import MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.scores.scores import Scores
    from poolwise.show.page import Page

EXAMPLE = "poolwise demo -o poolwise-demo"
MEASURES = ("AP", "nDCG", "nDCG@10", "bpref", "AP'", "P@10")
SHARE = 0.1  # of the labels, for estimates
STUDIES: dict[str, dict[str, Any]] = {
    "robustness": {},
    "decisions": {"trials": 2, "pairs": 100},
    "reliability": {"measures": ("AP", "nDCG@10", "P@10", "bpref")},
}


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "-o", "--output", metavar="DIR", default="poolwise-demo", help="folder to write (poolwise-demo)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same campaign")


def run(arguments: Namespace) -> int:
    """Simulate, check, score, estimate, compare, study, and write pages."""
    from pathlib import Path
    from shlex import join

    from poolwise.campaign.campaign import read
    from poolwise.lab.simulate.drawing import simulate

    folder = Path(arguments.output)
    print("1. A campaign is simulated: 24 runs, 30 topics, the top 50 of 100 documents of every run judged.")
    with progress("simulating") as advance:
        simulate(runs=24, topics=30, depth=100, pool_depth=50, seed=arguments.seed, progress=advance).write(folder)
    pool = read(folder / "qrels.txt", folder / "runs", documents="all")
    pages = {
        "scores": _scores(pool, arguments.seed),
        "estimates": _estimates(pool, arguments.seed),
        "comparison": _comparison(pool, arguments.seed),
        **_studies(pool, folder, arguments.seed),
    }
    try:
        _write(pages, folder, join(["poolwise", "demo", "-o", arguments.output, "--seed", str(arguments.seed)]))
        print(f"\n6. Everything is in {folder / 'index.html'}; the campaign's files are beside it. Try:")
    except MissingDependency as error:
        print(f"\n6. No pages were written: {error}. The campaign's files are in {folder}. Try:")
    print(f'   poolwise score {folder}/qrels.txt {folder}/runs -m AP -m "nDCG\'@10"')
    return 0


def _scores(pool: Campaign, seed: int) -> Page:
    from poolwise.audits.audit import audit
    from poolwise.campaign.scores_page import scores_page

    checked = audit(pool)
    print("\n2. `poolwise check` says what to know before scoring, `poolwise score` ranks the runs:")
    print("\n".join(f"   - {finding}" for finding in checked.findings) or "   - nothing to worry about")
    scores = pool.score(*MEASURES, interval="topics", seed=seed)
    _print_best(scores, list(MEASURES))
    methods = [f"Intervals: studentised bootstrap over topics, 95 %. A simulated campaign, seed {seed}."]
    return scores_page(scores, checked, methods=methods)


def _estimates(pool: Campaign, seed: int) -> Page:
    from poolwise.estimates.estimates_shown import estimates_page

    sample = pool.judgments.sample("uniform", fraction=SHARE, seed=seed)
    labels = f"{sample.count()} instead of {pool.judgments.count()}"
    print(f"\n3. `poolwise estimate` makes do with a tenth of the labels ({labels}):")
    estimate = pool.estimate("AP", "nDCG@10", judgments=sample)
    complete = pool.score("AP", "nDCG@10")
    page = estimates_page(estimate, complete)
    print(f"   {page.summary[0]}")
    return page


def _comparison(pool: Campaign, seed: int) -> Page:
    from poolwise.comparisons.compare_runs import compare
    from poolwise.comparisons.comparison_shown import comparison_page

    comparison = compare(pool.score("AP"), "AP", seed=seed)
    print(f"\n4. `poolwise compare` tells which differences are real:\n   {comparison.conclusion}")
    return comparison_page(comparison)


def _studies(pool: Campaign, folder: Path, seed: int) -> dict[str, Page]:
    import poolwise.study
    from poolwise.lab.study.result import study_page

    print("\n5. `poolwise study` runs whole experiments:")
    pages = {}
    for name, settings in STUDIES.items():
        with progress(name) as advance:
            study = getattr(poolwise.study, name)(pool, seed=seed, progress=advance, **settings)
        study.write_tables(folder / name / "tables")
        print(f"   {name}: {study.summary[0]}")
        pages[name] = study_page(study, _command(name, settings, folder, seed))
    return pages


def _command(name: str, settings: dict[str, Any], folder: Path, seed: int) -> str:
    """The command that makes the same study."""
    from shlex import join

    files = [f"{folder}/qrels.txt", f"{folder}/runs", "-o", name]
    return join(["poolwise", "study", name, *files, *command_words(settings), "--seed", str(seed)])


def _write(pages: dict[str, Page], folder: Path, command: str) -> None:
    """Write a page for each, linked with one another, and the index."""
    from dataclasses import replace

    from poolwise.basics.writing import make_folder
    from poolwise.lab.study.result import contents_page

    for name, page in pages.items():
        make_folder(folder / name)
        replace(page, links={"All pages": "../index.html"}).write(folder / name / "index.html", folder)
    contents_page("poolwise demo: a simulated campaign", pages, command).write(folder / "index.html", folder)


def _print_best(scores: Scores, measures: list[str], most: int = 5) -> None:
    means = scores.means()
    order = means[:, 0].argsort()[::-1]
    rows = [[scores.runs[run], *(f"{value:.4f}" for value in means[run])] for run in order[:most]]
    print("\n" + aligned_text(["run", *measures], rows) + f"\n... and {len(order) - most} more")
