"""Figures as files for papers: SVG, PNG, PDF."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

from poolwise.basics.extras import load
from poolwise.basics.writing import make_folder, write_bytes
from poolwise.errors import ArgumentError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from poolwise.show.parts import Figure

FORMATS = ("svg", "png", "pdf")


def write_images(figures: Iterable[Figure], folder: Any, formats: Sequence[str]) -> None:
    """Write every figure in every format to `folder/NAME.FORMAT`, on white, 900 x 550."""
    check_images(formats)
    graph = load("plotly.graph_objects", "report")
    path = Path(folder)
    make_folder(path)
    with _painter():
        for figure in figures:
            drawn = graph.Figure({"data": figure.traces(), "layout": {"template": "plotly_white", **figure.layout}})
            for form in formats:
                image = drawn.to_image(format=form, width=900, height=550, scale=2 if form == "png" else 1)
                write_bytes(path / f"{figure.name}.{form}", image)


def check_images(formats: Sequence[str]) -> None:
    """Refuse what cannot be drawn here: a format that nobody knows, or any while what draws is missing."""
    import os

    wrong = [form for form in formats if form not in FORMATS]
    if wrong:
        raise ArgumentError(f"figures cannot be written as {wrong[0]!r}; choose among {', '.join(FORMATS)}")
    load("kaleido", "images")
    browsers = load("choreographer.browsers.chromium", "images").Chromium
    if not os.environ.get("BROWSER_PATH") and browsers.find_browser(skip_local=False) is None:
        raise MissingDependency("figures as files are drawn by a browser; install Chrome or Chromium")


@contextmanager
def _painter() -> Iterator[None]:
    """One browser for all images; kaleido draws in it."""
    import warnings

    kaleido = load("kaleido", "images")
    kaleido.start_sync_server(silence_warnings=True)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The kopts argument")  # plotly gives it always, a server needs none
            yield
    finally:
        kaleido.stop_sync_server(silence_warnings=True)
