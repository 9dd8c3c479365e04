"""How sure is it that this option, move or action is the best?  One answer for ``Selection``, ``Move`` and ``Policy``.

Beliefs about the true means come from raw samples (``gather``, ``believe``) or from estimates, errors and counts
(``from_estimates``).  ``largest`` turns beliefs into chances and an expected loss, ``certify`` and ``confidence`` into
what users read; ``forecast`` says how much more it would take.  Pure functions on numpy arrays, deterministic, free of
unit and zero; larger is better.  docs/confidence.md has the calibration.
"""

from .certificate import Certificate, Confidence, certify, confidence, judge, sceptical
from .forecast import forecast
from .largest import Beliefs, largest
from .samples import Evidence, Matched, believe, from_estimates, gather, pair_up, pooled_variance

__all__ = [
    "Beliefs",
    "Certificate",
    "Confidence",
    "Evidence",
    "Matched",
    "believe",
    "certify",
    "confidence",
    "forecast",
    "from_estimates",
    "gather",
    "judge",
    "largest",
    "pair_up",
    "pooled_variance",
    "sceptical",
]
