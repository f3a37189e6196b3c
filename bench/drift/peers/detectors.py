"""The detectors of river, Evidently and NannyML, each run by its own package."""

from __future__ import annotations

import os

# Neither package shall report its use to its makers. They read this when they are loaded.
os.environ["DO_NOT_TRACK"] = "1"
os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"

import random
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace
from typing import Any

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
    """Returns the detectors of the installed packages."""
    makers = {"river": river_detectors, "evidently": evidently_detectors, "nannyml": nannyml_detectors}
    return [d for package in installed() for d in makers[package]()]


def first(alarms: Iterable[Any]) -> int:
    return next((run for run, alarm in enumerate(alarms) if alarm), -1)


def river_detectors() -> list[Detector]:
    from river.drift import ADWIN, KSWIN, PageHinkley
    from river.drift.binary import HDDM_A, HDDM_W

    def on_scores(name: str, make: Callable[..., Any], limit: str, ends: tuple[float, float], **falls: str) -> Detector:
        return Detector(f"river {name}", "river", getattr(make(), limit), *ends,
                        lambda s: feed(make(), s), lambda s, x: feed(make(**{limit: x}, **falls), s))

    def on_loss(name: str, make: Callable[..., Any]) -> Detector:
        return Detector(f"river {name} on loss", "river", make().drift_confidence, 1e-12, 0.999,
                        lambda s: feed(make(), loss(s)), lambda s, x: feed(make(drift_confidence=x), loss(s)))

    return [
        on_scores("ADWIN", ADWIN, "delta", (1e-12, 0.999)),
        on_scores("PageHinkley", PageHinkley, "threshold", (1000, 0.1), mode="down"),
        Detector("river KSWIN", "river", KSWIN().alpha, 1e-16, 0.1,
                 lambda s: kswin(s, KSWIN().alpha), kswin),
        on_loss("HDDM_A", HDDM_A),
        on_loss("HDDM_W", HDDM_W),
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
