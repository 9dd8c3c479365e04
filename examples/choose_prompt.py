"""Which prompt is best?  Once with an async function, once in a loop of one's own."""

import asyncio
import random

import varde

PROMPTS = {
    "plain": "Answer the question.",
    "steps": "Answer the question. Think step by step.",
    "examples": "Here are three examples. Now answer the question.",
    "shouting": "ANSWER THE QUESTION!",
}
QUALITY = dict(zip(PROMPTS.values(), [0.62, 0.70, 0.85, 0.40], strict=True))  # unknown to varde


async def grade(prompt, seed):
    """Stands for: ask a model, question number ``seed``; 1 if the answer is right."""
    await asyncio.sleep(0.0005)
    if seed % 50 == 0:
        raise TimeoutError("the service is busy")  # recorded, and tried again
    return float(random.Random(seed).random() < QUALITY[prompt])


print(varde.select(grade, PROMPTS, budget=600, workers=16), "\n")

# The same with a queue: tickets out, results in, late and in any order.
selector = varde.Selector(PROMPTS, budget=600)
queue = []
while not selector.done:
    queue += [(draw.id, draw.option, draw.seed) for draw in selector.ask(16)]
    random.shuffle(queue)
    for ticket, prompt, seed in [queue.pop() for _ in range(min(8, len(queue)))]:
        selector.tell(ticket, random.Random(seed).random() < QUALITY[prompt])
print("take", selector.recommend().best)
