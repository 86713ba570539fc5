import numpy as np

from jevbias.stats.ties import snap_ties


def test_dust_is_exactly_zero_and_all_else_is_kept() -> None:
    values = np.array([-8e-17, 9e-10, -0.0, 2e-9, -0.5, np.nan])
    snapped = snap_ties(values)
    assert snapped[:3].tolist() == [0.0, 0.0, 0.0]
    assert not np.signbit(snapped[:3]).any()
    assert snapped[3:5].tolist() == [2e-9, -0.5]
    assert np.isnan(snapped[5])
