"""2. The variance of one more sample of a pair: of r + g V(s') over its outcomes, reward and successor together.

It is shrunk towards the average of all pairs that are noisy at all, which has the weight of PRIOR samples: pairs that
have shown no noise must not dilute it.  One sample in the whole world may have differed by as much as the pairs do.

Two actions that always had the same outcome are tied, and leave room for another: its chance is Beta(1, n + 1), so that
one more sample lowers the variance by 2 rho D^2/((n + 1)(n + 2)(n + 3)), which is the decrement of
s2 = 2 rho D^2 n/((n + 2)(n + 3)).  rho is how often second samples were a surprise in the family, D the range of V and
of the rewards: three equal outcomes of a decisive pair are not final because all values seen so far are nearly the
same.  Where actions differ, the noise of the world will do.
"""

from __future__ import annotations

from ..._compile import helper
from .families import SECOND_SAMPLE
from .memory import HIGH, LOW
from .model import PAIRS, STATES
from .values import largest_size

PRIOR = 5.0


@helper
def is_tied(model, s, p):
    """Whether all outcomes of a pair were equal, and equal to those of another action of the state."""
    k = model.rows[p]
    if model.rows[p + 1] - k != 1 or model.within[p] != 0.0:
        return False
    for q in range(model.first[s], model.first[s + 1]):
        o = model.rows[q]
        same = model.counts[q] > 0 and model.rows[q + 1] - o == 1 and model.within[q] == 0.0
        if q != p and same and model.to[o] == model.to[k] and model.rewards[o] == model.rewards[k]:
            return True
    return False


@helper(apart=True)
def fill_noise(memory, discount):
    """Fill s2; returns whether there is any noise."""
    model, values, noise = memory.model, memory.best.values, memory.noise
    total, noisy, samples, spread, mean, tried = 0.0, 0, 0, 0.0, 0.0, 0
    for p in range(model.size[PAIRS]):
        n = model.counts[p]
        if n == 0:
            continue
        y = 0.0
        for k in range(model.rows[p], model.rows[p + 1]):
            y += model.share[k] * (model.rewards[k] + discount * values[model.to[k]])
        own = model.within[p]
        for k in range(model.rows[p], model.rows[p + 1]):
            off = model.rewards[k] + discount * values[model.to[k]] - y
            own += n * model.share[k] * off * off
        noise[p] = own / n
        if own > 1e-12 * n * y * y:
            total += own
            noisy += n
        samples += n
        tried += 1
        off = y - mean
        mean += off / tried
        spread += off * (y - mean)
    pooled, least = total / noisy if noisy > 0 else 0.0, spread / tried / (samples + 1.0) if tried > 0 else 0.0
    pooled = least if least > pooled else pooled
    high, low = values[1], values[1]
    for s in range(1, model.size[STATES]):
        high, low = values[s] if values[s] > high else high, values[s] if values[s] < low else low
    hope = high - low + memory.scale[HIGH] - memory.scale[LOW]
    for s in range(1, model.size[STATES]):
        for p in range(model.first[s], model.first[s + 1]):
            n = model.counts[p]
            noise[p] = (PRIOR * pooled + n * noise[p]) / (PRIOR + n) if n > 0 else pooled
            if n > 0 and is_tied(model, s, p):
                noise[p] += 2.0 * memory.rates[SECOND_SAMPLE, s] * hope * hope * n / ((n + 2.0) * (n + 3.0))
    top = largest_size(values, model.size[STATES])
    return pooled > 1e-20 * top * top
