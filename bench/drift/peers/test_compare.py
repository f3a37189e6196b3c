"""python -m unittest, in this folder and in the environment that make-env.sh makes."""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import statistics
import subprocess
import tempfile
import unittest
from itertools import chain
from pathlib import Path
from unittest.mock import patch

import compare
import gate
from detectors import Detector, detectors, evidently, feed, installed, kswin, quick_test
from streams import File, Stream, read

HERE = Path(__file__).parent
needs = {p: unittest.skipUnless(p in installed(), f"{p} is not installed") for p in ("river", "evidently", "nannyml")}


def scores(rng: random.Random, n: int, broken: float = 0) -> list[float]:
    """A law for tests only: zeros, ones and a few between; broken answers are lower."""
    healthy, poor = ([0, 0.33, 0.5, 0.67, 0.75, 1], [5, 3, 6, 6, 5, 75]), ([0, 0.25, 0.5], [40, 30, 30])
    return [rng.choices(*(poor if rng.random() < broken else healthy))[0] for _ in range(n)]


def stream(seed: int, quiet: int, changed: int = 0, broken: float = 0.5, n: int = 50) -> Stream:
    rng = random.Random(seed)
    return Stream(scores(rng, 6 * n), tuple(scores(rng, n, broken if i >= quiet else 0) for i in range(quiet + changed)))


def scenario(streams: list[Stream], quiet: int, cap: int) -> File:
    return File("a change", "F", 50, quiet, cap, tuple(streams))


def called(name: str) -> Detector:
    return next(d for d in detectors() if d.name == name)


class Told(unittest.TestCase):
    """Detectors that are told what to say: the stream's only reference score."""

    @staticmethod
    def detector() -> Detector:
        return Detector("told", "river", 5, 1000, 0.1, lambda s: int(s.reference[0]),
                                lambda s, x: 0 if s.reference[0] >= x else -1)

    @staticmethod
    def says(*values: float) -> tuple[Stream, ...]:
        return tuple(Stream([v], ()) for v in values)

    def outcome(self, *runs: int) -> compare.Outcome:
        limit = compare.Limit("default", 5, 0.1, 0.2, self.detector().published)
        with patch.object(compare, "installed", return_value={"river": "1.2"}):
            return compare.outcome(self.detector(), limit, File("a change", "F", 50, 20, 40, self.says(*runs)))

    def test_delay_is_to_the_end_of_the_run_and_a_miss_is_the_cap(self) -> None:
        o = self.outcome(20, 21, 25, -1)
        delays = [50, 100, 300, 2000]
        self.assertEqual((o.mean_delay, o.median, o.miss, o.cap), (612.5, 200, 0.25, 2000))
        self.assertAlmostEqual(o.se_delay or 0, statistics.stdev(delays) / 2)
        self.assertEqual(o.pre_fa, 0)

    def test_streams_with_an_alarm_before_the_change_are_counted_and_left_out(self) -> None:
        o = self.outcome(0, 19, 20, -1)
        self.assertEqual((o.reps, o.pre_fa, o.mean_delay, o.miss), (4, 0.5, 1025, 0.5))

    def test_no_stream_left_is_no_delay(self) -> None:
        o = self.outcome(3, 4)
        self.assertEqual((o.pre_fa, o.mean_delay, o.se_delay, o.median, o.miss), (1, None, None, None, None))

    def test_limit_keeps_the_budget_and_spends_it(self) -> None:
        peaks = [1.5 * 1.1**i for i in range(30)]  # three may alarm
        limit = compare.equal_rate(self.detector(), self.says(*peaks))
        self.assertGreater(limit, peaks[-4])
        self.assertLess(limit, 1.01 * peaks[-4])

    def test_limit_is_the_loosest_where_the_budget_cannot_be_spent(self) -> None:
        self.assertEqual(compare.equal_rate(self.detector(), self.says(*[0.01] * 20)), 0.1)

    def test_rates_are_those_of_30_and_180_runs(self) -> None:
        healthy = File("healthy", "F", 50, 180, 0, self.says(-1, 0, 29, 30, 179))
        published, equal = compare.limits(self.detector(), healthy)
        self.assertEqual((published.p_fa_30, published.p_fa_180), (0.4, 0.8))
        self.assertEqual((equal.calibration, equal.p_fa_180), ("p10", 0))


class Reading(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_streams_come_back_as_they_were(self) -> None:
        streams = [stream(seed, 3, 2) for seed in range(3)]
        export(self.folder, [scenario(streams, 3, 2), File("healthy F", "F", 50, 3, 0, (stream(9, 3),))])
        changing, healthy = read(self.folder, None, 2)
        self.assertEqual((changing.name, changing.quiet, changing.cap, len(changing.streams)), ("a change", 3, 2, 2))
        for got, want in zip(changing.streams, streams, strict=False):
            self.assertEqual([list(got.reference), *map(list, got.runs)], [want.reference, *want.runs])
        self.assertEqual((healthy.cap, len(healthy.streams)), (0, 1))

    def test_a_changed_file_is_refused(self) -> None:
        path = export(self.folder, [scenario([stream(1, 3, 2)], 3, 2)])
        path.write_text(path.read_text().replace('"x": 0.5', '"x": 0.6', 1))
        with self.assertRaisesRegex(ValueError, "SHA-256"):
            read(self.folder, None, None)

    def test_a_missing_score_is_refused(self) -> None:
        path = export(self.folder, [scenario([stream(1, 3, 2)], 3, 2)])
        lines = path.read_text().splitlines(keepends=True)
        for kept, message in (lines[:7] + lines[8:], "has i = 8 where 7 is due"), (lines[:-1], "has 549 scores"):
            path.write_text("".join(kept))
            sign(self.folder, path)
            with self.assertRaisesRegex(ValueError, message):
                read(self.folder, None, None)


@needs["river"]
class River(unittest.TestCase):
    def test_documented_alarms(self) -> None:
        gate.gate_river()

    def test_gate_stops_at_another_alarm(self) -> None:
        with (patch.object(gate, "documented", return_value=gate.documented()[32:]),
              self.assertRaisesRegex(ValueError, "ADWIN alarms at 991 .*, want 1023")):
            gate.gate_river()

    def test_all_see_a_large_change_at_their_default_and_nothing_healthy_when_strict(self) -> None:
        changing, healthy = stream(1, 5, 60, broken=0.9), stream(1, 60)
        for d in detectors():
            with self.subTest(d.name):
                self.assertGreaterEqual(d.published(changing), 5)
                self.assertEqual(d.limited(healthy, d.strict), -1)

    def test_search_begins_where_most_healthy_streams_alarm(self) -> None:
        healthy = [stream(seed, 60) for seed in range(4)]
        for d in detectors():
            with self.subTest(d.name):
                self.assertGreaterEqual(sum(d.limited(s, d.loose) >= 0 for s in healthy), 2)

    def test_published_is_the_detector_at_its_published_limit(self) -> None:
        for name in ("river ADWIN", "river KSWIN", "river HDDM-A on loss", "river HDDM-W on loss", "Evidently data drift"):
            if not any(d.name == name for d in detectors()):
                continue
            d = called(name)
            with self.subTest(name):
                for s in (stream(seed, 20, 40, broken=0.3) for seed in range(4)):
                    self.assertEqual(d.published(s), d.limited(s, d.default))

    def test_an_alarm_within_the_reference_does_not_count(self) -> None:
        reference = [1.0] * 150 + [0.0] * 150
        s = Stream(reference, tuple([0.0] * 50 for _ in range(10)))
        self.assertEqual(called("river ADWIN").published(s), -1)
        whole = Stream([], (reference,))
        self.assertEqual(called("river ADWIN").published(whole), 0)

    def test_kswin_from_its_p_values_is_kswin_itself(self) -> None:
        from river.drift import KSWIN

        for seed, alpha in (1, 0.02), (2, 0.005), (3, 0.0005), (4, 0.1):
            s = stream(seed, 5, 10, broken=0.3)
            self.assertEqual(kswin(s, alpha), feed(KSWIN(alpha=alpha, seed=1), s), f"seed {seed}, alpha {alpha}")

    def test_the_quick_test_is_gone_afterwards(self) -> None:
        import scipy.stats
        from river.drift import kswin as module

        with quick_test():
            pass
        self.assertIs(module.stats, scipy.stats)

    def test_calibrated_page_hinkley_sees_falls_only(self) -> None:
        rises = Stream([0.5] * 300, tuple([1.0] * 50 for _ in range(10)))
        falls = Stream([0.5] * 300, tuple([0.0] * 50 for _ in range(10)))
        d = called("river PageHinkley")
        self.assertEqual((d.limited(rises, 10), d.limited(falls, 10)), (-1, 0))


@needs["evidently"]
class Evidently(unittest.TestCase):
    def test_direct_test_is_that_of_the_report(self) -> None:
        gate.gate_evidently()

    def test_a_large_reference_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "1,001"):
            evidently(stream(1, 1, n=200))


@needs["nannyml"]
class NannyML(unittest.TestCase):
    def test_alarms_are_three_standard_deviations_from_the_mean_of_chunks(self) -> None:
        d = called("NannyML mean of chunks")
        for seed in range(6):
            s = stream(seed, 60)
            chunks = [statistics.fmean(s.reference[i : i + 50]) for i in range(0, 300, 50)]
            center, sd = statistics.fmean(chunks), statistics.pstdev(chunks)
            gaps = [(statistics.fmean(run) - center) / sd for run in s.runs]
            self.assertEqual(d.published(s), next((i for i, g in enumerate(gaps) if abs(g) >= 3), -1))
            self.assertEqual(d.limited(s, 2), next((i for i, g in enumerate(gaps) if g < -2), -1))


@needs["river"]
class EndToEnd(unittest.TestCase):
    def test_outcomes_are_written_for_every_detector_and_scenario(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        healthy = File("healthy F", "F", 50, 40, 0, tuple(stream(seed, 40) for seed in range(10)))
        export(folder, [scenario([stream(90 + i, 10, 20) for i in range(4)], 10, 20), healthy])
        out = folder / "out.jsonl"
        with patch.object(compare, "say"), patch.object(compare, "gate"):
            compare.main([str(folder), str(out), "--only", "river PageHinkley", "--jobs", "1", "--reps", "3"])
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        self.assertEqual([r["calibration"] for r in rows], ["default", "p10"])
        for r in rows:
            self.assertEqual((r["detector"], r["scenario"], r["reps"], r["cap"]), ("river PageHinkley", "a change", 3, 1000))
            self.assertTrue(math.isfinite(r["mean_delay"]))
        self.assertLess(rows[1]["mean_delay"], rows[0]["mean_delay"])
        self.assertEqual(rows[1]["p_fa_180"], 0.1)

    def test_an_unknown_detector_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "'no such'"):
            list(compare.measure([File("a", "F", 50, 1, 1, ())], "no such", 1))


class Environment(unittest.TestCase):
    def test_says_when_no_index_can_be_reached(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            unreachable = {**os.environ, "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_NO_CACHE_DIR": "1", "LIMIT": "60"}
            got = subprocess.run([HERE / "../../make-env.sh", HERE / "requirements.txt", folder], env=unreachable, capture_output=True, text=True, check=False)
        self.assertEqual(got.returncode, 1)
        self.assertIn("no package index can be reached", got.stderr)


def export(folder: Path, files: list[File]) -> Path:
    """Writes files as the benchmark's export does; returns the path of the first."""
    entries, paths = [], []
    for at, f in enumerate(files):
        path = folder / f"s{at:02}.jsonl"
        path.write_text("".join(line(rep, i, x) for rep, s in enumerate(f.streams)
                                for i, x in enumerate(chain(s.reference, *s.runs))))
        entries.append({"path": path.name, "sha256": "", "name": f.name, "law": f.law, "n": f.size,
                        "m": len(f.streams[0].reference), "quiet_runs": f.quiet, "changed_runs": f.cap})
        paths.append(path)
    (folder / "manifest.json").write_text(json.dumps({"files": entries}))
    for path in paths:
        sign(folder, path)
    return paths[0]


def line(rep: int, i: int, x: float) -> str:
    return json.dumps({"scenario": "s00", "rep": rep, "i": i, "run": 0, "phase": "", "x": x}) + "\n"


def sign(folder: Path, path: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    for entry in manifest["files"]:
        if entry["path"] == path.name:
            entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


if __name__ == "__main__":
    unittest.main()
