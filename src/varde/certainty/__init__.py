"""How sure is it that this option, move or action is the best?  One answer for ``Selection``, ``Move`` and ``Policy``.

A ``Sample`` holds what was seen of every option: raw results (``from_values``), estimates with their errors and counts
(``from_estimates``), or moments.  ``assess`` says how sure the answer is, ``certify`` makes a certificate of it,
``forecast`` says how much more it would take; ``learn`` and ``compared`` give the beliefs in between, ``largest`` the
chances under any beliefs.  Pure functions on numpy arrays, deterministic, free of unit and zero; larger is better.
docs/how-sure.md has the calibration.
"""

from .beliefs import Beliefs
from .certificate import Certificate, Confidence, assess, certify, judge
from .doubt import doubt
from .forecast import forecast
from .kinds import KINDS
from .largest import largest
from .model import Known, compared, learn
from .paired import Paired, pair
from .samples import Block, Sample, from_estimates, from_values

__all__ = [
    "KINDS",
    "Beliefs",
    "Block",
    "Certificate",
    "Confidence",
    "Known",
    "Paired",
    "Sample",
    "assess",
    "certify",
    "compared",
    "doubt",
    "forecast",
    "from_estimates",
    "from_values",
    "judge",
    "largest",
    "learn",
    "pair",
]
