"""The exported streams: reading and checking them."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any


@dataclass(frozen=True, eq=False)
class Stream:
    """One replicate: scores in [0, 1], first those of the reference, then run by run."""

    reference: Sequence[float]
    runs: tuple[Sequence[float], ...]


@dataclass(frozen=True)
class File:
    """The streams of one scenario, or the healthy streams of a law."""

    name: str
    law: str
    size: int  # scores per run
    quiet: int  # healthy runs after the reference; all of them in a healthy file
    cap: int  # runs followed after the change; 0 in a healthy file
    streams: tuple[Stream, ...]


def read(folder: Path, healthy: int | None, changing: int | None) -> list[File]:
    """Returns the files of the manifest, each cut to so many replicates; None: all."""
    entries = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    return [read_file(folder, e, changing if e["changed_runs"] else healthy) for e in entries]


def read_file(folder: Path, entry: dict[str, Any], reps: int | None) -> File:
    path = folder / entry["path"]
    with path.open("rb") as f:
        if hashlib.file_digest(f, "sha256").hexdigest() != entry["sha256"]:
            raise ValueError(f"{path}: SHA-256 is not that of the manifest")
    quiet, cap = entry["quiet_runs"], entry["changed_runs"]
    shape = entry["m"], entry["n"], quiet + cap
    streams = tuple(cut(scores, shape, path) for scores in islice(replicates(path), reps))
    return File(entry["name"], entry["law"], entry["n"], quiet, cap, streams)


def replicates(path: Path) -> Iterator[array[float]]:
    """Yields the scores of each replicate in order."""
    with path.open(encoding="utf-8") as f:
        for rep, lines in groupby(map(json.loads, f), key=lambda line: line["rep"]):
            scores = array("d")
            for line in lines:
                if line["i"] != len(scores):
                    raise ValueError(f"{path}: replicate {rep} has i = {line['i']} where {len(scores)} is due")
                scores.append(line["x"])
            yield scores


def cut(scores: array[float], shape: tuple[int, int, int], path: Path) -> Stream:
    m, n, runs = shape
    if len(scores) != m + n * runs:
        raise ValueError(f"{path}: a replicate has {len(scores)} scores, want {m} + {runs} runs of {n}")
    return Stream(scores[:m], tuple(scores[i : i + n] for i in range(m, len(scores), n)))
