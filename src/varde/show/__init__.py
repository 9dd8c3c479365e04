"""How an answer is shown and kept: one implementation for ``Selection``, ``Move`` and ``Policy``.

``answer.py`` is the interface that the three share; ``words.py`` writes numbers and names, ``sentence.py`` what all
answers say alike, ``table.py`` prints, ``document.py`` makes pages, ``plot.py`` draws, ``saving.py`` writes files.
"""

from .answer import Answer

__all__ = ["Answer"]
