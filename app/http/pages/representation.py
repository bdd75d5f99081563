"""A page as JSON, or as HTML for who prefers it."""

from fastapi import Request, Response

from app.http.freshness import fresh
from app.http.negotiation import JSON, answer_type
from app.http.pages.html import HTML, HTML_HEADERS, Page, html_of
from app.http.pages.site import Site
from app.settings import Settings

VARY = {"vary": "Accept"}


def likes_html(request: Request, *others: str) -> bool:
    """Whether the caller likes HTML better than the other media types; NotAcceptable if it likes none."""
    accept = ",".join(request.headers.getlist("accept"))
    return answer_type(accept, (*others, "text/html")) == "text/html"


def represent(page: Page, request: Request, settings: Settings, opset: int | None = None) -> Response:
    """The page as the caller likes it best; NotAcceptable if it likes neither form. `opset`: as of `html_of`."""
    if likes_html(request, JSON):
        return fresh(request, html_of(page, Site.of(request, settings), opset), HTML, HTML_HEADERS | VARY)
    return fresh(request, page.model_dump_json(), JSON, VARY)
