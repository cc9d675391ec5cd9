"""What the core found wrong, in words: where, what was found, what is expected."""

from __future__ import annotations

from poolwise import _core
from poolwise.errors import InputError, PoolwiseError

RUN_LINE = "every line needs topic Q0 document rank score tag"
LABEL_LINE = "every line needs topic iteration document label"
STRATA_LINE = "with strata every line needs topic iteration document stratum label"
LONGEST = "1 MB"


def problem(report: tuple[int, int, bytes], where: str, *, labels: bool) -> PoolwiseError | None:
    """Turn the core's report on a file or table into an error, or nothing if all is well."""
    code, line, found_bytes = report
    fault = _core.FAULTS[code]
    if fault == "none":
        return None
    found = found_bytes.decode("utf-8", "replace")
    place = f"{where}:{line}" if line else where
    return InputError(f"{place}: {_words(fault, _short(found), LABEL_LINE if labels else RUN_LINE, labels)}")


def _words(fault: str, found: str, expected: str, labels: bool) -> str:
    if fault == "columns" and labels:
        return _label_columns(found)
    if fault == "duplicate":
        topic, _, document = found.partition(" ")
        what = "judged" if labels else "listed"
        return (
            f"document {document!r} of topic {topic!r} is {what} twice; remove one line, or keep the first with "
            "--duplicates first (duplicates='first' in Python)"
        )
    return {
        "columns": f"{_columns(found)} found; {expected}",
        "score": f"score {found!r} is not a number; {expected}",
        "not_a_number": f"score {found!r} cannot be ranked; scores may be any number or inf, not NaN",
        "label": f"label {found!r} is not a whole number; {expected}",
        "label_range": f"label {found!r} does not fit 32 bits; labels are small whole numbers",
        "stratum": f"stratum {found!r} is not a whole number from 0 on; {STRATA_LINE}",
        "nul": f"NUL byte found; is the file binary or UTF-16 text? {expected}, as plain text",
        "long_line": f"line longer than {LONGEST} found; is this a TREC file? {expected}",
        "unreadable": f"cannot be read ({found}); check the file and its permissions",
    }[fault]


def _label_columns(found: str) -> str:
    columns, _, first = found.partition(" ")
    if first:
        return (
            f"{_columns(columns)} found where the first line has {first}; {LABEL_LINE if first == '4' else STRATA_LINE}"
        )
    return f"{_columns(columns)} found; {LABEL_LINE} (or a stratum before the label)"


def _columns(count: str) -> str:
    number = int(count)
    return f"more than {number - 1} columns" if number > 5 else f"{number} column{'s' * (number != 1)}"


def _short(found: str) -> str:
    return found if len(found) <= 60 else found[:57] + "..."
