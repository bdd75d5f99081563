"""Pages as HTML: one template each; a stylesheet and a little script beside them, nothing from elsewhere.

Links are relative, so that they hold under whatever prefix a proxy strips.
"""

from functools import cache
from json import dumps
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.http.examples import examples
from app.http.home import Home, home
from app.http.pages import Differences, OperatorPage, OperatorsIndex, operator_page, operators_index
from app.http.snippets import SNIPPETS, filled
from app.spec.operators import resolve, versions_of

TEMPLATES = Path(__file__).parent / "templates"

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What these pages need of a browser: their own files, and to call the service."""

_templates = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


@cache
def render_html(page: OperatorPage | OperatorsIndex) -> str:
    """The page for a reader."""
    if isinstance(page, OperatorsIndex):
        return _templates.get_template("operators.html").render(page=page)
    example = examples(resolve(page.path.rpartition("/")[2], page.since_version))["values"]
    body = dumps(example.request)
    calls = {
        language: (template, filled(template, f"http://127.0.0.1:8000{page.path}", body))
        for language, template in SNIPPETS.items()
    }
    history = [operator_page(row) for row in versions_of(page.name)]
    return _templates.get_template("operator.html").render(
        page=page,
        values=dumps(example.request["data"]["values"]),
        answer=dumps(example.answer),
        calls=calls,
        flags=[attribute for attribute in page.attributes if attribute.name not in ("axes", "axis")],
        history=[(each, changed(each.differences)) for each in history],
    )


def render_home() -> str:
    """The first page."""
    return _templates.get_template("home.html").render(page=operators_index(), home=home())


def render_docs() -> str:
    """Every operation, with a form to try it."""
    return _templates.get_template("docs.html").render()


def changed(found: Differences | None) -> list[str]:
    """What a version brought, in a few words each."""
    if found is None:
        return ["the first"]
    words = [f"+ {', '.join(found.dtypes_added)}"] if found.dtypes_added else []
    words += [f"− {', '.join(found.dtypes_removed)}"] if found.dtypes_removed else []
    words += [f"+ {name}" for name in found.parameters_added]
    words += [f"− {name}" for name in found.parameters_removed]
    words += [f"{each.parameter}: {each.fact} {each.old} → {each.new}" for each in found.parameters_changed]
    words += ["tensors without elements"] if found.rules_changed else []
    return words or ["the same, described anew"]


Page = OperatorPage | OperatorsIndex | Home
"""What is shown as JSON or as HTML."""


def html_of(page: Page) -> str:
    """Any page for a reader."""
    return render_home() if isinstance(page, Home) else render_html(page)
