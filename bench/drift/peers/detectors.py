"""The detectors of river, Evidently and NannyML, each run by its own package."""

from __future__ import annotations

import os

# Neither package shall report its use to its makers. They read this when they are loaded.
os.environ["DO_NOT_TRACK"] = "1"
os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from streams import Stream


@dataclass(frozen=True)
class Detector:
    """A detector of a package. Its two functions return the first run with an alarm, -1
    without one; an alarm within the reference does what the package does then, and counts
    for nothing."""

    name: str
    package: str
    default: float  # the published limit
    strict: float  # a limit that hardly ever alarms; > 0
    loose: float  # one that often does; > 0
    published: Callable[[Stream], int]
    limited: Callable[[Stream, float], int]


def installed() -> dict[str, str]:
    """Returns the versions of the packages that are there."""
    versions = {}
    for package in ("river", "evidently", "nannyml"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def detectors() -> list[Detector]:
    """Returns the detectors of the installed packages, the slowest of each first."""
    makers = {"river": river_detectors, "evidently": evidently_detectors, "nannyml": nannyml_detectors}
    return [d for package in installed() for d in makers[package]()]


def first(alarms: Iterable[Any]) -> int:
    return next((run for run, alarm in enumerate(alarms) if alarm), -1)


def river_detectors() -> list[Detector]:
    from river.drift import ADWIN, KSWIN, PageHinkley
    from river.drift.binary import HDDMA, HDDMW

    def on_scores(name: str, make: Callable[..., Any], limit: str, ends: tuple[float, float], **falls: str) -> Detector:
        return Detector(f"river {name}", "river", getattr(make(), limit), *ends,
                        lambda s: feed(make(), s), lambda s, x: feed(make(**{limit: x}, **falls), s))

    # With more than .3 HDDM-A moves its cut so readily that it alarms less again.
    def on_loss(name: str, make: Callable[..., Any]) -> Detector:
        return Detector(f"river {name} on loss", "river", make().drift_confidence, 1e-6, 0.3,
                        lambda s: feed(make(), loss(s)), lambda s, x: feed(make(drift_confidence=x), loss(s)))

    return [
        Detector("river KSWIN", "river", KSWIN().alpha, 1e-12, 0.1, lambda s: kswin(s, KSWIN().alpha), kswin),
        on_loss("HDDM-A", HDDMA),
        on_loss("HDDM-W", HDDMW),
        on_scores("PageHinkley", PageHinkley, "threshold", (1000, 0.1), mode="down"),
        on_scores("ADWIN", ADWIN, "delta", (1e-9, 0.999)),
    ]


def feed(detector: Any, stream: Stream) -> int:
    for x in stream.reference:
        detector.update(x)
    for i, run in enumerate(stream.runs):
        for x in run:
            detector.update(x)
            if detector.drift_detected:
                return i
    return -1


def loss(stream: Stream) -> Stream:
    """HDDM watches errors. It is made for 0 and 1, its bound holds for all of [0, 1]."""
    return Stream([1 - x for x in stream.reference], tuple([1 - x for x in run] for run in stream.runs))


def kswin(stream: Stream, alpha: float) -> int:
    """Until it alarms, KSWIN does the same for every alpha, so that its p-values need to be
    had only once. An alarm within the reference makes it start anew, so there it runs again."""
    from river.drift import KSWIN

    reference, runs = kswin_p_values(stream)
    if reference > alpha:
        return first(p <= alpha for p in runs)
    with quick_test():
        return feed(KSWIN(alpha=alpha, seed=1), stream)


@cache
def kswin_p_values(stream: Stream) -> tuple[float, list[float]]:
    """Returns the least p-value of the reference and of each run."""
    from river.drift import KSWIN

    detector = KSWIN(alpha=0, seed=1)

    def least(xs: Iterable[float]) -> float:
        p = 1.0
        for x in xs:
            detector.update(x)
            p = min(p, detector.p_value or 1.0)  # 0 until the window is full
        return p

    with quick_test():
        return least(stream.reference), [least(run) for run in stream.runs]


def quick_test() -> Any:
    """Has KSWIN look up scipy's p-values, which depend on the distance alone. Ten times as
    fast; the gate compares it with KSWIN as it comes."""
    from river.drift import kswin as module

    return patch.object(module, "stats", SimpleNamespace(ks_2samp=quick_ks))


def quick_ks(a: list[float], b: list[float], method: str) -> tuple[float, float]:
    n, a, b = len(a), sorted(a), sorted(b)
    steps = max(abs(bisect_right(a, x) - bisect_right(b, x)) for x in {*a, *b})
    return steps / n, p_value(n, steps, method)


@cache
def p_value(n: int, steps: int, method: str) -> float:
    """Returns scipy's p-value of two samples of n at the distance steps/n."""
    from scipy.stats import ks_2samp

    return float(ks_2samp(range(n), range(steps, n + steps), method=method).pvalue)


def evidently_detectors() -> list[Detector]:
    """A p-value is looked at from both sides: the check has no other."""
    from evidently.legacy.calculations.stattests import ks_stat_test

    return [Detector("Evidently data drift", "evidently", ks_stat_test.default_threshold, 1e-9, 1,
                     lambda s: first(r.drifted for r in evidently(s)),
                     lambda s, x: first(r.drift_score <= x for r in evidently(s)))]


@cache
def evidently(stream: Stream) -> list[Any]:
    """Returns Evidently's drift check of each run against the reference, by the test that it
    chooses itself. A Report would say the same (the gate looks), a hundred times as slowly."""
    import pandas as pd
    from evidently.legacy.calculations.stattests import get_stattest
    from evidently.legacy.core import ColumnType

    if len(stream.reference) > 1000:
        raise ValueError("Evidently measures distances, not p-values, from 1,001 reference scores on")
    reference, numeric = pd.Series(stream.reference), ColumnType.Numerical

    def check(run: Iterable[float]) -> Any:
        current = pd.Series(run)
        return get_stattest(reference, current, numeric, None)(reference, current, numeric, None)

    return [check(run) for run in stream.runs]


def nannyml_detectors() -> list[Detector]:
    from nannyml.thresholds import StandardDeviationThreshold as Threshold

    def falls(stream: Stream, multiplier: float) -> int:
        results = nannyml(stream)
        reference = results[results["chunk", "period"] == "reference"]["x", "value"].to_numpy()
        lower, _ = Threshold(std_lower_multiplier=multiplier, std_upper_multiplier=None).thresholds(reference)
        return first(x < lower for x in analysis(stream)["x", "value"])

    def analysis(stream: Stream) -> Any:
        results = nannyml(stream)
        return results[results["chunk", "period"] == "analysis"]

    return [Detector("NannyML mean of chunks", "nannyml", Threshold().std_lower_multiplier, 1000, 0.1,
                     lambda s: first(analysis(s)["x", "alert"]), falls)]


@cache
def nannyml(stream: Stream) -> Any:
    """Returns NannyML's means of chunks and their alerts; a run is a chunk, the reference is
    cut into chunks of the same size."""
    import pandas as pd
    from nannyml import SummaryStatsAvgCalculator

    calculator = SummaryStatsAvgCalculator(column_names="x", chunk_size=len(stream.runs[0]))
    calculator.fit(pd.DataFrame({"x": stream.reference}))
    return calculator.calculate(pd.DataFrame({"x": [x for run in stream.runs for x in run]})).to_df()
