"""Which prompt gets the best grades?  The judge is noisy and slow, and sometimes does not answer.

The function is async: sixteen calls wait at once.  A call that fails is recorded and made again; it never counts as 0.
"""

import asyncio
import random

import varde

PROMPTS = {
    "plain": "Answer the question.",
    "steps": "Answer the question. Think step by step.",
    "examples": "Here are three examples. Now answer the question.",
    "polite": "Please answer the question.",
    "shouting": "ANSWER THE QUESTION!",
}


service = random.Random(0)


async def grade(prompt, seed):
    """Stands for a call to a model and a second one to a judge, who gives 1 to 5 points."""
    await asyncio.sleep(service.expovariate(1000))
    if service.random() < 0.05:
        raise ConnectionError("503: the judge is busy")
    if service.random() < 0.01:
        await asyncio.sleep(3600)  # no answer at all: calls=varde.Calls(timeout=...) ends it
    quality = 2.8 + 1.1 * ("examples" in prompt) + 0.4 * ("step" in prompt) - 0.8 * prompt.isupper()
    return min(max(round(random.Random(seed).gauss(quality, 1.0)), 1), 5)


found = varde.select(
    grade,
    varde.Selector(PROMPTS, 1_500, calls=varde.Calls(timeout=0.5, ordered=False, bounds=(1, 5)), stop=0.05),
    workers=16,
)
print(found)
print(f"\n{found.spent:.0f} of 1,500 grades were needed ({found.stopped})")
