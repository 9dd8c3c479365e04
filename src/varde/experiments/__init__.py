"""Every table and figure of the paper as a study; ``STUDIES`` names them, ``GROUPS`` gathers them."""

from __future__ import annotations

from collections.abc import Callable

from .ablation import ablation
from .approximation import approximation
from .bai_curves import bai_curves
from .bpi import forked_river_swim_study, forked_shortcut_study, river_swim_study
from .decision_functions import decision_functions
from .sensitivity import sensitivity
from .study import Cell, Row, Study, run
from .table_1 import table_1, table_1_fair

STUDIES: dict[str, Callable[[], Study]] = {
    "table-1": table_1,
    "bai-curves": bai_curves,
    "decision-functions": decision_functions,
    "ablation": ablation,
    "sensitivity": sensitivity,
    "approximation": approximation,
    "river-swim": river_swim_study,
    "forked-river-swim": forked_river_swim_study,
    "forked-river-swim-shortcut": forked_shortcut_study,
}

GROUPS: dict[str, tuple[str, ...]] = {
    "bai": ("table-1", "bai-curves", "decision-functions", "ablation", "sensitivity", "approximation"),
    "bpi": ("river-swim", "forked-river-swim"),
}

__all__ = ["GROUPS", "STUDIES", "Cell", "Row", "Study", "run", "table_1_fair"]
