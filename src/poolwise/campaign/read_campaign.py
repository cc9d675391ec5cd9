"""`read`: judgments and runs become a campaign."""

from __future__ import annotations

from poolwise.basics.results import warn_of
from poolwise.campaign.campaign import Campaign
from poolwise.pool.joining import join
from poolwise.pool.judgments import Judgments
from poolwise.pool.options import ReadingOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal


def read(
    qrels: Any,
    *runs: Any,
    unjudged: int | str | None = -1,
    duplicates: Literal["error", "first"] = "error",
    depth: int | None = None,
    nan: Literal["error", "last"] = "error",
    bad_runs: Literal["error", "skip"] = "error",
    columns: Mapping[str, str] | None = None,
    subtopics: bool = False,
    prels: bool = False,
    documents: Literal["all", "judged"] = "all",
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    executor: Any = None,
) -> Campaign:
    """Read judgments and runs and join them.

    Parameters
    ----------
    qrels : path, dict, list, data frame, Plan or None
        Judgments: a path (TREC lines, CSV, TSV, three columns, JSON, JSON lines, Parquet; also gz, xz, bz2, zst, lz4),
        an id of ir_datasets, a dict as in pytrec_eval, a list of (topic, document, label) rows, a data frame, or None
        for none.
    *runs : path, dict, list or data frame
        Runs likewise; a path may be a directory or a glob. A dict from name to any of these names runs.
    unjudged : int, "negative" or None
        The label that means "pooled, not judged"; "negative" for all negative ones.
    duplicates : {"error", "first"}
        What to do with repeated documents: refuse, or keep the first; of predictions, with different values.
    depth : int, optional
        Cuts every ranking.
    nan : {"error", "last"}
        What to do with scores that are NaN: refuse, or rank their documents last, as if they were -inf; of predictions
        also with those that are infinite.
    bad_runs : {"error", "skip"}
        "skip" leaves out runs that cannot be read, are empty or have no topic of the judgments: a warning and
        `pool.left_out` name each and say why.
    columns : dict, optional
        What columns of tables are called, where it is not what other tools say: topic, document, score, rank, label,
        stratum, round, subtopic; or their numbers, from "1" on, in a table without a header.
    subtopics : bool
        Whether the second column of judgments names subtopics, to which a document may be relevant or not. Its label is
        the highest of those it has for subtopics.
    prels : bool
        Whether judgments are lines of topic, document, label, method and probability, as in TREC's Million Query track:
        each judged document with how likely it was to be judged. statAP takes these.
    documents : {"all", "judged"}
        "judged" saves memory: documents that the judgments do not list are counted, not kept.
    threads : int, optional
        How many to use; every core allowed unless given.
    progress : callable, optional
        Called with how many run files are read and how many there are.
    executor : concurrent.futures.Executor, optional
        Whose workers read the run files, which they must see, such as a Dask client's.

    Returns
    -------
    Campaign
        The pool with its judgments.

    Raises
    ------
    InputError
        If something is wrong with the data: says the file and line, what was found, and what to do.

    Examples
    --------
    >>> pool = read({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"a": 0.9, "b": 0.8, "c": 0.7}}})
    >>> pool.score("AP").means().tolist()
    [[1.0]]
    """
    options = ReadingOptions(unjudged, duplicates, depth, nan, bad_runs, columns, subtopics, prels)
    joined = join(qrels, runs, options, documents=documents, threads=threads, progress=progress, executor=executor)
    campaign = Campaign(joined.core, joined.runs, joined.warnings, joined.left_out, joined.stratum_rates)
    campaign.judgments = Judgments(campaign)
    campaign._duplicates, campaign._nan = duplicates, nan
    campaign.warnings = warn_of((*joined.warnings, *_doubts(campaign)))
    return campaign


def _doubts(campaign: Campaign) -> list[str]:
    """What to know of judgments in rounds, if there are rounds."""
    if not campaign.has_strata:
        return []
    from poolwise.sampling.rounds import doubts

    return doubts(campaign.judgments)
