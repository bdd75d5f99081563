"""A request in a format that streams, on one operator path."""

from app.blocks import Tensor
from app.errors import Refusal
from app.evaluate import Evaluation
from app.http.budget.account import Account
from app.http.reductions.reducer import Reducer, is_nested
from app.http.reply import Reply
from app.tensors.formats import Streamed
from app.tensors.request import Preamble

DATA = "/data"
"""Where dtype and shape stand in JSON, and what the place of a refusal that is about them begins with."""


class StreamedRequest:
    """What `Flowing` asks. `query`: where the parameters stand; `wanted`: the media type of the answer."""

    def __init__(self, reducer: Reducer, given: Streamed, query: str, wanted: str, account: Account) -> None:
        self._reducer = reducer
        self._given = given
        self._query = query
        self._wanted = wanted
        self._account = account
        self._preamble: Preamble | None = None

    def preamble(self, start: bytes) -> Preamble | None:
        self._preamble = self._given.preamble(start, self._query)
        return self._preamble

    def begin(self, preamble: Preamble, declared: int | None) -> Evaluation:
        try:
            nested = is_nested(self._wanted, preamble.answer)
            return self._reducer.begin(preamble, declared, self._wanted, nested, self._account)
        except Refusal as refusal:
            if refusal.place.startswith(DATA):
                refusal.place = preamble.header_place + refusal.place.removeprefix(DATA)
            raise

    def check_state_size(self, held: int) -> None:
        self._reducer.check_state_size(held)

    def reply(self, tensor: Tensor) -> Reply:
        assert self._preamble is not None
        return self._reducer.reply(tensor, self._wanted, self._preamble.answer, self._preamble.header)
