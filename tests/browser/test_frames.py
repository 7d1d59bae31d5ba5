"""Pages in frames: the frame takes the height of the page."""

from pathlib import Path

from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import Looker

_HEIGHTS = """
const frame = document.querySelector("iframe").getBoundingClientRect().height;
return [frame, document.documentElement.scrollWidth - document.documentElement.clientWidth];
"""
_BOTTOM = "return document.querySelector('.rocpredict').getBoundingClientRect().bottom + window.scrollY"


def test_a_frame_has_the_height_of_its_page(look: Looker, tmp_path: Path) -> None:
    """At two widths, and after the width has changed; a fixed height stays."""
    page = TeachingPage(datasets=(), lesson=False)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>a notebook</title>{page._repr_html_()}", "utf-8")
    look.driver.get(path.as_uri())
    for width in (1000, 420):
        look.resize(width)
        look.driver.switch_to.frame(look.one("iframe"))
        look.wait()
        look.pause(200)
        bottom = look.run(_BOTTOM)
        look.driver.switch_to.default_content()
        height, overflow = look.run(_HEIGHTS)
        assert abs(height - bottom) <= 2
        assert overflow == 0
    path.write_text(f"<!doctype html><title>slides</title>{page.to_iframe(height=300)}", "utf-8")
    look.driver.get(path.as_uri())
    look.pause(300)
    assert look.run(_HEIGHTS)[0] == 300
    assert look.complaints() == []


def test_embed_code_has_a_public_address(look: Looker, tmp_path: Path) -> None:
    """Of a file and of a frame: the address that was passed, or a placeholder with an instruction."""
    for url, expected in ((None, "https://example.org/teach.html#"), ("https://a.org/b", "https://a.org/b/#")):
        page = TeachingPage(datasets=(), lesson=False, url=url, title='A "title"')
        path = page.save(tmp_path / "page.html")
        frame = tmp_path / "frame.html"
        frame.write_text(f"<!doctype html><title>slides</title>{page.to_iframe()}", "utf-8")
        for address in (path, frame):
            look.driver.get(address.as_uri())
            if address is frame:
                look.driver.switch_to.frame(look.one("iframe"))
            look.wait()
            look.click("embed")
            code = look.run("return document.querySelector('textarea').value")
            assert f'src="{expected}' in code
            assert 'title="A &quot;title&quot;"' in code
            assert code.startswith("<!-- Upload this page" if url is None else "<iframe ")
            assert "file:" not in code
            assert "about:" not in code
            look.driver.switch_to.default_content()
