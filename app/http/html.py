"""Pages as HTML: one template each, one stylesheet, no script, nothing from elsewhere."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from json import dumps
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.http.examples import examples
from app.http.pages import OperatorPage, OperatorsIndex
from app.spec.operators import resolve

TEMPLATES = Path(__file__).parent / "templates"
STYLE = (TEMPLATES / "style.css").read_text(encoding="utf-8")

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; img-src data:; "
    f"style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What these pages need of a browser: their own stylesheet, which stands in them."""

_templates = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


@cache
def render_html(page: OperatorPage | OperatorsIndex) -> str:
    """The page for a reader."""
    if isinstance(page, OperatorsIndex):
        return _templates.get_template("operators.html").render(page=page, style=Markup(STYLE))
    example = examples(resolve(page.path.rpartition("/")[2], page.since_version))["values"]
    shown = {"request": dumps(example.request), "answer": dumps(example.answer)}
    return _templates.get_template("operator.html").render(page=page, style=Markup(STYLE), **shown)
