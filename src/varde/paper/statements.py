"""The testable sentences of the paper, word for word (TeX macros for type left out), and what answers each.

Every sentence stands once, whatever the number of instances, temperatures and readings it is measured on.
``measured``, ``covers`` and ``threshold`` are ours; limits are measured on instances that their assumptions cover.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import NamedTuple

from .answers import FALSE, IN_PART, MISSING, SHOWN_IN_PART, Answer, Rows

Ask = Callable[[Rows], Answer]


class Statement(NamedTuple):
    """A sentence of the paper, and the functions that answer it, by name of the study whose rows they take."""

    sentence: str
    kind: str  # law, limit, table, picture or summary
    answers: Mapping[str, Ask]
    place: str
    measured: str
    covers: str  # the instances that its assumptions cover
    threshold: str  # ours, not the paper's: from where on the words are taken to be true

    def answer(self, results: Mapping[str, Rows]) -> Answer:
        """From the rows of every study, by name."""
        absent = [name for name in self.answers if name not in results]
        if absent:
            return Answer(MISSING, f"{', '.join(absent)} was not measured")
        found = [ask(results[name]) for name, ask in self.answers.items()]
        words = "; ".join(dict.fromkeys(one.words for one in found))
        return Answer(self.together([one.grade for one in found]), words, self.together([one.fitted for one in found]))

    def together(self, grades: list[str]) -> str:
        """One grade of the answers of several studies."""
        if FALSE in grades or len(set(grades)) == 1:
            return FALSE if FALSE in grades else grades[0]
        return SHOWN_IN_PART if self.kind == "limit" else IN_PART


def asked(place: str, *arguments: str) -> Ask:
    """The function of a file of this folder, imported when it is called."""

    def answer(rows: Rows) -> Answer:
        file, function = place.split(".")
        found: Answer = getattr(import_module(f".{file}", __package__), function)(*arguments, rows)
        return found

    return answer


def law(sentence: str, place: str, measured: str, threshold: str, more: str = "", **answers: str) -> Statement:
    """Answered by the random cases of its place, unless by functions of studies."""
    made = {study: asked(answer) for study, answer in answers.items()} or {
        "laws": asked("laws.holds", place.split(" (", maxsplit=1)[0], more)
    }
    return Statement(sentence, "law", made, place, measured, "all", threshold)


def said(
    sentence: str, kind: str, place: str, measured: str, threshold: str, answers: dict[str, str], covers: str = ""
) -> Statement:
    made = {study: asked(answer) for study, answer in answers.items()}
    return Statement(sentence, kind, made, place, measured, covers, threshold)


BOUNDED = "rewards in [0, 1]: three arms, BAI.1, BAI.2"
RIVERS = "communicating, rewards in [0, 1]: all rivers"
COINS = "rewards in [0, 1]: a small tree with coins for leaves"
SNAPSHOT = "three arms, from the printed snapshot"

# fmt: off
OPENING = (
    law("Pr(X=2.0)=0.3, Pr(X=0.0)=0.7",
         "Section 1, tab:stylized", "mean and deviation of each arm", "equal after rounding as printed",
         stylized="stylized.as_printed"),
    said("its empirical mean can temporarily look worse than those of the two stable suboptimal arms",
         "picture", "Section 1", "share of fresh starts in which arm 1 has the lowest mean after 40 pulls of each",
         "5 % or more is 'can'", {"stylized": "stylized.looks_worse"}, "three arms"),
    said("Empirical ranking may stop treating Arm 1 as competitive, even with a confidence bonus",
         "picture", "Section 1", "share of the next pulls that arm 1 gets by index rules", "below 1 % is 'stop'",
         {"stylized": "stylized.stops_sampling"}, SNAPSHOT),
    said("additional samples from this arm are most likely to change the final recommendation",
         "picture", "Section 1", "share of runs in which 40 more samples of an arm change the best mean",
         "largest for arm 1", {"stylized": "stylized.changes_the_decision"}, SNAPSHOT),
)

METHOD = (
    said("Each local variance is scaled by the squared influence of that component on the final decision variable.",
         "limit", "Lemma 3.4 (lem:var-decomp)", "t^2 times (Var[Y] less the mean of sum w^2 sigma^2 / N)",
         "grows slower than t^0.1 at 8 times the pulls", {"variance-decay": "variance_decay.decomposes"}, BOUNDED),
    law(r"when one additional sample is collected for $X_i$, the change in its local variance is: \[ \Delta "
        r"\Var[\hat{\mu}_i] = -\frac{\sigma_i^2}{N_i(N_i+1)}.",
         "Lemma 3.5", "sigma^2 / N less sigma^2 / (N + 1)", "exact", "an identity"),
    law(r"reduces the decision-level variance in proportion to its influence weight $w_{i_t}^2$ and its local noise "
        r"$\sigma_{i_t}^2$",
         "Proposition 3.6 (prop:global-var-decrement)", "nothing", "none", laws="laws.not_testable"),
    said(r"VarDE satisfies $N_i(t)=\Omega(t)$ for every component",
         "limit", "Theorem 3.7 (thm:variance-decay)", "the share of the rarest arm, and t Var[Y]",
         "the first falls slower than t^-0.1, the second grows slower than t^0.1, at 8 times the pulls",
         {"variance-decay": "variance_decay.decays"}, BOUNDED),
    said("its asymptotic target is the optimal first-order constant induced by the decision-level "
         "variance decomposition",
         "limit", "Remark 3.8 and Appendix A.7", "t Var[Y] / C* and the distance of the shares to p*",
         "within 15 % of C*; half the distance at 8 times the pulls",
         {"variance-decay": "variance_decay.tends_to_constant"}, BOUNDED),
    law(r"$C_\star\le C_{\mathrm{unif}}$, with equality only in the degenerate case",
         "Appendix A.7 (app:first-order-allocation-constant)", "C* and the constant of equal shares",
         "C* is not above"),
    law(r"(i) approximates $\max$ within $\tau\log K$",
         "Lemma 4.1", "LSE less max", "0 to tau ln K", "reached by equal values"),
    law(r"the Hessian of $\operatorname{LSE}_\tau$ satisfies \[ \big\|\nabla^2 "
        r"\operatorname{LSE}_\tau(\hat{\mu})\big\|_{\mathrm{op}} \le \frac{1}{2\tau}.",
         "Lemma 4.2", "largest eigenvalue", "at most 1 / (2 tau)", "reached by two equal values"),
    law(r"One may take $L_{\tau,K}=3K^{3/2}/\tau^2$.",
         "Lemma 4.3", "difference of Hessians over the distance", "at most 3 K^1.5 / tau^2"),
    law(r"the LSE influence weights verify Assumption \ref{ass:nonvanishing-influence} on $D$ with "
        r"$\rho=K^{-1}e^{(a-b)/\tau}>0$.",
         "Lemma 4.4", "smallest weight on [0, 1]^K", "at least exp(-1 / tau) / K",
         "the weights of Nesterov and EntMax may be 0"),
    said(r"very small $\tau$ gives a more faithful decision surrogate but amplifies the higher-order Taylor remainder",
         "picture", "Section 4.1.1", "shortfall of the first-order variance by tau", "falls with tau at every step",
         {"approximation": "approximation.trade_off"}, "BAI.4's arms"),
)

THEORY = (
    law(r"each arm $i$ has been pulled at least \[ N_i(T)\;\ge\; "
        r"2e^{-1/\tau}\bar\sigma\,\left(\frac{T}{K}-\frac{1}{2}\right) - \frac{1}{2}.",
         "Lemma B.2", "pulls of the rarest arm less the bound, on every path", "no violation",
         "at the paper's settings the bound is negative: exp(-20) at tau 0.05"),
    said(r"satisfies \[ \Pr\{\hat i_T \neq i^*\} \le C\exp(-cT), \] for some constants $C,c>0$",
         "limit", "Theorem 4.5 (thm:VarDE-bai-error-prob)", "the late rate of ln(error) over the early one",
         "half or more", {"error-decay": "error_decay.error_falls"}, "rewards in [0, 1]: BAI.1, BAI.2"),
    said("This exponential decay of the simple regret is order-optimal",
         "limit", "after Corollary 4.6", "nothing: that the regret is at most the largest gap times the error is an "
         "identity", "none", {"laws": "laws.order_optimal"},
         "rewards in [0, 1]: BAI.1, BAI.2"),
    said("value estimates concentrate exponentially fast in the number of simulations",
         "limit", "Theorem 4.7",
         "the late rate over the early one of the share of runs whose value is off by more than 0.1", "half or more",
         {"error-decay-trees": "error_decay.values_concentrate"}, COINS),
    said("implies an exponentially small probability of recommending a suboptimal root action",
         "limit", "Corollary 4.8", "the late rate over the early one of the share of wrong moves", "half or more",
         {"error-decay-trees": "error_decay.moves_get_better"}, COINS),
    law(r"each action $a \in \mathcal{A}(s)$ has been selected at least \[ N(s,a) \;\ge\; "
        r"2e^{-1/\tau}\bar\sigma\, \left( \frac{N(s)}{|\mathcal{A}(s)|} - \frac{1}{2} \right) - \frac{1}{2}.",
         "Lemma C.1", "visits of an action less the bound", "no violation", laws="laws.tree_pulls"),
    said(r"every $(s,a)$ is visited infinitely often by VarDE--Q-learning",
         "limit", "Lemma 4.10", "visits of the rarest pair", "more at ten times the steps",
         {"q-convergence": "q_convergence.covers"}, RIVERS),
    said(r"Consequently, the greedy policies $\hat\pi_T$ are optimal for all sufficiently large $T$ (up "
         "to tie-breaking).",
         "limit", "Theorem 4.11", "max |Q - Q*|, and the share of runs with the best policy",
         "half at ten times the steps, and all runs", {"q-convergence": "q_convergence.converges"}, RIVERS),
    law(r"If $\|\hat Q-Q^*\|_\infty\le \varepsilon$, then \[ \|V^{\hat\pi}-V^*\|_\infty \le "
        r"\frac{2\varepsilon}{1-\gamma}.",
         "Lemma 4.12", "loss of the greedy policy over 2 max |Q - Q*| / (1 - gamma)", "at most 1"),
)

BANDITS = (
    said("achieves the lowest error probability in all four experiments",
         "table", "Section 5.1, tab:bai1", "error of the best of three temperatures less each rival's",
         "below every rival", {"table-1": "table_1.lowest_of_all"}),
    said("with various smooth decision functions performs competitively",
         "picture", "Section 5.1, fig:bai2", "error at the end of each of five functions over the lowest",
         "at most twice for two others or more, on both instances",
         {"decision-functions": "decision_functions.competitive"}),
    said("combining the two consistently outperforms using either component alone",
         "table", "Section 5.1, tab:bai-ablation",
         "error less that of either component alone, at four numbers of pulls", "below both at all four",
         {"ablation": "ablation.better_than_either"}),
    said(r"the method is more sensitive to $\tau$ than to $\bar\sigma$",
         "table", "Section 5.1, tab:bai-sensitivity",
         "range of the error over tau at a floor, and over floors at a tau",
         "the smallest of the first above the largest of the second",
         {"sensitivity": "sensitivity.more_to_temperature"}),
    said(r"performance near the best $\tau$ is comparatively stable across a broad range of $\bar\sigma$",
         "table", "Section 5.1, tab:bai-sensitivity", "range of the error over floors at tau 0.05",
         "below a tenth of the range over tau", {"sensitivity": "sensitivity.stable_near_the_best"}),
    said("the first-order surrogate significantly underestimates the full variance throughout learning",
         "table", "Appendix F.1.2, tab:approx-tau005", "|1 - V_1st / V_full| at tau 0.05",
         "half or more at every step", {"approximation": "approximation.underestimates"}),
    said(r"For $\tau=0.10$, the approximation becomes much tighter as learning progresses.",
         "table", "Appendix F.1.2, tab:approx-tau010", "|1 - V_1st / V_full| at tau 0.1 and 0.15",
         "at the end a third of the first or less", {"approximation": "approximation.tighter"}),
)

WORLDS = (
    said("achieve the highest Monte Carlo value estimates throughout planning",
         "picture", "Section 5.2, fig:mcts",
         "value of the recommended policy less each rival's, at ten numbers of simulations",
         "above every rival at all ten",
         {"frozen-lake": "tree_search.highest_throughout", "sailing": "tree_search.highest_throughout"},
         "FrozenLake and Sailing, which the sentence names"),
    said("attains the lowest root value estimation error across a range of branching factors and depths",
         "picture", "Section 5.2, fig:mcts2", "error of the root value less each rival's, at the end",
         "below every rival on every size", {"synthetic-tree": "synthetic_trees.lowest_error"}),
    said("several baselines exhibit unstable search and fail to reliably reduce the root value estimation error",
         "picture", "Section 5.2, fig:mcts2", "error at 1,000 over error at 100 simulations, trees of 200 actions",
         "0.9 or more is 'fail to reduce'; two rivals or more, and not VarDE under the same reading",
         {"synthetic-tree": "synthetic_trees.unstable"}),
    said("is substantially more robust than existing baselines as the environments scale",
         "picture", "Section 5.3, fig:bpi", "score at the smallest size less that at the largest",
         "less than every rival's", {"river-swim": "best_policy.robust", "forked-river-swim": "best_policy.robust"}),
    said("multiple baselines deteriorate rapidly with increasing $|S|$ and show large run-to-run variability",
         "picture", "Section 5.3, fig:bpi", "rivals whose score halves from the smallest size to the largest",
         "two or more", {"river-swim": "best_policy.deteriorate"}),
    said("stays near-optimal across all tested sizes and has tight confidence intervals",
         "picture", "Section 5.3, fig:bpi", "score and its interval at every size of RiverSwim",
         "0.95 or more and within 0.05, on all", {"river-swim": "best_policy.near_optimal"}),
    said("matches or exceeds the best-performing baselines across sizes and remains consistently stable",
         "picture", "Section 5.3, fig:bpi", "score less the best rival's at every size of ForkedRiverSwim",
         "-0.02 or more", {"forked-river-swim": "best_policy.matches"}),
    said("this view is most beneficial in highly stochastic and heteroscedastic settings",
         "summary", "Section 6", "error without estimated variances less that with them, equal warm starts",
         "grows with the spread of the noise", {"noise-spread": "noise_spread.beneficial"}),
    said("consistent and significant improvements of VarDE over existing methods, with especially strong "
         "gains in highly stochastic environments",
         "summary", "Abstract", "the statements about experiments", "none of its own",
         {"table-1": "table_1.summary"}),
)
# fmt: on

PARTS = {"Opening": OPENING, "Method": METHOD, "Theory": THEORY, "Bandits": BANDITS, "Planning": WORLDS[:3],
         "Learning": WORLDS[3:7], "Summaries": WORLDS[7:]}  # fmt: skip
STATEMENTS = tuple(one for part in PARTS.values() for one in part)


def numbered() -> dict[int, Statement]:
    return dict(enumerate(STATEMENTS, 1))


def graded(results: Mapping[str, Rows]) -> dict[int, Answer]:
    """The answer to every statement, by its number."""
    return {number: one.answer(results) for number, one in numbered().items()}
