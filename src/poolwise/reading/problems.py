"""What the core found wrong, in words: where, what was found, what is expected."""

from __future__ import annotations

from poolwise import _core
from poolwise.basics.words import counted, short
from poolwise.errors import InputError, PoolwiseError

RUN_LINE = "every line needs topic Q0 document rank score tag"
LABEL_LINE = "every line needs topic iteration document label"
STRATA_LINE = "with strata every line needs topic iteration document stratum label"
IS_RUN = "is this a run? Judgments come first, then runs"
ARE_JUDGMENTS = "are these judgments, which have 4 or 5 and come first?"
LONGEST, LONGEST_LINE = "1 MB", 1 << 20  # the core's limit, in words and bytes
KEEP_FIRST = "keep the first with --duplicates first (duplicates='first' in Python)"
LABELS = "labels are whole numbers from -2147483646 to 2147483647"


TABLES = (".csv", ".tsv", ".json", ".jsonl")
PACKED = (".gz", ".xz", ".bz2", ".zst", ".lz4")


def needed(where: str, labels: bool) -> str:
    """What every line of a file needs: columns if its name says that it is a table, else those of TREC.

    >>> needed("old.csv.gz", labels=False)
    'every row needs topic, document and score'
    """
    name = where.lower()
    name = next((name.removesuffix(ending) for ending in PACKED if name.endswith(ending)), name)
    if name.endswith(TABLES):
        return f"every row needs topic, document and {'label' if labels else 'score'}"
    return LABEL_LINE if labels else RUN_LINE


def problem(report: tuple[int, int, bytes], where: str, *, labels: bool) -> PoolwiseError | None:
    """Turn the core's report on a file or table into an error, or nothing if all is well."""
    code, line, found = report
    fault = _core.FAULTS[code]
    if fault == "none":
        return None
    place = f"{where}:{line}" if line else where
    return InputError(f"{place}: {_words(fault, found.decode('utf-8', 'replace'), labels, where)}")


def duplicate(topic: str, document: str, labels: bool) -> str:
    """Say that a document stands twice in a topic."""
    what = "judged" if labels else "listed"
    looks_like_a_label = labels and len(document) <= 2 and document.lstrip("-").isdigit()
    prels = (
        f"; or if {short(document)!r} is a label, and the last column how likely it was to be judged, read with --prels"
    )
    return (
        f"document {short(document)!r} of topic {short(topic)!r} is {what} twice; remove one of the two, or "
        f"{KEEP_FIRST}{prels if looks_like_a_label else ''}"
    )


def _words(fault: str, found: str, labels: bool, where: str) -> str:
    if fault == "columns":
        return _label_columns(found) if labels else _run_columns(found)
    if fault == "duplicate":
        topic, _, document = found.partition("\n")
        return duplicate(topic, document, labels)
    expected, found = needed(where, labels), short(found)
    return {
        "score": f"score {found!r} is not a number; {expected}",
        "not_a_number": f"score {found!r} cannot be ranked; scores may be any number or inf, not NaN",
        "label": f"label {found!r} is not a number; {expected}",
        "label_range": f"label {found!r} is out of range; {LABELS}",
        "stratum": f"stratum {found!r} is not a whole number from 0 on; {STRATA_LINE}",
        "iteration": (
            f"iteration {found!r} is not a whole number; {STRATA_LINE}; or if {found!r} is a document, and the last "
            "column how likely it was to be judged, read with --prels; preferences (topic group subgroup document "
            "level) are not read"
        ),
        "nul": f"NUL byte found; is the file binary or UTF-16 text? {expected}, as plain text",
        "long_line": f"line longer than {LONGEST} found; is this a TREC file? {expected}",
        "unreadable": f"cannot be read ({found}); check the file and its permissions",
    }[fault]


def _run_columns(found: str) -> str:
    if found in ("4", "5"):  # what judgments have
        return f"{counted(int(found), 'column')} found; {RUN_LINE}; {ARE_JUDGMENTS}"
    return f"{counted(int(found), 'column')} found; {RUN_LINE}"


def _label_columns(found: str) -> str:
    columns, _, first = found.partition(" ")
    if columns == "6" and not first:  # what runs have
        return f"6 columns found; {LABEL_LINE}; {IS_RUN}"
    if first:
        return (
            f"{counted(int(columns), 'column')} found where the first line has {first}; "
            f"{LABEL_LINE if first == '4' else STRATA_LINE}"
        )
    return f"{counted(int(columns), 'column')} found; {LABEL_LINE} (or a stratum before the label)"
