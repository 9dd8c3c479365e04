"""The top of the page: what comes out, what does not, and why."""

from __future__ import annotations

from collections.abc import Sequence

from ..._page import escape, table
from ..claims import FAILS, OPEN, Claim
from .grid import number_form
from .load import Left, Result
from .page_words import CLASSES, because, evidence, link, mark
from .tally import Miss, apart, by_reason, cautions, claims_that, lead, misses, of_the_paper, tally
from .words import MARKS, SHOWN, about, duration, minus, place


def summary(results: Sequence[Result], left_out: Sequence[Left]) -> list[str]:
    count = tally(of_the_paper(results))
    said = [f'<p class="lead">{escape(" ".join(lead(results)))}</p>']
    for what, parts in (("published numbers", count.numbers), ("claims in words, tested", count.claims)):
        if sum(parts.values()):
            said.append(bar(what, parts))
    said += [f'<p class="caution">{escape(line)}</p>' for line in cautions(results)]
    said.append(f'<p class="soft">{escape(about(results))}</p>')
    said.append(overview(results))
    said += what_fails(results)
    if left_out:
        lines = "".join(f"<li><code>{escape(file)}</code>: {escape(why)}</li>" for file, why in left_out)
        said.append(f'<h2 class="minor">Left out of this report</h2><ul>{lines}</ul>')
    return said


def bar(what: str, parts: dict[str, int]) -> str:
    """Shares side by side, each with its number in words."""
    pieces = "".join(
        f'<span class="{CLASSES[word]}" style="flex:{count}"></span>' for word, count in parts.items() if count
    )
    words = " ".join(
        f'<span class="{CLASSES[word]}"><b>{count}</b>&nbsp;{MARKS[word]}&nbsp;{word.replace(" ", "&nbsp;")}</span>'
        for word, count in parts.items()
    )
    return (
        f'<figure class="shares"><figcaption>{sum(parts.values())} {what}</figcaption>'
        f'<div aria-hidden="true">{pieces}</div><p>{words}</p></figure>'
    )


def overview(results: Sequence[Result]) -> str:
    """A line per study, with links to its section."""
    lines = []
    for result in results:
        count = tally([result])
        lines.append(
            [
                link(result),
                counted(count.numbers),
                counted(count.claims),
                f"{result.runs:,}",
                "" if result.seconds is None else duration(result.seconds),
                escape(place(result)),
            ]
        )
    head = ["study", "numbers", "claims", "runs", "computing", "where"]
    if all(result.seconds is None for result in results):
        head, lines = [*head[:4], head[5]], [[*line[:4], line[5]] for line in lines]
    return table(head, lines, label="The studies of this report", kind="overview")


def counted(parts: dict[str, int]) -> str:
    return " ".join(
        f'<span class="{CLASSES[word]}" title="{word}">{count}&nbsp;{mark(word)}</span>'
        for word, count in parts.items()
        if count
    )


def what_fails(results: Sequence[Result]) -> list[str]:
    said = []
    if wrong := misses(results, "not reproduced"):
        said.append('<h2 class="minor">Published numbers that do not come out</h2>')
        said += [missed(miss) for miss in wrong]
    for word, heading in ((FAILS, "Claims that do not hold"), (OPEN, "Claims these runs leave undecided")):
        if found := claims_that(results, word):
            said.append(f'<h2 class="minor">{heading}</h2><ul>')
            said += [f"<li>{together(claims, reason)}</li>" for reason, claims in by_reason(found)]
            said.append("</ul>")
    if close := misses(results, "close"):
        count = sum(len(miss.rows) for miss in close)
        what = "The number that is close" if count == 1 else f"The {count} numbers that are close"
        said.append(f"<details><summary>{what}, and what but chance may be the reason</summary>")
        said += [missed(miss) for miss in close]
        said.append("</details>")
    return said


def together(claims: Sequence[tuple[Result, Claim]], reason: str) -> str:
    """Claims with the same likely reason, which is said once; a claim without one is told with its evidence."""
    if len(claims) == 1:
        [(result, claim)] = claims
        return f"{link(result)}: {escape(claim.claim)}{evidence(claim)}. {because(reason)}"
    listed = "; ".join(f"{link(result)}: {escape(claim.claim)}" for result, claim in claims)
    return f"{listed}. {because(reason)}"


def missed(miss: Miss) -> str:
    """Numbers with the same likely reason, as a table below it."""
    form = number_form(miss.result)
    lines = [
        [
            escape(f"{row.problem}, {row.algorithm}, step {row.step:,}"),
            minus(form(row.published or 0.0)),
            minus(form(row.value)),
            f"{apart(miss.result, row):.1f}",
        ]
        for row in miss.rows[:SHOWN]
    ]
    more = f'<p class="soft">and {len(miss.rows) - SHOWN} more</p>' if len(miss.rows) > SHOWN else ""
    head = ["", "published", "measured", "standard errors apart"]
    told = f"{link(miss.result)}, {len(miss.rows)} of {tally([miss.result]).published} numbers. {because(miss.reason)}"
    return f"<p>{told}</p>{table(head, lines, label=f'{miss.result.name}: numbers apart')}{more}"
