"""The QR code of a page's address, decoded from a picture of the screen."""

import io
from collections.abc import Callable

import numpy as np
import zxingcpp
from PIL import Image
from selenium.webdriver.common.keys import Keys

from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import Looker

_OPEN = "return [...document.querySelectorAll('dialog[open]')].length"


def _decoded(look: Looker) -> tuple[str, str]:
    """Return the text and the correction level of the code on the screen."""
    image = Image.open(io.BytesIO(look.driver.get_screenshot_as_png())).convert("L")
    (code,) = zxingcpp.read_barcodes(np.asarray(image))
    return code.text, code.ec_level


def test_the_code_is_the_address_with_the_state(look: Looker) -> None:
    """Served, with the key Q: the code decodes to the address of the current state, and Escape closes it."""
    with TeachingPage(datasets=()).serve() as server:
        look.open(server.url)
        look.set(threshold=5.25, prevalence=0.2)
        look.focus()
        look.press("q")
        assert look.run(_OPEN) == 1
        assert _decoded(look) == (f"{server.url}#threshold=5.25&prevalence=0.2", "M")
        assert look.one("dialog .address").text == f"{server.url}#threshold=5.25&prevalence=0.2"
        assert look.findings() == []
        look.press(Keys.ESCAPE)
        assert look.run(_OPEN) == 0
        look.set(lecture=True)
        look.press("q")
        assert _decoded(look)[0] == f"{server.url}#threshold=5.25&prevalence=0.2&lecture=true"
        look.press(Keys.ESCAPE)
        assert look.complaints() == []


def test_a_file_has_the_code_of_its_published_address(look: Looker, opened: Callable[..., Looker]) -> None:
    """With url=, a file shows the code of this address; without, it has neither the button nor the code."""
    opened(datasets=(), url="https://example.org/roc/", lang="de")
    look.click("qr")
    assert _decoded(look)[0].startswith("https://example.org/roc/#threshold=5.826")
    opened("#lecture=true", datasets=())
    assert not any("QR" in text for text in look.each("button", "e.innerText"))
    look.focus()
    look.press("q")
    assert look.run(_OPEN) == 0
