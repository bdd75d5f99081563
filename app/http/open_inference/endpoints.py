"""Every path of the protocol but infer, which `Dispatch` finds by itself."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

import orjson
from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import InvalidParameter, UnknownOperator, UnknownVersion
from app.http.budget.account import Account
from app.http.fields import Fields, by_name
from app.http.negotiation import content_encoding
from app.http.open_inference import models
from app.http.open_inference.asking import check_index, name_of, registered
from app.http.open_inference.counters import Counters
from app.http.open_inference.errors import JSON_TYPE, problem
from app.http.open_inference.infer import VOICE, Infer
from app.http.open_inference.models import MODELS
from app.http.open_inference.regions import UNSHARED, Regions
from app.http.paths import DOCUMENT, READ
from app.http.problems import METHOD_NOT_ALLOWED, NOT_FOUND, STOPPING
from app.http.readiness import STOPS, Readiness
from app.http.reductions.body import Body, Disconnected, TooSlow
from app.http.reductions.exchange import send_reply
from app.http.reductions.resources import Resources
from app.http.reply import REASON, Reply
from app.names import asking, listed, nearest, shown
from app.settings import Limit
from app.spec.operators import SERVING, Operator, meant_operator, operator_path

WRITE = ["POST"]

OPSET_2 = frozenset(operator_path(2, name) for name in (*SERVING, DOCUMENT))
"""These are ours. All else under /v2, and /v2 itself, is the protocol's: clients ask for what other servers have."""

LONGEST_BODY = 1 << 16
"""Bytes of a body that is read here: where there is none to read, a tensor is as good as any."""

_MODEL = re.compile(r"/v2/models/([^/]+)(?:/versions/([^/]+))?(?:/(?:infer|ready|config|stats))?")
_REGION = re.compile(rb"/v2/systemsharedmemory/region/(.+)/(status|register|unregister)/?")
"""Of a path as it was sent: a name may have slashes in it, plain or encoded."""

Read = Callable[[], Reply]


def infers(resources: Resources, counters: Counters, regions: Regions | None) -> dict[str, Infer]:
    """What answers POST …/infer, by path."""
    answering: dict[str, Infer] = {}
    for operator, paths in _models():
        infer = Infer(operator, resources, counters, regions)
        for path in paths:
            answering |= {f"{path}/infer": infer, f"{path}/infer/": infer}
    return answering


def _models() -> Iterator[tuple[Operator, list[str]]]:
    """Every model version and its paths; the newest is also meant where no version is named."""
    for name, rows in MODELS.items():
        for row in rows:
            paths = [f"/v2/models/{name}/versions/{row.version}"]
            yield row, paths if row is not rows[-1] else [*paths, f"/v2/models/{name}"]


class OpenInference:
    """The protocol's paths in front of another application, which has all others."""

    def __init__(
        self,
        app: ASGIApp,
        resources: Resources,
        counters: Counters,
        regions: Regions | None,
        readiness: Readiness,
    ) -> None:
        self._app = app
        self._resources = resources
        self._counters = counters
        self._regions = regions
        self._reads: dict[str, Read] = {
            "/v2": _fixed(models.server(regions is not None)),
            "/v2/health/live": _fixed({"live": True}),
            "/v2/health/ready": lambda: problem(STOPPING, STOPS) if readiness.stopping else _json({"ready": True}),
            "/v2/models/stats": partial(self._statistics, *chain.from_iterable(MODELS.values())),
            "/v2/systemsharedmemory/status": self._regions_known,
        }
        self._writes: dict[str, Callable[[bytes], Reply]] = {
            "/v2/repository/index": _indexed,
            "/v2/systemsharedmemory/unregister": lambda _: self._unregister(),
        }
        for operator, paths in _models():
            for path in paths:
                self._reads |= self._of_model(operator, path)
        for name, rows in MODELS.items():  # without a version these are of all versions
            self._reads[f"/v2/models/{name}/stats"] = partial(self._statistics, *rows)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_ours(path := scope["path"].removesuffix("/")):
            await self._app(scope, receive, send)
            return
        resources = self._resources
        account = Account(resources.room)
        fields = by_name(scope["headers"])
        body = Body(receive, fields, resources.patience, account)
        try:
            reply = await self._reply(scope["method"], path, scope.get("raw_path") or path.encode(), fields, body)
        except Disconnected:
            return
        finally:
            account.give_back()
        scope[REASON] = reply.reason
        await send_reply(reply, (), body, send)

    async def _reply(self, method: str, path: str, sent: bytes, fields: Fields, body: Body) -> Reply:
        try:
            if read := self._reads.get(path):
                return read() if method in READ else _not_allowed(method, READ)
            if write := self._writes.get(path):
                return write(await _content(fields, body)) if method in WRITE else _not_allowed(method, WRITE)
            if region := _REGION.fullmatch(sent):
                methods = READ if region[2] == b"status" else WRITE
                if method not in methods:
                    return _not_allowed(method, methods)
                content = await _content(fields, body) if region[2] == b"register" else b""
                return self._region(name_of(region[1]), region[2], content)
            return self._nothing_there(method, path)
        except Disconnected:
            raise
        except Exception as error:  # noqa: BLE001 each becomes an answer
            body.ended |= isinstance(error, TooSlow)  # nothing more is waited for
            return VOICE.failed(error, shown(path))

    def _of_model(self, operator: Operator, path: str) -> dict[str, Read]:
        return {
            path: _fixed(models.metadata(operator)),
            f"{path}/ready": _fixed({"name": operator.path_name, "ready": True}),
            f"{path}/config": _fixed(models.config(operator)),
            f"{path}/stats": partial(self._statistics, operator),
        }

    def _statistics(self, *operators: Operator) -> Reply:
        counted = self._counters.read()
        return _json({"model_stats": [models.statistics(row, counted[row]) for row in operators]})

    def _region(self, name: str, what: bytes, content: bytes) -> Reply:
        if what == b"status":
            return self._regions_known(name)
        if what == b"unregister":
            return self._unregister(name)
        self._shared_memory().register(registered(name, content))
        return _json({})

    def _regions_known(self, name: str | None = None) -> Reply:
        regions = self._shared_memory()
        found = [region._asdict() for region in regions.all() if name in (None, region.name)]
        if not found and name is not None:
            return problem(NOT_FOUND, f"no region is registered as {shown(name)}")
        return _json(found)

    def _unregister(self, name: str | None = None) -> Reply:
        regions = self._shared_memory()
        if name is None:
            regions.unregister_all()
        else:
            regions.unregister(name)
        return _json({})

    def _shared_memory(self) -> Regions:
        if self._regions is None:
            raise InvalidParameter(UNSHARED)
        return self._regions

    def _nothing_there(self, method: str, path: str) -> Reply:
        """A 404 that says what exists, or a 405."""
        if found := _MODEL.fullmatch(path):
            name, version = found[1], found[2]
            if name not in MODELS:
                none = f"there is no model {shown(name)}{asking(meant_operator(name))}"
                raise UnknownOperator(f"{none}; there are {', '.join(MODELS)}")
            if version is not None and version not in (known := [str(row.version) for row in MODELS[name]]):
                raise UnknownVersion(f"{name} has no version {shown(version)}; it has {', '.join(known)}")
            if path.endswith("/infer"):
                return _not_allowed(method, WRITE)
        none = f"there is nothing at {shown(path)}{nearest(path, OPSET_2)}"
        return problem(NOT_FOUND, f"{none}; the models are {', '.join(MODELS)}")


def is_ours(path: str) -> bool:
    """Whether a path, without a slash at its end, is the protocol's."""
    return path == "/v2" or (path.startswith("/v2/") and path not in OPSET_2)


async def _content(fields: Fields, body: Body) -> bytes:
    """A small body, in no encoding."""
    content_encoding(fields.get(b"content-encoding", b"").decode("latin-1"), ("identity",))
    body.admit(Limit(LONGEST_BODY))
    return await body.read()


def _indexed(content: bytes) -> Reply:
    """The index of models, all of which are ready."""
    check_index(content)
    return _json(models.index())


def _fixed(content: object) -> Read:
    """Always the same answer, written once."""
    reply = _json(content)
    return lambda: reply


def _json(content: object) -> Reply:
    return Reply(200, orjson.dumps(content), (JSON_TYPE,))


def _not_allowed(method: str, methods: list[str]) -> Reply:
    said = f"{method[:20]} is not allowed here; use {listed(methods)}"
    return problem(METHOD_NOT_ALLOWED, said, ((b"allow", ", ".join(methods).encode()),))
