"""One lookup in front of the framework."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.http.reply import NOSNIFF


class Dispatch:
    """The whole service as one ASGI application.

    The framework tries its routes one after another, and wraps each request in layers that a reduction does not
    need. Here a POST finds its path at once, the same for the first operator and the last; all else goes on to the
    framework.
    """

    def __init__(self, app: ASGIApp, posts: Mapping[str, ASGIApp]) -> None:
        self.app = app
        self._posts = posts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        if scope["method"] == "POST" and (post := self._posts.get(scope["path"])):
            return await post(scope, receive, send)

        async def send_nosniff(message: Message) -> None:
            if message["type"] == "http.response.start" and NOSNIFF not in message["headers"]:
                message["headers"].append(NOSNIFF)
            await send(message)

        return await self.app(scope, receive, send_nosniff)
