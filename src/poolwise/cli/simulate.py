"""`poolwise simulate`."""

from __future__ import annotations

from poolwise.basics.words import counted
from poolwise.cli.output import progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace, Parser

EXAMPLE = "poolwise simulate -o campaign --runs 20 --topics 50 --seed 1"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "-o", "--output", metavar="DIR", required=True, help="folder for qrels.txt, truth.txt and runs/"
    )
    for name, default, help in (
        ("runs", 50, "number of runs"),
        ("topics", 50, "number of topics"),
        ("depth", 1000, "documents a run returns for a topic"),
        ("grades", 3, "number of labels from 0 up: 3 gives 0, 1 and 2"),
        ("pool-depth", 100, "the first so many documents of every run are judged"),
        ("seed", 0, "the same seed gives the same campaign"),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{help} (default {default})")
    parser.add_argument(
        "--negative", type=float, default=0.05, metavar="SHARE",
        help="share of judged non-relevant documents with label -2, spam (default 0.05)",
    )  # fmt: skip
    parser.add_argument("--texts", action="store_true", help="also topics.jsonl and documents.jsonl, to try judging")
    parser.add_argument("--compression", choices=("gz", "bz2", "xz"), help="compress the files")


def run(arguments: Namespace) -> int:
    """Simulate and write."""
    from poolwise.lab.simulate.drawing import simulate

    with progress("simulating topics") as advance:
        campaign = simulate(
            arguments.runs,
            arguments.topics,
            arguments.depth,
            arguments.grades,
            arguments.negative,
            arguments.pool_depth,
            seed=arguments.seed,
            progress=advance,
        )
    with progress("writing files") as advance:
        campaign.write(arguments.output, arguments.compression, texts=arguments.texts, progress=advance)
    judged = int(campaign.pooled.sum())
    print(
        f"{counted(len(campaign.runs), 'run')} and {counted(judged, 'judgment')} of "
        f"{counted(len(campaign.topics), 'topic')} in {arguments.output}; "
        f"try: poolwise score {arguments.output}/qrels.txt {arguments.output}/runs"
    )
    return 0
