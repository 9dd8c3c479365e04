"""For scikit-learn: ``SelectionCV``, a hyperparameter search that spends its fits where the decision is open."""

try:
    import sklearn  # noqa: F401
except ImportError:
    raise ImportError("varde.sklearn needs scikit-learn: pip install 'varde[sklearn]'") from None

from .search import SelectionCV

__all__ = ["SelectionCV"]
