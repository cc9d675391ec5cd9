"""`--groups`: what commands show of groups of topics, declared once for all of them."""

from __future__ import annotations

from poolwise.cli.arguments import read_pairs
from poolwise.cli.output import chosen_format, command_line, show
from poolwise.errors import ArgumentError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from poolwise.cli.arguments import Namespace
    from poolwise.comparisons.topic_groups import TopicGroups
    from poolwise.show.page import Page
    from poolwise.show.parts import Table

MOST_PAIRS = 20  # of runs whose pairs are listed for people
OF_ALL_TOPICS = {  # what options are called that show something else, by how commands know them
    "difference": "--difference", "steadied": "--steadied", "looks": "--looks", "end": "--end", "per_topic": "-q",
    "interval": "--interval", "baseline": "--baseline", "letters": "--letters",
}  # fmt: skip


def show_groups(arguments: Namespace, make: Callable[[], tuple[Any, Mapping[str, str]]], pairs: bool = False) -> int:
    """Make scores and show them by group; `make` also gives the names that measures were asked by."""
    from poolwise.comparisons.topic_groups import topic_groups

    _refuse_others(arguments)
    form = chosen_format(arguments, ShownGroups, "table")
    groups = read_pairs(arguments.groups) or {}
    scores, names = make()
    if not hasattr(scores, "array"):
        raise ArgumentError(
            "--groups needs the scores of topics; score what fits in memory, without --stream and --log"
        )
    level = getattr(arguments, "level", None) or 1 - arguments.alpha
    seed = getattr(arguments, "seed", 0)
    grouped = [topic_groups(scores, groups, measure, level=level, seed=seed) for measure in names]
    show(ShownGroups(grouped, pairs, names), form, arguments.output)
    return 0


def _refuse_others(arguments: Namespace) -> None:
    """Options that would do nothing here."""
    for name, option in OF_ALL_TOPICS.items():
        if getattr(arguments, name, None):
            raise ArgumentError(
                f"--groups shows runs, and pairs in compare, on each group of topics, and takes no {option}; leave out "
                "one of the two"
            )


class ShownGroups(Shown):
    """Groups of topics, by one or several measures; `pairs` shows differences of runs too."""

    def __init__(self, grouped: Sequence[TopicGroups], pairs: bool, names: Mapping[str, str]) -> None:
        from dataclasses import replace

        self.grouped, self.pairs = grouped, pairs
        self.named = [replace(each, measure=names.get(each.measure, each.measure)) for each in grouped]

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per measure, group and run, or pair of runs."""
        from poolwise.basics.rows import rows_of

        columns = [each.pair_columns() if self.pairs else each.columns() for each in self.grouped]
        return tuple(columns[0]), [row for each in columns for row in rows_of(each)]

    def record(self) -> Any:
        """Everything, by measure."""
        return [each.to_dict() for each in self.grouped]

    def tables(self) -> list[Table]:
        """Runs by group, then pairs, if there are not too many."""
        return self._tables(self.named)

    def _tables(self, grouped: Sequence[TopicGroups]) -> list[Table]:
        from poolwise.show.column_words import pairs_for_people
        from poolwise.show.parts import Table

        tables = []
        for each in grouped:
            columns = {name: values for name, values in each.columns().items() if name != "measure"}
            tables.append(Table(f"Runs by {each.measure} and group", columns, self._note(each)))
            if self.pairs and len(each.run_a) <= MOST_PAIRS:
                pairs = {name: values for name, values in each.pair_columns().items() if name != "measure"}
                tables.append(Table(f"Pairs by {each.measure} and group", pairs_for_people(pairs)))
        return tables

    def text(self) -> str:
        """The tables, and whether runs and groups interact."""
        sentences = "\n".join(f"{each.headline()[0].upper()}{each.headline()[1:]}." for each in self.named)
        return f"{super().text()}\n{self._note(self.grouped[0])}\n{sentences}\n"

    def page(self) -> Page:
        """The tables as a page."""
        from poolwise.show.page import Page, how_made

        sentences = [f"{each.headline()[0].upper()}{each.headline()[1:]}." for each in self.grouped]
        notes = [note for each in self.grouped for note in each.warnings]
        parts = [*self._tables(self.grouped), *_figures(self.grouped)]
        return Page("Groups of topics", sentences, parts, how_made(command_line()), notes)

    def _note(self, grouped: TopicGroups) -> str:
        return f"low and high hold all means of all groups together with {100 * grouped.level:g} %."


def _figures(grouped: Sequence[TopicGroups]) -> list[Any]:
    """Means of the runs by group, one figure per measure."""
    from poolwise.show.figures import run_points

    figures = []
    for each in grouped:
        middle = each.means.mean(axis=1)
        points = {group: (middle, each.means[:, index]) for index, group in enumerate(each.groups)}
        title = f"{each.measure} of runs by group"
        axes = (f"{each.measure}, mean over groups", f"{each.measure} of a group")
        note = "One point a run and group; above the dotted line the group's score is above the mean over groups."
        figures.append(run_points(title, points, each.runs, *axes, note=note))
    return figures
