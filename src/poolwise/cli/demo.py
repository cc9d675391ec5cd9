"""`poolwise demo`: a tour on a simulated campaign."""

from __future__ import annotations

from poolwise.cli.terminal import progress, table_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace, Parser

EXAMPLE = "poolwise demo -o poolwise-demo"
MEASURES = ("AP", "nDCG", "nDCG@10", "bpref", "AP'", "P@10", "Judged@10")


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "-o", "--output", metavar="DIR", default="poolwise-demo", help="folder to write (poolwise-demo)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same campaign")


def run(arguments: Namespace) -> int:
    """Simulate, check, score, and write a page."""
    from pathlib import Path

    from poolwise.analyse.audit import audit
    from poolwise.campaign import read
    from poolwise.report.overview import overview
    from poolwise.simulate import simulate

    folder = Path(arguments.output)
    print("1. A campaign is simulated: 24 runs, 30 topics, the top 50 of every run judged.")
    with progress("simulating") as advance:
        simulate(runs=24, topics=30, pool_depth=50, seed=arguments.seed, progress=advance).write(folder)
    pool = read(folder / "qrels.txt", folder / "runs")
    checked = audit(pool)
    print("\n2. `poolwise check` says what to know before scoring:")
    print("\n".join(f"   - {finding}" for finding in checked.findings) or "   - nothing to worry about")
    scores = pool.score(*MEASURES)
    print("\n3. `poolwise score` ranks the runs:\n")
    means = scores.means()
    order = means[:, 0].argsort()[::-1]
    rows = [[scores.runs[r], *(f"{value:.4f}" for value in means[r])] for r in order[:10]]
    print(table_text(["run", *MEASURES], rows) + f"\n... and {len(order) - 10} more")
    command = f"poolwise demo -o {arguments.output} --seed {arguments.seed}"
    methods = [f"A simulated campaign, seed {arguments.seed}. Command: {command}"]
    overview(scores, checked, "poolwise demo: a simulated campaign", methods).write(folder / "index.html")
    print(f"\n4. The whole table with a figure is in {folder / 'index.html'}; the files are beside it. Try:")
    print(f'   poolwise score {folder}/qrels.txt {folder}/runs -m AP -m "nDCG\'@10"')
    return 0
