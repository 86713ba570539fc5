"""An answer in the wire format whose expected position is a given value."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jevbias.mock.request import AskedQuestion, ChoiceQuestion, NoulQuestion


def wire_answer(question: AskedQuestion, value: float, decimals: int | None) -> dict[str, object]:
    """The answer `value`, on [0, 1]: the probability of a noul, else the expected position of a binomial
    distribution over the options, divided by (options - 1). `decimals` rounds every figure, as Jev does.
    """

    def rounded(number: float) -> float:
        return number if decimals is None else round(number, decimals)

    if isinstance(question, NoulQuestion):
        return {"type": "noul", "noul": rounded(value)}
    probabilities = binomial(len(question.criteria), value)
    if isinstance(question, ChoiceQuestion):
        options = list(question.criteria)
        best = max(range(len(options)), key=lambda index: probabilities[index])
        return {
            "type": "choice",
            "choice": options[best],
            "probabilities": {name: rounded(p) for name, p in zip(options, probabilities, strict=True)},
            "confidence": rounded(probabilities[best]),
        }
    top = len(question.criteria) - 1
    return {
        "type": "score",
        "score": rounded(value * top),
        "legend": {str(level): text for level, text in enumerate(question.criteria)},
        "probabilities": {str(level): rounded(p) for level, p in enumerate(probabilities)},
        "confidence": rounded(max(probabilities)),
    }


def binomial(options: int, value: float) -> Sequence[float]:
    """Probabilities of the positions 0 to options - 1 with mean value × (options - 1)."""
    top = options - 1
    return [math.comb(top, k) * value**k * (1 - value) ** (top - k) for k in range(options)]
