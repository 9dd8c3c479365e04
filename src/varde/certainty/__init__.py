"""How sure it is that an option, move or action is the best, for ``Selection``, ``Move`` and ``Policy`` alike.

    beliefs.samples  the data of every option: raw results, counts, summaries
    beliefs.means    the belief about their true means
    largest          which is the largest; members: which are the m largest, or above a line
    order_statistics quantiles, without assumptions
    chances          what is stated: chances, intervals, verdicts; certificate: all of it together
    assumptions      whether results speak against them, and what is only assumed; unseen: what may yet come
    paired           common random numbers
    stopping         when to stop, with a proof: bets, comparing

Pure functions on numpy arrays, deterministic, invariant to unit and zero; larger is better.
docs/how-sure.md has the calibration.
"""

from ..beliefs.means import Beliefs, Known, believe
from ..beliefs.samples import Block, Ragged, Sample, from_values
from .certificate import Certificate, Confidence, assess
from .chances import judge
from .largest import largest
from .paired import Paired, pair

__all__ = [
    "Beliefs",
    "Block",
    "Certificate",
    "Confidence",
    "Known",
    "Paired",
    "Ragged",
    "Sample",
    "assess",
    "believe",
    "from_values",
    "judge",
    "largest",
    "pair",
]
