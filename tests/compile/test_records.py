"""One machine type per record; whose records are whose."""

import pickle
from typing import NamedTuple

import numpy as np

import varde
from varde._compile import canonical, verb
from varde._compile import records as kinds
from varde._compile.records import extended, kind_of


class Square(NamedTuple):
    side: float


def is_ours(value):
    return kinds.is_ours(kind_of(value))


def is_plain(value):
    return kinds.is_plain(kind_of(canonical(value)))


def test_records_get_one_machine_type():
    rule = canonical(varde.VarDE(varde.decisions.LogSumExp(1), varde.beliefs.Floor(2, True), True))
    assert [type(x) for x in (*rule.decision, *rule.noise, rule.warm_start)] == [float, float, int, int]
    assert canonical(varde.bandits.Bernoulli((1, 0))).means.dtype == np.float64
    frozen = np.ones(2)
    frozen.flags.writeable = False
    assert canonical(varde.bandits.Bernoulli(frozen)).means.flags.writeable


def test_whose_records_are_whose():
    assert is_ours(varde.VarDE()) and not is_ours(Square(1.0))

    class Mine(NamedTuple):
        pass

    assert not is_ours(varde.VarDE(Mine()))
    assert is_plain(varde.VarDE(Mine())) and not is_plain(object())


def test_teaching_our_record_a_verb_makes_it_foreign():
    """What a user's file adds must never reach the stored kernels."""
    assert is_ours(varde.bandits.Uniform())

    @verb
    def spin(record):
        """Of a user."""

    spin.of(varde.bandits.Uniform)(lambda record: None)
    try:
        assert not is_ours(varde.bandits.Uniform())
    finally:  # kernels of later tests are ours alone
        extended.remove(varde.bandits.Uniform)


def test_a_tuple_of_records_is_what_its_records_are():
    pair = (varde.decisions.PowerMean(5), np.zeros(2))
    assert type(canonical(pair)[0].order) is float and canonical(pair)[1] is pair[1]
    assert is_plain(pair) and is_ours(pair)
    assert not is_plain((object(),)) and not is_ours((Square(1.0),))


def test_records_of_different_types_are_never_equal():
    ucbe, ugape = varde.bandits.UCBE(1.0), varde.bandits.UGapE(1.0)
    assert tuple(ucbe) == tuple(ugape) and ucbe != ugape and len({ucbe: 1, ugape: 2}) == 2
    assert ucbe == varde.bandits.UCBE(1) and hash(ucbe) == hash(varde.bandits.UCBE(1))
    assert ucbe == tuple(ucbe) and pickle.loads(pickle.dumps(ucbe)) == ucbe
