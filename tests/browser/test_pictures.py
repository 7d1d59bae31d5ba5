"""Pictures of the page to look at, in build/browser: no pixel is compared, only that they are there."""

from collections.abc import Callable
from pathlib import Path

from tests.browser.looking import Looker

_FOLDER = Path(__file__).parents[2] / "build" / "browser"
_SHOWN = "#data=iris&pair=2&feature=2&costline=true"
_PICTURES = {"390": (390, ""), "1280": (1280, ""), "1920": (1920, ""), "lecture": (1280, "&lecture=true")}


def test_pictures_are_kept(opened: Callable[..., Looker]) -> None:
    """A telephone, a desk, a wide screen and a lecture room; in gray, and as a reader with deuteranopia sees the page.

    Dashes and hatches alone distinguish the classes.
    """
    for name, (width, state) in _PICTURES.items():
        _keep(opened(_SHOWN + state, width=width), name)
    look = opened(_SHOWN)
    look.driver.execute_cdp_cmd("Emulation.setEmulatedVisionDeficiency", {"type": "deuteranopia"})
    try:
        _keep(look, "deuteranopia")
    finally:
        look.driver.execute_cdp_cmd("Emulation.setEmulatedVisionDeficiency", {"type": "none"})
    look.run("document.documentElement.style.filter = 'grayscale(1)'")
    _keep(look, "gray")


def _keep(look: Looker, name: str) -> None:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    path = _FOLDER / f"teach-{name}.png"
    path.unlink(missing_ok=True)
    assert look.driver.save_screenshot(str(path))
    assert path.read_bytes().startswith(b"\x89PNG")
