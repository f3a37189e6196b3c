"""How river, Evidently and NannyML themselves do on the exported streams.

Writes a JSON line per detector, calibration and scenario, and says on stderr what it does.
Two calibrations: "default", which is what the package does when nothing is set, and "p10",
the loosest limit with which at most a tenth of the healthy streams alarms in their 180 runs.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from detectors import Detector, detectors, installed
from gate import gate
from streams import File, Stream, read

BUDGET = 0.10  # share of healthy streams that may alarm
STEPS = 10  # of the search for a limit


@dataclass(frozen=True)
class Outcome:
    """How a detector did in a scenario. Delays are in scores, from the change to the end of
    the run that alarms, a miss counting as the cap, over the streams without an alarm
    before the change; pre_fa is the share of the others."""

    detector: str
    package: str
    version: str
    calibration: str
    scenario: str
    reps: int
    threshold: float
    p_fa_30: float
    p_fa_180: float
    pre_fa: float
    mean_delay: float | None
    se_delay: float | None
    median: float | None
    miss: float | None
    cap: int


@dataclass(frozen=True)
class Limit:
    """A limit, what it costs on healthy streams, and the detector at it."""

    calibration: str
    value: float
    p_fa_30: float
    p_fa_180: float
    alarm: Callable[[Stream], int]


def limits(d: Detector, healthy: File) -> Iterator[Limit]:
    equal = equal_rate(d, healthy.streams)
    for calibration, value, alarm in (
        ("default", d.default, d.published),
        ("p10", equal, lambda s: d.limited(s, equal)),
    ):
        runs = [alarm(s) for s in healthy.streams]
        yield Limit(calibration, value, share(0 <= r < 30 for r in runs), share(r >= 0 for r in runs), alarm)


def share(hits: Iterator[bool]) -> float:
    return statistics.fmean(hits)


def equal_rate(d: Detector, healthy: tuple[Stream, ...]) -> float:
    """Returns the loosest limit found that keeps the budget. Takes it that a looser one
    alarms in more streams; the rate that is reported is measured afterwards."""
    allowed = int(BUDGET * len(healthy) + 1e-9)

    def alarms(limit: float) -> int:  # up to one too many
        hits = (s for s in healthy if d.limited(s, limit) >= 0)
        return sum(1 for _ in islice(hits, allowed + 1))

    strict, loose = d.strict, d.loose
    if alarms(loose) <= allowed:
        return loose
    for _ in range(STEPS):
        middle = math.sqrt(strict * loose)
        if alarms(middle) > allowed:
            loose = middle
        else:
            strict = middle
    return strict


def outcome(d: Detector, limit: Limit, scenario: File) -> Outcome:
    runs = [limit.alarm(s) for s in scenario.streams]
    kept = [r for r in runs if not 0 <= r < scenario.quiet]
    delays = [scenario.size * (scenario.cap if r < 0 else r - scenario.quiet + 1) for r in kept]
    return Outcome(
        detector=d.name,
        package=d.package,
        version=installed()[d.package],
        calibration=limit.calibration,
        scenario=scenario.name,
        reps=len(runs),
        threshold=limit.value,
        p_fa_30=limit.p_fa_30,
        p_fa_180=limit.p_fa_180,
        pre_fa=1 - len(kept) / len(runs),
        mean_delay=statistics.fmean(delays) if kept else None,
        se_delay=statistics.stdev(delays) / math.sqrt(len(kept)) if len(kept) > 1 else None,
        median=statistics.median(delays) if kept else None,
        miss=share(r < 0 for r in kept) if kept else None,
        cap=scenario.size * scenario.cap,
    )


@dataclass(frozen=True)
class Task:
    """A detector on all files of a law."""

    detector: str
    law: str


class Worker:
    """The streams in a process of their own, sent there once."""

    files: list[File]

    @classmethod
    def start(cls, files: list[File]) -> None:
        cls.files = files

    @classmethod
    def measure(cls, task: Task) -> list[Outcome]:
        d = next(d for d in detectors() if d.name == task.detector)
        of_law = [f for f in cls.files if f.law == task.law]
        healthy = next(f for f in of_law if not f.cap)
        return [outcome(d, limit, f) for limit in limits(d, healthy) for f in of_law if f.cap]


def measure(files: list[File], only: str, jobs: int) -> Iterator[tuple[Task, list[Outcome]]]:
    """Yields the outcomes of each detector and law; the slowest are begun first."""
    laws = sorted({f.law for f in files if f.cap})
    tasks = [Task(d.name, law) for d in detectors() if only.lower() in d.name.lower() for law in laws]
    if not tasks:
        raise ValueError(f"no installed detector has {only!r} in its name")
    with ProcessPoolExecutor(jobs, initializer=Worker.start, initargs=(files,)) as pool:
        yield from zip(tasks, pool.map(Worker.measure, tasks), strict=True)


def main(arguments: list[str]) -> None:
    options = parse(arguments)
    say(f"versions: {', '.join(f'{p} {v}' for p, v in installed().items()) or 'none'}")
    if missing := {"river", "evidently", "nannyml"} - installed().keys():
        say(f"not installed and left out: {', '.join(sorted(missing))}")
    gate()
    files = read(options.streams, options.healthy, options.reps)
    say("gate passed, streams read")
    with options.out.open("w", encoding="utf-8") as out:
        for task, outcomes in measure(files, options.only, options.jobs):
            out.writelines(json.dumps(asdict(o), ensure_ascii=False, allow_nan=False) + "\n" for o in outcomes)
            rates = {o.calibration: f"{o.calibration} {o.threshold:.4g} alarms in {o.p_fa_180:.1%}" for o in outcomes}
            say(f"{task.detector}, {task.law}: {', '.join(rates.values())} of healthy streams")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("streams", type=Path, help="folder with the manifest.json of the export")
    parser.add_argument("out", type=Path, help="file for the outcomes, JSON lines")
    parser.add_argument("--reps", type=int, help="at most so many replicates of a scenario")
    parser.add_argument("--healthy", type=int, help="at most so many healthy streams of a law")
    parser.add_argument("--only", default="", help="detectors with this in their name")
    parser.add_argument("--jobs", type=int, help="processes; as many as there are processors if not given")
    return parser.parse_args(arguments)


def say(text: str) -> None:
    print(f"{time.monotonic() - STARTED:6.0f} s  {text}", file=sys.stderr, flush=True)


STARTED = time.monotonic()

if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError, KeyError) as err:
        sys.exit(f"compare.py: {err}")
