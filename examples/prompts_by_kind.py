"""Which prompt for which kind of question?  Kinds have features, so a result helps wherever questions are similar."""

import varde

PROMPTS = {"plain": 0.0, "steps": 1.0, "examples": 0.4}  # how much each makes a model write
KINDS = {  # how hard questions are, and how long
    "arithmetic": {"steps": 2, "words": 20},
    "word problems": {"steps": 5, "words": 80},
    "proofs": {"steps": 12, "words": 60},
    "summaries": {"steps": 1, "words": 900},
    "translations": {"steps": 1, "words": 300},
    "planning": {"steps": 8, "words": 150},
}


def grade(prompt, rng, context):
    """Stands for one answer and its mark: hard questions want steps, easy ones suffer from them."""
    wanted = min(context["steps"] / 10.0, 1.0)
    return 4.0 - 2.0 * abs(PROMPTS[prompt] - wanted) + rng.normal(0.0, 0.7)


if __name__ == "__main__":
    found = varde.select(grade, list(PROMPTS), 500, contexts=KINDS)
    print(found)
    print("\nfor proofs:", found["proofs"].best)
