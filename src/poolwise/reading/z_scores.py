"""Files of means and deviations of scores, as trec_eval's -Z takes them."""

from __future__ import annotations

from poolwise.errors import InputError
from poolwise.reading.text_files import file_text


def read_z_scores(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Means and deviations by topic and measure, from lines of topic, measure, mean and deviation."""
    means = {}
    for number, line in enumerate(file_text(path).splitlines(), 1):
        try:
            topic, measure, mean, deviation = line.split()
            means[topic, measure] = (float(mean), float(deviation))
        except ValueError:
            raise InputError(
                f"{path}:{number}: {line!r} is not a topic, a measure, a mean and a deviation; correct the line"
            ) from None
    return means
