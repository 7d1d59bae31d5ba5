"""Fixtures of the browser tests: one Chromium for all tests of a process, and helpers that open pages in it."""

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from rocpredict.teaching.page import TeachingPage
from tests.browser.looking import Looker

_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1600",
)


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Start a headless Chromium; without one there is nothing to test, and that is an error."""
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        raise RuntimeError("Chromium and its driver are not installed; run: make system")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in (*_OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(chromedriver))
    yield started
    started.quit()


@pytest.fixture
def look(driver: webdriver.Chrome) -> Looker:
    """Return a browser with an empty page, a usual width and an empty console."""
    looker = Looker(driver)
    looker.clear()
    return looker


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that saves a teaching page, once for each set of arguments."""
    folder = tmp_path_factory.mktemp("saved")

    @cache
    def save(**asked: Any) -> Path:
        return TeachingPage(**asked).save(folder / f"{save.cache_info().misses}.html")

    return save


@pytest.fixture
def opened(look: Looker, saved: Callable[..., Path]) -> Callable[..., Looker]:
    """Return a function that opens a saved teaching page at an address (``at``, such as "#step=2") and a width."""

    def open_page(at: str = "", *, width: int = 1280, **asked: Any) -> Looker:
        look.resize(width)
        return look.open(saved(**asked).as_uri() + at)

    return open_page


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Return a function that prints a line at the end of the run, such as a time while another browser is busy, too."""
    return lambda line: record_property("measured", line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.getreports("passed"):  # from every process
        for name, line in report.user_properties:
            if name == "measured":
                terminalreporter.write_line(str(line))
