"""Records rendered episodes to a file: an animation, or text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..worlds.episodes import Episode, Stage

MOST = 5000  # frames at most
SLOW = 5  # frames per second, if the environment does not say
STILL = 10  # frames for which the last picture is shown


class Film:
    """Collects frames and writes them to ``path`` at the end: a ``.gif``, or text in a ``.txt``."""

    def __init__(self, path: Path):
        kinds = {".gif": "rgb_array", ".txt": "ansi"}
        if path.suffix.lower() not in kinds:
            raise ValueError(f"--save {path}: write a file that ends in .gif or .txt")
        if not path.absolute().parent.is_dir():
            raise ValueError(f"the folder of {path} does not exist: write a file in a folder that does")
        self.path, self.mode = path, kinds[path.suffix.lower()]
        if self.mode == "rgb_array":
            try:
                import PIL.Image  # noqa: F401
            except ModuleNotFoundError:
                raise ImportError("Pillow is missing, which writes the GIF: pip install 'varde[gym]'") from None
        self.frames: list[Any] = []
        self.second = SLOW

    def add(self, stage: Stage, number: int, episode: Episode) -> None:
        """Add the current frame of the episode with that number."""
        if len(self.frames) >= MOST:
            return
        seen = stage.picture()
        if self.mode == "ansi":
            move = f"move {len(episode.actions)}: {episode.actions[-1]!r}" if episode.actions else "the start"
            self.frames.append(f"episode {number + 1}, {move}, return {episode.value:g}\n{seen}")
            return
        from PIL import Image

        self.second = getattr(getattr(stage, "env", None), "metadata", {}).get("render_fps", SLOW)
        image = Image.fromarray(np.asarray(seen, np.uint8)).convert("P", palette=Image.Palette.ADAPTIVE)
        self.frames += [image] * (STILL if episode.ended != "not yet" else 1)

    def write(self) -> None:
        if self.mode == "ansi":
            self.path.write_text("\n\n".join(self.frames) + "\n", encoding="utf-8")
            return
        first, *rest = self.frames
        first.save(self.path, save_all=True, append_images=rest, duration=max(20, round(1000 / self.second)), loop=0)
