"""The address of a page: it holds the state, and nothing that it says breaks the page."""

from collections.abc import Callable

from tests.browser.looking import Looker
from tests.cases import check_each


def test_the_address_contains_the_state(opened: Callable[..., Looker]) -> None:
    """A state is in the address and comes back from it."""
    look = opened("#data=iris&feature=3&pair=1&prevalence=0.2&strip=true", datasets=("iris",), lesson=False)
    expected = {"data": "iris", "feature": 3, "pair": 1, "prevalence": 0.2, "strip": True}
    assert {name: look.state()[name] for name in expected} == expected
    look.set(threshold=1.55)
    look.pause(400)
    address = look.driver.current_url
    assert "threshold=1.55" in address
    look.driver.get("about:blank")
    look.open(address)
    assert look.state()["threshold"] == 1.55


HARMFUL = """
    #std0=-1 #mean0=abc #data=nothing #data=iris&feature=99 #prevalence=2 #feature=%3Cscript%3E #names=foo
    #names=constructor #n=abc&draws=3 #n=-5&draws=3 #n=0.5&draws=3 #draws=abc #data=iris&pair=0.5
    #mean0=1e20&mean1=1e20 #mean0=-1e308 #std0=1e308&std1=1e308 #std0=1e-320 #threshold=1e308 #prevalence=1e-320
    #cost=1e308&costline=true #cost=1e-320&costline=true
    #std0=1e-9&std1=1e9&strip=true&costline=true&weighted=true #mean0=5&mean1=5&std0=2&std1=2
    #mean0=5&mean1=5&std0=2&std1=2.0000000001 #seed=1e99&draws=5 #step=99 #step=2.5
    #__proto__=1&constructor=2&toString=3 #%E0%A4%A
    #draws=3000&n=2 #draws=1&n=100000 #data=iris&draws=3000&n=2 #data=own #data=iris&feature=-1
"""


def test_a_malicious_address_has_no_effect(opened: Callable[..., Looker]) -> None:
    """Names that are none, extreme or senseless numbers: one sentence, or a page without a NaN.

    Millions of samples are not drawn because an address says so. A sentence about data that are not there is about the
    data, not about a threshold that nobody gave.
    """

    def check(at: str) -> None:
        look = opened(at, datasets=("iris",))
        assert look.broken() == []
        assert look.complaints() == []
        assert look.run("return !!page.answer")
        if "draws=3000" in at or "n=100000" in at:
            assert look.state()["draws"] <= 50
            assert look.state()["n"] <= 1000
        named = {entry.split("=")[0] for entry in at[1:].split("&")} & {
            "std0",
            "data",
            "feature",
            "prevalence",
            "names",
        }
        if at in {"#std0=-1", "#data=nothing", "#data=own", "#data=iris&feature=99", "#prevalence=2", "#names=foo"}:
            assert any(name in look.one(".link-note").text for name in named)
        look.driver.get("about:blank")

    check_each({at: at for at in HARMFUL.split()}, check)


def test_an_invalid_value_in_a_link_is_named(opened: Callable[..., Looker]) -> None:
    """Two invalid values are named and have their defaults, the others of the link hold, and a list shows the case."""
    look = opened("#std0=-1&prevalence=2&mean0=3.5&threshold=5", datasets=())
    assert look.one(".link-note").text.startswith("Invalid values in the link: std0, prevalence.")
    state = look.state()
    assert [state[name] for name in ("std0", "prevalence", "mean0", "threshold")] == [3, 0.1, 3.5, 5]
    assert look.run("return document.querySelector('.case').value") == "custom"
    look.set(mean0=4)
    assert look.run("return document.querySelector('.case').value") == "paper"
    look.one(".link-note button").click()
    assert not look.one(".link-note").is_displayed()


_GO = "location.hash = arguments[0]; setTimeout(arguments[1], 400);"


def test_an_empty_address_resets_the_page(opened: Callable[..., Looker]) -> None:
    """Settings that leave the address return to their initial values; new ones are applied alone."""
    look = opened(datasets=("iris",))
    first = look.state()
    look.set(data="iris", feature=3, prevalence=0.2, strip=True, draws=5, step=1, names="clinic", keys=False)
    look.pause(400)
    look.later(_GO, "")
    assert look.state() == first
    look.later(_GO, "mean1=9")
    assert look.state() | {"mean1": 8, "threshold": 0} == first | {"threshold": 0}
    assert look.state()["threshold"] == look.answer()["best"]["threshold"]


def test_addresses_are_separate_for_each_page(opened: Callable[..., Looker]) -> None:
    """On a page that begins with data: two Gaussians, and data of another place, come back from their addresses."""
    page = {"x": "iris", "positive": "virginica", "negative": "versicolor", "feature": "petal_length"}
    look = opened(datasets=("iris",), **page)
    look.pause(400)
    plain = look.driver.current_url
    assert "mean0" not in plain, "the fit is that of the data"
    for state in ({"data": "", "mean0": 4.0, "std0": 3.0}, {"feature": 0, "mean1": 8.0}, {"direction": "lower"}):
        look.set(**state)
        look.pause(400)
        held, address = look.state(), look.driver.current_url
        look.driver.get("about:blank")
        look.open(address)
        assert look.state() == held
    look.driver.get("about:blank")
    look.open(plain.split("#")[0])
    look.later(_GO, "")
    assert (look.state()["data"], look.state()["feature"]) == ("iris", 2)
