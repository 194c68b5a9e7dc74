"""A window that shows pictures as they come: the render mode ``human``, by pygame."""

import importlib.util
import math
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

#: Pixels that the longer side of a picture fills at least, as near as whole multiples get.
_SIDE = 480


def require_pygame() -> None:
    """Refuse to go on without what opens windows."""
    if importlib.util.find_spec("pygame") is None:
        raise DependencyNotInstalled(
            "`render_mode=\"human\"` needs the package `pygame`, which is not installed: pip install 'heldout[human]'"
        )


def tiled(pictures: list[NDArray[Any]]) -> NDArray[Any]:
    """Return pictures of one size as one, row by row, in about as many rows as columns."""
    height, width = pictures[0].shape[:2]
    columns = math.ceil(math.sqrt(len(pictures)))
    whole = np.zeros((height * math.ceil(len(pictures) / columns), width * columns, 3), np.uint8)
    for i, picture in enumerate(pictures):
        top, left = i // columns * height, i % columns * width
        whole[top : top + height, left : left + width] = picture
    return whole


class Window:
    """A window, opened by the first picture."""

    def __init__(self, title: str, fps: float) -> None:
        """Make what will be called ``title`` and show ``fps`` pictures a second at the most."""
        require_pygame()
        self._title, self._fps = title, fps
        self._screen: Any = None
        self._clock: Any = None

    def show(self, picture: NDArray[Any]) -> None:
        """Show a picture of height x width x 3 bytes."""
        import pygame

        height, width = picture.shape[:2]
        zoom = max(1, _SIDE // max(height, width))
        size = (width * zoom, height * zoom)
        if self._screen is None:
            pygame.display.init()
            self._screen = pygame.display.set_mode(size)
            self._clock = pygame.time.Clock()
            pygame.display.set_caption(self._title)
        surface = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self._screen.blit(pygame.transform.scale(surface, size), (0, 0))
        # Without this the system takes the window for one that hangs.
        pygame.event.pump()
        self._clock.tick(self._fps)
        pygame.display.flip()

    def close(self) -> None:
        """Close the window. Calling it again does nothing."""
        if self._screen is not None:
            import pygame

            pygame.display.quit()
            self._screen = None
