"""The settings that the paper does not state and that were chosen with its printed numbers in view."""

FITTED = (
    ("warm start of VarDE on BAI.1-2", "25 pulls of each arm", "Table 1"),
    ("warm start of VarDE on BAI.3-6", "2", "Table 1"),
    ("warm start of Weight-Only", "1", "ablation"),
    ("variance floor", "0.01", "Table 1"),
    ("variance floor of the approximation tables", "0.1", "those tables"),
    ("divisor of the variance", "N - 1 (printed: N)", "sensitivity"),
    ("deviations of BAI.3-4", "random.Random(42).shuffle of the means", "BAI.3-4"),
    ("what alpha multiplies", "bonus sqrt(alpha / n)", "UCBE and UGapE rows"),
    ("recommendation of CR and SR", "best mean over all arms and samples", "CR and SR rows"),
    ("ties between arms", "lowest index", "Uniform on BAI.1-2"),
    ("ties within UGapE and SH, CR's inequality", "J; at random; strict", "their rows"),
    ("instance and pulls of ablation and sensitivity", "BAI.5 at 2,000 and 1,000", "those tables"),
    ("arms and steps of the approximation tables", "BAI.4's arms; 40, 420, 620, 1,000 pulls", "those tables"),
    ("draws of the approximation tables", "2,000, floored variances, absolute differences", "those tables"),
)
