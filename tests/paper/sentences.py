"""The paper's sentences, one a line, from its TeX: ``python tests/paper/sentences.py varde.tex`` writes sentences.txt.

Macros for type, comments and the bibliography are left out, and so is what has fewer than five words.
"""

import re
import sys
from pathlib import Path

LIST = Path(__file__).with_name("sentences.txt")


def plain(text):
    text = re.sub(r"\\(textsc|emph|textbf|textit)\{([^{}]*)\}", r"\2", text)
    return re.sub(r"\s+", " ", text.replace("~", " ")).strip()


def sentences(tex):
    tex = re.sub(r"(?<!\\)%.*", "", tex)
    tex = tex[tex.index(r"\begin{abstract}") :]
    tex = re.sub(r"\\begin\{thebibliography\}.*?\\end\{thebibliography\}", "", tex, flags=re.DOTALL)
    found = re.split(r"(?<=[.!?:])\s+(?=[A-Z\\(])", plain(tex))
    return [line for line in found if len(re.findall(r"\b[a-zA-Z]{2,}\b", line)) >= 5]


if __name__ == "__main__":
    LIST.write_text("\n".join(sentences(Path(sys.argv[1]).read_text(encoding="utf-8"))) + "\n", encoding="utf-8")
