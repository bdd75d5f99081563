"""Pages as HTML: one template each; a stylesheet and a little script beside them, nothing from elsewhere.

Links are relative, so that they hold under whatever prefix a proxy strips.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from json import dumps
from operator import attrgetter
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from app.http.pages.examples import SAMPLES, Example, examples
from app.http.pages.home import Home
from app.http.pages.matrix import matrix
from app.http.pages.operator import OperatorPage, OperatorsIndex, operator_page, operators_index
from app.http.pages.problem_pages import ProblemPage, ProblemsIndex
from app.http.pages.site import Site
from app.http.pages.snippets import file_call, filled, snippets
from app.spec.dtypes import ONNX_NAMES
from app.spec.history import changes
from app.spec.operators import Operator, resolve, versions_of

TEMPLATES = Path(__file__).parent / "templates"

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What these pages need of a browser: their own files, and to call the service."""

HTML = "text/html; charset=utf-8"
HTML_HEADERS = {"content-security-policy": CONTENT_SECURITY_POLICY}
"""What every page is sent with."""

Page = OperatorPage | OperatorsIndex | Home | ProblemPage | ProblemsIndex
"""What is shown as JSON or as HTML."""

DEEPEST = 8
"""Folders of an address that nothing answers, from which links still lead back: pages are not made of slashes."""

_CODE = re.compile("`([^`]+)`")

_templates = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def with_code(text: str) -> Markup:
    """Text for a page; what stands between backticks is code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def runs(items: Iterable[Any], attribute: str) -> list[tuple[object, list[Any]]]:
    """Neighbours of one name, in the order that they come in; Jinja's own grouping sorts them."""
    return [(name, list(found)) for name, found in groupby(items, attrgetter(attribute))]


_templates.filters |= {"with_code": with_code, "runs": runs}


def html_of(page: Page, site: Site, opset: int | None = None) -> str:
    """Any page for a reader; `opset`: the one that was asked for, if another number than the version's."""
    match page:
        case OperatorPage():
            return _operator(page, site, opset)
        case OperatorsIndex():
            return _render("operators.html", page=page, dtypes=tuple(ONNX_NAMES), matrix=matrix())
        case Home():
            return _home(page, site)
        case ProblemPage():
            return _render("problem.html", page=page)
        case ProblemsIndex():
            return _render("problems.html", page=page)


def refusal_html(refusal: Mapping[str, object], path: str) -> str:
    """A problem document that answers at a path, for a reader."""
    depth = path.count("/") - 1
    root = "/".join([".."] * depth) if 0 < depth <= DEEPEST else "."
    return _render("refusal.html", refusal=refusal, root=root)


def render_docs() -> str:
    """Every operation, with a form to try it."""
    return _render("docs.html")


def _home(home: Home, site: Site) -> str:
    shown = resolve("reduce_min", 12)
    example = examples(shown)["values"]
    url = site.url + shown.path
    return _render(
        "home.html",
        page=operators_index(),
        home=home,
        path=shown.path,
        call=filled(snippets(site.keys)["curl"], url, _body(example)),
        answer=dumps(example.answer),
        rows=dumps(example.request["data"]["values"]),
        file_call=filled(file_call(site.keys), url),
    )


def _body(example: Example) -> str:
    """A request without the shape, which its lists tell."""
    data = {name: value for name, value in example.request["data"].items() if name != "shape"}
    return dumps(example.request | {"data": data})


def _operator(page: OperatorPage, site: Site, opset: int | None) -> str:
    example = examples(resolve(page.path.rpartition("/")[2], page.since_version))["values"]
    calls = {
        language: (template, filled(template, site.url + page.path, _body(example)))
        for language, template in snippets(site.keys).items()
    }
    return _render(
        "operator.html",
        page=page,
        opset=opset,
        values=dumps(example.request["data"]["values"]),
        answer=dumps(example.answer),
        remark=SAMPLES[page.name].remark,
        calls=calls,
        keys=site.keys,
        flags=[attribute for attribute in page.attributes if attribute.name not in ("axes", "axis")],
        history=[(operator_page(row), brought(row)) for row in versions_of(page.name)],
    )


def _render(template: str, **named: object) -> str:
    return _templates.get_template(template).render(named)


def brought(operator: Operator) -> list[str]:
    """What a version brought, in a few words each."""
    rules = [] if (change := changes(operator)) is None else change.rules_changed
    found = operator_page(operator).differences
    if found is None:
        return ["the first"]
    words = [f"+ {', '.join(found.dtypes_added)}"] if found.dtypes_added else []
    words += [f"− {', '.join(found.dtypes_removed)}"] if found.dtypes_removed else []
    words += [f"+ {name}" for name in found.parameters_added]
    words += [f"− {name}" for name in found.parameters_removed]
    words += [f"{each.parameter}: {each.fact} {each.old} → {each.new}" for each in found.parameters_changed]
    words += [f"{'−' if rule.narrows else '+'} {rule.about}" for rule in rules]
    return words
