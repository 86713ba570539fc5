"""What FINDINGS-sparrow.md may say, counted from the reports as plain JSON, without the code that made it."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from statistics import median
from typing import Any

CHECKOUT = Path(__file__).parents[2]
MOVED = ("worse", "better", "these cases")

Row = dict[str, Any]


def stored(name: str) -> Row:
    """A report as plain JSON."""
    found: Row = json.loads(gzip.decompress((CHECKOUT / name).read_bytes()))
    return found


class Plain:
    """One model's reports as plain JSON, and what the text counts in them."""

    def __init__(self, model: str):
        self.deep = stored(f"seed/{model}-deep.report.json.gz")
        self.placebo = stored(f"docs/embedded/{model}-placebos.report.json.gz")
        self.margin = self.deep["run"]["margin"]
        seen = [row for row in self.deep["comparisons"] if row["visible"]]
        self.by_id = {row["id"]: row for row in seen}
        self.pooled = [row for row in seen if row["question"] is None]
        self.singles = [row for row in seen if row["question"] is not None]
        self.told = [row for row in self.singles if row["verdict"] != "withheld"]
        self.moved = [row for row in self.told if row["verdict"] in MOVED]
        self.questions = {row["question"] for row in self.told}
        placebos = self.placebo["placebos"]
        self.placebos = [
            row for row in placebos["comparisons"] if row["visible"] and row["question"] is not None
        ]
        self.limit = {row["question"]: row["maximum"] for row in placebos["ranges"]}
        self.worded = [
            row
            for row in self.singles
            if row["condition"] == "full" and row["attribute"] not in ("name_culture", "gender")
        ]

    def other_levels(self, row: Row) -> tuple[list[Row], list[Row]]:
        """Rows of the attribute's other levels beside it: those on its side of zero, and all."""
        others = [
            other
            for other in self.told
            if other["id"].partition("=")[0] == row["id"].partition("=")[0]
            and other["question"] == row["question"]
            and other["id"] != row["id"]
        ]
        return [other for other in others if other["delta"] * row["delta"] > 0], others

    def beyond(self, row: Row) -> bool:
        return size(row) > float(self.limit[row["question"]])

    def largest_on(self, question: str) -> float:
        return max(size(r) for r in self.singles if r["question"] == question and r["condition"] == "full")

    def counted(self) -> dict[str, float]:
        """What the prose may say about this model, by name."""
        return self.of_run() | self.of_questions() | self.of_people() | self.of_levels() | self.of_placebos()

    def of_run(self) -> dict[str, float]:
        run, noise, reach = self.deep["run"], self.deep["noise_floor"], self.deep["generalisation"]
        keys = ("calls", "answered", "answers", "people", "bases", "margin", "threshold")
        start, end = (run[name] for name in ("started_at", "finished_at"))
        hours = [[int(stamp[place : place + 2]) for place in (11, 14, 17)] for stamp in (start, end)]
        begun, done = (hour * 60 + minute + second / 60 for hour, minute, second in hours)
        return {key: run[key] for key in keys} | {
            "scenarios": len(run["scenarios"]),
            "minutes": round(done - begun),
            "cells": noise["cells"],
            "repeats": noise["degrees_of_freedom"],
            "grid": noise["grid_step"],
            "floor of p": reach["p_floor"],
            "bases pooled": reach["pooled"]["bases_needed"],
            "bases on questions": reach["per_question"]["bases_needed"],
            "together": reach["per_question"]["discoveries_needed"],
        }

    def of_questions(self) -> dict[str, float]:
        validity = self.deep["validity"]
        flags = Counter(row["flag"] for row in validity)
        shifts = [row for row in self.deep["conditions"] if row["question"] and row["shift"] is not None]
        decided = [row["decisions"] for row in self.moved if row["decisions"]]
        outside = [row["ci_general_99"] for row in self.pooled if row["ci_general_99"]]
        hidden = [row for row in self.deep["comparisons"] if not row["visible"]]
        people = [row for row in validity if row["base_reach"] and abs(row["span"]) <= row["base_reach"]]
        return dict(flags) | {
            "questions": len(validity),
            "within bases": len(people),
            "ok within bases": sum(row["flag"] == "ok" for row in people),
            "withheld": sum(flags[flag] for flag in ("inverted", "midpoint", "flat")),
            "entering": len({row["question"].split(".")[0] for row in validity if row["pooled"]}),
            "range": median(row["range"] for row in validity),
            "swap beats case": sum(self.largest_on(row["question"]) > row["range"] for row in validity),
            "shift beats swap": sum(abs(row["shift"]) > self.largest_on(row["question"]) for row in shifts),
            "shift": max((row["shift"] for row in shifts), key=abs),
            "most moved": Counter(row["question"] for row in self.moved).most_common(1)[0][1],
            "yes or no": len(decided),
            "flipped": sum(row["flip_rate"] > 0 for row in decided),
            "largest pooled": max(self.pooled, key=size)["delta"],
            "beyond cases": sum(low > 0 or high < 0 for low, high in outside),
            "hidden": len(hidden),
            "hidden that moved": sum(row["delta"] != 0 for row in hidden),
        }

    def of_people(self) -> dict[str, float]:
        verdicts = Counter(row["verdict"] for row in self.singles)
        named = [row for row in self.singles if row["attribute"] in ("name_culture", "gender")]
        moved = [row for row in self.moved if row in named]
        worse, better = (
            {row["id"].rsplit("/", 1)[0] for row in self.moved if row["verdict"] == verdict}
            for verdict in ("worse", "better")
        )
        return {
            "pooled": len(self.pooled),
            "singles": len(self.singles),
            "told": len(self.told),
            "moved": len(self.moved),
            "shown": verdicts["worse"] + verdicts["better"],
            "these cases": verdicts["these cases"],
            "unclear": verdicts["unclear"],
            "both ways": len(worse & better),
            "not still": sum(row["delta"] != 0 for row in self.singles),
            "at margin": sum(map(self.matters, self.singles)),
            "one way": sum(map(one_way, self.singles)),
            "worded": len(self.worded),
            "worded one way": sum(map(one_way, self.worded)),
            "named": len(named),
            "named one way": sum(map(one_way, named)),
            "named moved": len(moved),
            "named shown": sum(row["verdict"] != "these cases" for row in moved),
            "worded moved": len(self.moved) - len(moved),
            "q": max(row["q_people"] for row in self.singles if row["p_people"] == row["p_people_floor"]),
        }

    def of_levels(self) -> dict[str, float]:
        worth = {row["question"]: row for row in self.deep["validity"]}
        shown = [worth[row["question"]] for row in self.moved if row["verdict"] != "these cases"]
        strongest: dict[str, Row] = {}
        for row in sorted(self.moved, key=lambda row: (-size(row), row["id"])):
            strongest.setdefault(row["attribute"], row)
        levels = [found for row in strongest.values() if (found := self.other_levels(row))[1]]
        return {
            "shown pooled": sum(row["pooled"] for row in shown),
            "shown uneven": sum(row["flag"] == "ok" and not row["pooled"] for row in shown),
            "shown uniform": sum(row["flag"] == "uniform" for row in shown),
            "with others": len(levels),
            "all alike": sum(len(same) == len(others) for same, others in levels),
        }

    def of_placebos(self) -> dict[str, float]:
        placebos = self.placebo["placebos"]
        medians = {row["question"]: row["median"] for row in placebos["ranges"]}
        full = [row for row in self.singles if row["condition"] == "full"]
        sizes = {key: median(size(row) for row in full if row["question"] == key) for key in medians if key}
        again = {row["id"]: row["delta"] for row in self.placebo["comparisons"] if row["question"]}
        shared = [key for key in again if key in self.by_id and self.by_id[key] in self.told]
        most = max(shared, key=lambda key: abs(again[key] - self.by_id[key]["delta"]))
        readable = [row for row in self.placebos if row["question"] in self.questions]
        return {
            "placebos": placebos["levels"],
            "placebo calls": self.placebo["run"]["calls"],
            "expected beyond": 100 / (placebos["levels"] + 1),
            "as far": sum(medians[key] >= sizes[key] for key in sizes),
            "moved beyond": sum(self.beyond(row) for row in self.moved if row in self.worded),
            "again": again[most],
            "before": self.by_id[most]["delta"],
            "strongest placebo": max(readable, key=size)["delta"],
        }

    def matters(self, row: Row) -> bool:
        return size(row) >= float(self.margin)

    def like_shown(self, rows: list[Row]) -> list[Row]:
        """Those that reach the margin with all anchors going one way."""
        return [row for row in rows if self.matters(row) and one_way(row)]


def size(row: Row) -> float:
    return abs(float(row["delta"]))


def one_way(row: Row) -> bool:
    return row["bases"] in (row["bases_down"], row["bases_up"])


def of_both(models: tuple[Plain, Plain], compared: Row) -> dict[str, float]:
    """What the prose may say about the comparison of both models."""
    rows = [row for row in compared["rows"] if row["visible"]]
    apart = [row for row in rows if row["question"] is not None and row["outcome"] == "differs"]
    furthest = max(apart, key=lambda row: abs(row["difference"]))
    signs, on_questions = compared["signs"], compared["question_signs"]
    return Counter(row["outcome"] for row in rows if row["question"] is None) | {
        "shared": len(compared["questions"]),
        "tests": compared["tests"],
        "question tests": compared["question_tests"],
        "agree": signs["agree"],
        "of": signs["of"],
        "agree on questions": on_questions["agree"],
        "of on questions": on_questions["of"],
        "apart": len(apart),
        "opposite": sum(row["same_sign"] is False for row in apart),
        "first": models[0].by_id[furthest["id"]]["delta"],
        "second": models[1].by_id[furthest["id"]]["delta"],
    }


def written(value: float, places: int) -> str:
    """Halves away from zero."""
    return str(Decimal(abs(value)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP))


def signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{written(value, 4)}"


def interval(bounds: list[float]) -> str:
    return f"{signed(bounds[0])} to {signed(bounds[1])}"
