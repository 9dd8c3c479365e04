"""How sure it is that an option, move or action is the best, for ``Selection``, ``Move`` and ``Policy`` alike.

A ``Sample`` holds the data of every option: raw results (``from_values``), estimates with their errors and counts
(``from_estimates``), or moments.  ``assess`` says how sure the answer is, ``certify`` makes a certificate from it,
``forecast`` says how much more data it would take; ``learn`` and ``compared`` give the beliefs in between, ``largest``
the chances under given beliefs.  Pure functions on numpy arrays, deterministic, invariant to unit and zero; larger is
better.
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
