from pathlib import Path

import rocpredict

project = "rocpredict"
author = "The rocpredict developers"
copyright = f"2026, {author}"  # noqa: A001  (Sphinx names it so)
release = rocpredict.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax"]
templates_path = ["templates"]
exclude_patterns = ["static", "templates"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 2
autodoc_typehints = "none"  # numpydoc's Parameters say it with shape and unit
numpydoc_show_class_members = False  # autodoc lists them

html_theme = "furo"
html_title = "rocpredict"
html_static_path = ["static"]
html_extra_path = ["generated/live"]  # the teaching page, in the folder teach
html_css_files = ["style.css"]

rocpredict.TeachingPage().save_site(Path(__file__).parent / "generated" / "live" / "teach", glossary="../glossary.html")
