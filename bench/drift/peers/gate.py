"""What must hold before any figure is worth its ink."""

from __future__ import annotations

import random

from detectors import evidently, feed, installed, quick_test
from streams import Stream


def gate() -> None:
    """Raises ValueError where a package does not do what its documentation says, or where
    our quick way of asking it gives another answer."""
    packages = installed()
    if "river" in packages:
        gate_river()
    if "evidently" in packages:
        gate_evidently()


def documented() -> list[float]:
    """The stream of river's documentation."""
    rng = random.Random(12345)
    return [*rng.choices([0, 1], k=1000), *rng.choices(range(4, 8), k=1000)]


def gate_river() -> None:
    from river.drift import ADWIN, KSWIN, PageHinkley

    xs = documented()
    for detector, want in (ADWIN(), 1023), (PageHinkley(), 1006), (KSWIN(alpha=0.0001, seed=42), 1016):
        got = feed(detector, Stream([], tuple([x] for x in xs)))
        if got != want:
            raise ValueError(f"{type(detector).__name__} alarms at {got} in river's documented stream, want {want}")
    plain, quick = KSWIN(seed=1), KSWIN(seed=1)
    for x in xs[800:1200]:
        plain.update(x)
        with quick_test():
            quick.update(x)
        if plain.p_value != quick.p_value:
            raise ValueError(f"KSWIN has p = {quick.p_value} with the looked up test, {plain.p_value} with scipy's")


def gate_evidently() -> None:
    import pandas as pd
    from evidently import Report
    from evidently.metrics import ValueDrift

    rng = random.Random(1)
    stream = Stream([rng.random() for _ in range(300)], ([rng.random() ** 1.3 for _ in range(50)],))
    frames = [pd.DataFrame({"x": xs}) for xs in (stream.runs[0], stream.reference)]
    want = Report([ValueDrift(column="x")]).run(*frames).dict()["metrics"][0]["value"]
    got = evidently(stream)[0].drift_score
    if got != want:
        raise ValueError(f"Evidently's report has p = {want}, its test {got}")
