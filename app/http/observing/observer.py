"""Who sees every request: the counts, the log, and the traces where there are some."""

from time import time_ns
from typing import Any

from app.http.budget.account import Account
from app.http.budget.phases import DECODE, PHASES, in_seconds
from app.http.fields import Fields
from app.http.observing.journal import Journal
from app.http.observing.metrics import DISCONNECTED, TIME_UP, Metrics, slot
from app.http.observing.request_id import HEADER, request_id
from app.http.observing.traceparent import HEADER as TRACEPARENT
from app.http.observing.traceparent import parent_of
from app.http.observing.tracing import Tracer
from app.http.reply import RawHeaders, Reply
from app.spec.operators import Operator

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"))
"""Those that are logged by name."""

OTHER = "_OTHER"
"""The name of all others, as OpenTelemetry has it."""

LONGEST = 256
"""Characters of a path in the log: nothing that a caller sends is logged whole."""


class Observer:
    """What sees the requests of one application."""

    def __init__(self, metrics: Metrics, journal: Journal | None, tracer: Tracer | None) -> None:
        """`journal`: None if requests are not to be logged; `tracer`: None if there are no spans of them."""
        self.metrics = metrics
        self.listens = journal is not None or tracer is not None
        """Whether anybody is to be told of them."""
        self._journal = journal
        self._tracer = tracer

    def saw(self, method: str, path: str, status: int, nanoseconds: int, reason: str, fields: Fields) -> RawHeaders:
        """Log and count a request that is no reduction, or was refused before it became one; the tracing headers of its
        answer."""
        identity = request_id(fields.get(HEADER))
        if reason:
            self.metrics.add(slot("keepdims_refusals", reason))
        self.tell(
            {
                "time": "",
                "event": "request",
                "request_id": identity.decode(),
                "method": method if method in METHODS else OTHER,
                "path": path[:LONGEST],
                "status": status,
                "seconds": nanoseconds / 1e9,
                **({"reason": reason} if reason else {}),
            },
            fields,
            nanoseconds,
        )
        return (HEADER, identity), (b"server-timing", b"total;dur=%.3f" % (nanoseconds / 1e6))

    def tell(self, entry: dict[str, Any], fields: Fields, nanoseconds: int) -> None:
        """The log of a request, and its span."""
        given = fields.get(TRACEPARENT)
        if given is not None or self._tracer is not None:
            parent = parent_of(given)
            if parent is not None:
                entry |= {"trace_id": parent.trace_id, "parent_id": parent.span_id}
            if self._tracer is not None:
                entry |= self._tracer.span(parent, time_ns() - nanoseconds, entry)
        if self._journal is not None:
            self._journal.write(entry)

    def close(self) -> None:
        """Write and send what is left."""
        if self._journal is not None:
            self._journal.close()
        if self._tracer is not None:
            self._tracer.close()


class Tally:
    """What is told of the requests on one path, with what does not change looked up once."""

    def __init__(self, observer: Observer, operator: Operator, path: str) -> None:
        self.path = path
        self._observer = observer
        self._metrics = observer.metrics
        self._row = operator.name, str(operator.version)
        self._entry: dict[str, Any] = {
            "time": "",
            "event": "request",
            "method": "POST",
            "path": path,
            "operator": operator.name,
            "version": operator.version,
        }
        self._seconds = slot("keepdims_request_seconds", *self._row)
        self._slots: dict[tuple[str, str, int], tuple[int, int, int]] = {}

    def answered(self, fields: Fields, given: str, reply: Reply, account: Account, read: int) -> RawHeaders:
        """Log and count an answered request, whose body is in the format `given` and had `read` bytes; the tracing
        headers of its answer."""
        if reply.reason:
            account.lap(DECODE)  # it went that far, at the least
            self._metrics.add(slot("keepdims_refusals", reply.reason))
            if reply.reason == TIME_UP:
                self._metrics.add(slot("keepdims_abandoned", TIME_UP))
        spent = account.spent.copy()  # a thread goes on for a moment when the time of its request is up
        nanoseconds = sum(spent)
        self._count(given, reply, spent, nanoseconds, read)
        identity = request_id(fields.get(HEADER))
        if self._observer.listens:
            entry = {
                **self._entry,
                "request_id": identity.decode(),
                "status": reply.status,
                "seconds": nanoseconds / 1e9,
                "format": given,
                "dtype": reply.dtype,
                "elements": reply.elements,
                "read": read,
                "sent": len(reply.body),
                "phases": in_seconds(spent),
            }
            if reply.reason:
                entry["reason"] = reply.reason
            self._observer.tell(entry, fields, nanoseconds)
        return (HEADER, identity), (b"server-timing", account.server_timing())

    def left(self, fields: Fields, given: str, account: Account, read: int) -> None:
        """Log and count a request whose client left before it was answered."""
        self._metrics.add(slot("keepdims_abandoned", DISCONNECTED))
        if self._observer.listens:
            spent = account.spent.copy()
            identity, nanoseconds = request_id(fields.get(HEADER)).decode(), sum(spent)
            entry = {**self._entry, "request_id": identity, "reason": DISCONNECTED, "seconds": nanoseconds / 1e9}
            entry |= {"format": given, "read": read, "phases": in_seconds(spent)}
            self._observer.tell(entry, fields, nanoseconds)

    def _count(self, given: str, reply: Reply, spent: list[int], nanoseconds: int, read: int) -> None:
        metrics = self._metrics
        numbers = metrics.numbers  # touched here, as a call for each costs a small request dearly
        key = given, reply.dtype, reply.status
        requests, elements, size = self._slots.get(key) or self._find(key)
        numbers[requests] += 1
        if reply.elements:
            numbers[elements] += reply.elements
        numbers[size] += read
        metrics.observe(self._seconds, nanoseconds)
        for phase, each in zip(_PHASES, spent):  # noqa: B905 five of each
            if each:
                metrics.observe(phase, each)

    def _find(self, key: tuple[str, str, int]) -> tuple[int, int, int]:
        given, dtype, status = key
        found = self._slots[key] = (
            slot("keepdims_requests", *self._row, given, dtype, str(status)),
            slot("keepdims_elements", self._row[0], dtype),
            slot("keepdims_read_bytes", given),
        )
        return found


_PHASES = tuple(slot("keepdims_phase_seconds", phase) for phase in PHASES)
