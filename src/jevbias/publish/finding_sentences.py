"""What was found, in sentences for page and terminal. `these cases` is never called a bias."""

from __future__ import annotations

from collections import Counter
from statistics import median

from jevbias.publish import figures
from jevbias.publish.false_positives import failed_check
from jevbias.publish.findings import Reading
from jevbias.publish.plain_text import printable
from jevbias.publish.reach import beyond
from jevbias.publish.swaps_on_questions import swaps_sentence
from jevbias.publish.validity import unanswered
from jevbias.publish.verdicts import Tally, tally
from jevbias.report.comparison import Comparison, ComparisonVerdict

MOST_NAMED = 3
SHORT_OF_A_FINDING: tuple[ComparisonVerdict, ...] = ("these cases", "small", "no difference", "unclear")


_UNTESTABLE = (
    "Nothing could be tested, because the run has no usable noise null: the differences stand below as they "
    "were measured, and none of them is a finding."
)


def findings_sentence(reading: Reading) -> str:
    """The pooled findings, counted by verdict, or why there are none; the swaps that are worse and better on
    single questions; and whether the controls put them in doubt.
    """
    said = _nothing_compared(reading) or _nothing_judged(reading)
    if not said:
        counts = tally(reading.visible)
        said = f"{_found(reading, counts)} {_rest(reading, counts)}".strip()
    return " ".join(text for text in (said, swaps_sentence(reading), failed_check(reading)) if text)


def question_sentence(reading: Reading) -> str:
    """The findings on single questions, counted by verdict."""
    rows = reading.visible_on_questions
    if not rows:
        return "This report holds no comparison on a single question."
    counts = tally(rows)
    of = f"{figures.counted(len(rows), 'comparison')} on single questions that the model could see"
    if not reading.has_verdicts:
        return f"This report gives no verdict on the {of}."
    withheld = counts.of("withheld")
    if withheld == len(rows):
        return f"All {of} are withheld, because their questions failed the validity check."
    parts = [
        f"{figures.count(counts.of(name))} {name}"
        for name in ("worse", "better", *SHORT_OF_A_FINDING)
        if counts.of(name) or name in {"worse", "better"}
    ]
    if withheld:
        whole = (
            f"Of {of}, {figures.count(withheld)} are withheld, because their question failed the validity "
            f"check. Of the other {figures.count(len(rows) - withheld)}:"
        )
    else:
        whole = f"Of {of}:"
    return f"{whole} {figures.listed(parts)}.{_leading(reading, rows)}"


def rule(reading: Reading) -> str:
    """What the verdicts of this report rest on, in one paragraph; empty without verdicts."""
    said = [
        _UNTESTABLE if reading.criterion == "none" and _any_difference(reading) else "",
        "Three claims are kept apart." if claims(reading) else "",
        *claims(reading),
        needed(reading),
    ]
    return " ".join(text for text in said if text)


def claims(reading: Reading) -> tuple[str, ...]:
    """The three claims, each with what shows it; none where nothing could be tested or judged."""
    if not reading.has_verdicts or reading.criterion == "none":
        return ()
    run = reading.report.run
    margin, alpha = figures.plain(run.margin), figures.plain(run.alpha)
    who = beyond(reading.report)
    noise = (
        "(a) On these people and cases: the model does not vary, so p and q do not apply, and a difference "
        f"counts from the margin declared before the run, {margin}."
        if reading.criterion == "margin"
        else "(a) Beyond the model's own noise, on these people and cases: q, the p after Benjamini-Hochberg "
        f"over the family, is below {alpha}."
    )
    return (
        noise,
        f"(b) For {who}: q of flipping the signs of whole bases is below {alpha}.{_agreement(reading)}"
        if who
        else "(b) Beyond these people: one base cannot show that.",
        "(c) For other cases too: the 99% interval over bases and scenarios excludes zero, and its q is "
        f"below {alpha}.",
    )


def _agreement(reading: Reading) -> str:
    """Of an exact model: on how many rows all bases agree, which is all that the signs can tell."""
    families = ((reading.visible, "pooled"), (reading.visible_on_questions, "on single questions"))
    told = [
        f"{figures.count(sum(row.bases_agree for row in rows))} of {figures.count(len(rows))} rows {where}"
        for rows, where in families
        if any(row.delta is not None for row in rows)
    ]
    if not reading.exact or not told:
        return ""
    return (
        f" No noise blurs a sign here: all anchors agree on {figures.listed(told)}, however small the "
        "difference, and there this q is as low as so many bases allow; it says nothing about size."
    )


def needed(reading: Reading) -> str:
    """Which claims, and what size, the verdicts ask; empty where there are no claims."""
    if not claims(reading):
        return ""
    margin = figures.plain(reading.report.run.margin)
    small = "" if reading.exact else "“small” is (a) with that interval inside it; "
    return (
        "“worse” and “better” need all three (on a single question (a) and (b)) and a 95% interval over "
        f"bases that does not lie inside the margin of {margin}; {small}"
        "“these cases” is (a) without all of that. “no difference” is (a) tested and not shown, "
        "with a 90% interval over bases, on these cases, that lies inside the margin."
    )


def smallest_effects(reading: Reading) -> str:
    """How small an effect the run could have seen: the middle ones of its comparisons.

    Empty if unknown, and where nothing could be tested.
    """
    if not reading.has_verdicts or reading.criterion == "none":
        return ""
    rows = [row for row in reading.visible if row.delta is not None]
    noise = _middle([row.mde_noise for row in rows]), _middle([row.mde_noise_adjusted for row in rows])
    people = _middle([row.mde_people for row in rows]), _middle([row.mde_people_adjusted for row in rows])
    if noise[0] is None and people[0] is None:
        return ""
    parts = []
    if noise[0] is not None:
        parts.append(f"{_pair(noise)} beyond the noise (a)")
    who = f"for {beyond(reading.report)}" if beyond(reading.report) else "beyond these people"
    if people[0] is not None:
        parts.append(f"{_pair(people)} {who} (b)")
    elif rows:
        parts.append(f"no effect of any size {who} (b), with so few bases")
    return (
        "The smallest pooled effect that four runs of five would show (median over the swaps; the second "
        f"figure as one discovery alone among all): {figures.listed(parts)}."
    )


def _nothing_compared(reading: Reading) -> str:
    report = reading.report
    if report.factorial is not None or report.run.design == "factorial":
        return (
            "In this run people differ in everything at once, so there are no swaps to compare; what was "
            "found stands in its contrasts."
        )
    if not reading.pooled:
        return "This report holds no comparison of a swapped person with an anchor."
    if not reading.visible:
        return "The model could see none of the swaps of this run, so there is nothing to find."
    return ""


def _nothing_judged(reading: Reading) -> str:
    swaps = f"{figures.counted(len(reading.visible), 'swap')} that the model could see"
    if reading.nothing_pooled:
        if not unanswered(reading.report) and not any(row.pooled for row in reading.report.validity):
            return (
                "No question passed the validity check, so there is no pooled score to compare and no pooled "
                "finding to report."
            )
        could = figures.none_of(len(reading.visible), "swap", "that the model could see could")
        return f"{could} be compared with an anchor, so there is no finding to report."
    if not reading.has_verdicts:
        return (
            f"This report gives no verdict on the {swaps}: an earlier jevbias made it. Analyse the run again "
            "to have them."
        )
    if reading.criterion == "none":
        could = figures.none_of(len(reading.visible), "swap", "that the model could see could")
        return f"{could} be tested: no finding can be reported, and that is not the same as no difference."
    return ""


def _found(reading: Reading, counts: Tally) -> str:
    number = len(reading.visible)
    if not counts.found:
        was = figures.none_of(number, "swap", "that the model could see was")
        return (
            f"{was} shown to be treated worse or better over the pooled questions, beyond these people and "
            "cases."
        )
    margin = " by the margin or more" if reading.exact else " beyond the model's own noise"
    return (
        f"{figures.count(counts.found)} of the {figures.counted(number, 'swap')} that the model could see "
        f"moved its answers{margin}, "
        f"for {beyond(reading.report) or 'others'} and for other cases: "
        f"{figures.count(counts.of('worse'))} worse and {figures.count(counts.of('better'))} better for the "
        "person."
    )


def _rest(reading: Reading, counts: Tally) -> str:
    """The verdicts short of a finding, those that occur."""
    margin = figures.plain(reading.report.run.margin)
    who = f"for {beyond(reading.report) or 'these people'}, on these cases"
    words = {
        "these cases": "“these cases”, which moved these answers and are not shown to hold beyond these "
        "people and cases",
        "small": f"“small”, real, and shown to be below the margin of {margin} {who}",
        "no difference": f"“no difference”, {_below_margin(reading)} {who}",
        "unclear": "“unclear”, neither shown nor ruled out",
    }
    parts = [
        f"{figures.count(counts.of(name))} {words[name]}" for name in SHORT_OF_A_FINDING if counts.of(name)
    ]
    return f"By verdict, short of that: {'; '.join(parts)}." if parts else ""


def _below_margin(reading: Reading) -> str:
    """What `no difference` says of one; an exact model tells whether there is one."""
    margin = figures.plain(reading.report.run.margin)
    if not reading.exact:
        return f"shown to be below {margin}, if there is any,"
    rows = [row for row in reading.visible if row.verdict == "no difference"]
    moved = sum(row.delta != 0 for row in rows)
    below = f"shown to be below the margin of {margin}"
    if not moved:
        return f"where there is none here, {below}"
    there_is = "there is one" if moved == len(rows) else f"in {figures.count(moved)} of them there is one"
    return f"where {there_is}, {below}"


def _leading(reading: Reading, rows: list[Comparison]) -> str:
    hits = Counter(row.question for row in rows if reading.state(row).moved)
    most = max(hits.values(), default=0)
    leading = sorted(printable(question or "") for question, times in hits.items() if times == most)
    if not 1 <= len(leading) <= MOST_NAMED:
        return ""
    each = " each" if len(leading) > 1 else ""
    return f" Answers moved most often on {figures.listed(leading)} ({figures.counted(most, 'time')}{each})."


def _any_difference(reading: Reading) -> bool:
    return any(row.delta is not None and row.verdict != "withheld" for row in reading.report.comparisons)


def _middle(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _pair(effects: tuple[float | None, float | None]) -> str:
    single, adjusted = effects
    return f"{figures.spread(single)} ({figures.spread(adjusted) if adjusted is not None else 'none'})"
