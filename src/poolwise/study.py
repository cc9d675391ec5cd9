"""The public path of the studies in `poolwise.lab.study`."""

from poolwise.lab import study as _studies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.lab.study.assessors_study import assessors as assessors
    from poolwise.lab.study.choices import on_topics as on_topics
    from poolwise.lab.study.decisions_study import decisions as decisions
    from poolwise.lab.study.discrimination_study import discrimination as discrimination
    from poolwise.lab.study.estimation_study import estimation as estimation
    from poolwise.lab.study.gain_discount_study import gain_discount as gain_discount
    from poolwise.lab.study.negative_study import negative as negative
    from poolwise.lab.study.protocols import settings_as as settings_as
    from poolwise.lab.study.reliability_study import reliability as reliability
    from poolwise.lab.study.reusability_study import reusability as reusability
    from poolwise.lab.study.robustness_study import robustness as robustness

__all__ = list(_studies.__all__)


def __getattr__(name: str) -> object:
    if name not in (*__all__, "STUDIES"):
        raise AttributeError(f"module 'poolwise.study' has no attribute {name!r}")
    return getattr(_studies, name)


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
