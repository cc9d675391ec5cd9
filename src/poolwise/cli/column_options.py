"""--columns: what columns of a user's tables are called."""

from __future__ import annotations

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace, Parser

COMMA = r',(?=(?:[^"]*"[^"]*")*[^"]*$)'  # one with an even number of quotes behind it stands in none


def add_columns(parser: Parser) -> None:
    """--columns."""
    parser.add_argument(
        "--columns", metavar="NAME=COLUMN,...",
        help="what columns of tables are called, as in topic=query,label=grade, in double quotes where a comma is part "
        "of the name; or their numbers, without a header",
    )  # fmt: skip


def columns_given(text: str | None) -> dict[str, str] | None:
    """Read `name=column,...`; predictions may have several columns of values, which keep their quotes.

    >>> columns_given("topic=query,label=grade"), columns_given("value=gpt,llama,topic=query")
    ({'topic': 'query', 'label': 'grade'}, {'value': 'gpt,llama', 'topic': 'query'})
    >>> columns_given('label="grade, mean",value="first, mean",gpt')
    {'label': 'grade, mean', 'value': '"first, mean",gpt'}
    """
    if not text:
        return None
    import re

    columns: dict[str, str] = {}
    last = ""
    for part in re.split(COMMA, text):
        name, mark, column = (word.strip() for word in part.partition("="))
        if last == "value" and name and (not mark or name.startswith('"')):
            columns[last] += f",{part.strip()}"
            continue
        if not (name and mark and column):
            raise ArgumentError(
                f"--columns {text!r}: give names and columns, as in topic=query,label=grade; a column with a comma in "
                "its name stands in double quotes"
            )
        columns[name], last = column if name == "value" else column.strip('"'), name
    return columns


def columns_of_runs(arguments: Namespace) -> dict[str, str] | None:
    """What columns of judgments and runs are called: --columns without what only predictions and costs have."""
    columns = columns_given(arguments.columns)
    if columns is None or not hasattr(arguments, "predictions"):
        return columns
    others = list(arguments.predictions or ())
    if "value" in columns and not others:
        raise ArgumentError("--columns value=... says what the value of --predictions is called; name these, too")
    if hasattr(arguments, "cost"):
        others += [arguments.cost] if arguments.cost else []
        if columns.pop("cost", None) and not arguments.cost:
            raise ArgumentError("--columns cost=... says what the column of --cost is called; name its file, too")
    from poolwise.reading.column_names import of_runs

    own = of_runs(columns)
    if own is None or not others:
        return own
    from poolwise.reading.given_columns import without_others

    qrels = getattr(arguments, "qrels", None) or getattr(arguments, "pilot", None)
    runs = getattr(arguments, "runs", None) or [arguments.baseline, arguments.candidate]
    return without_others(own, qrels, runs, others) or None
