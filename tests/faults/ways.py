"""A service in this process, and every way to it."""

import asyncio
from collections.abc import Iterator
from random import Random

from app.http.connection.protocol import dispatch_of
from app.http.fields import by_name
from tests.faults.answers import Answer
from tests.faults.bodies import Sent
from tests.http.service import Client, Service


class Ways:
    """A service, and every way to it."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._service = Service()

    def close(self) -> None:
        self._runner.close()

    def all(self, sent: Sent, random: Random) -> Iterator[tuple[str, Answer]]:
        """What is answered to a request that comes at once, whole, and in pieces."""
        fields = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent.fields.items()]
        length = (b"content-length", b"%d" % len(sent.content))
        post = dispatch_of(self._service.app).at_once[sent.path.encode()]
        if len(sent.content) <= post.most_at_once:
            found = post.at_once(by_name([*fields, length]), sent.query.encode("latin-1"), sent.content)
            if found is not None:
                reply, said = found
                yield "at once", Answer(reply.status, _named(reply.raw_headers(*said)), reply.body)
        yield "whole", self._answer(sent, [sent.content], [*fields, length])
        yield "in pieces", self._answer(sent, _pieces(sent.content, random), [*fields, length])
        chunked = (b"transfer-encoding", b"chunked")
        yield "in chunks", self._answer(sent, _pieces(sent.content, random), [*fields, chunked])

    def _answer(self, sent: Sent, pieces: list[bytes], fields: list[tuple[bytes, bytes]]) -> Answer:
        client = Client(*pieces, headers=fields, url=f"{sent.path}?")
        client.scope["query_string"] = sent.query.encode("latin-1")
        self._runner.run(client.ask(self._service))
        start, *bodies = client.sent
        body = b"".join(message.get("body", b"") for message in bodies)
        return Answer(start["status"], _named(start["headers"]), body)


def _named(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in headers}


def _pieces(content: bytes, random: Random) -> list[bytes]:
    most = random.choice((1, 2, 7, 40, 1000)) if len(content) < 400 else random.choice((60, 1000))
    pieces = []
    while content:
        size = random.randint(0, most)
        pieces.append(content[:size])
        content = content[size:]
    return pieces or [b""]
