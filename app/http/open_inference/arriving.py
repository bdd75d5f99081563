"""Bodies that come in pieces: JSON first, and behind it raw tensors, the last of which is reduced as it comes."""

from collections.abc import Sequence

from app.errors import BodyTooLarge
from app.http.budget.room import TEXT
from app.http.open_inference.inference import Inference
from app.http.reductions.intake import Flowing
from app.http.reply import Reply
from app.settings import Limit


class Arriving:
    """One body on its way. It is held as a whole unless its last tensor is `data`: other inputs must be known first."""

    def __init__(self, inference: Inference, length: int | None, declared: int | None, limit: Limit) -> None:
        """`length`: the bytes of its JSON, None for all of it; `declared`: of all of it, if that is known; `limit`: the
        most that may be held."""
        self._inference = inference
        self._length = length
        self._declared = declared
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self._known = length is None
        self._flowing: Flowing | None = None

    @property
    def begun(self) -> bool:
        return self._flowing.begun if self._flowing else self._known

    def absorb(self, pieces: Sequence[bytes]) -> bool:
        if self._flowing:
            return self._flowing.absorb(pieces)
        self._pieces += pieces
        size = sum(map(len, pieces))
        self._inference.account.take(TEXT * size)
        self._size += size
        if not self._known and self._length is not None and self._size >= self._length:
            self._known = True
            self._begin(self._length)
        if not self._flowing and self._size > self._limit.size:
            wanted = "have data as its last binary input"
            if self._length == 0:  # how many elements there are is not known before the end
                wanted = "say its length, in Content-Length and without Content-Encoding"
            raise BodyTooLarge(f"{self._limit.exceeded_by('the body')}; a larger one must {wanted}")
        return False

    def finish(self) -> Reply:
        if self._flowing:
            return self._flowing.finish()
        content = b"".join(self._pieces)
        self._pieces.clear()
        self._inference.take(content, self._length)
        return self._inference.answer()

    def _begin(self, length: int) -> None:
        """Look at the JSON, and begin with the elements if they are what is left of the body."""
        content = b"".join(self._pieces)
        if length:
            asked = self._inference.read(content[:length])
        elif self._declared is not None:
            asked = self._inference.read_raw(self._declared)
        else:
            return
        if asked.data.binary is None or (asked.axes and asked.axes.binary and not asked.axes_first):
            return
        self._inference.offset = length + asked.binary_size - asked.data.binary
        self._pieces = []
        self._flowing = Flowing(self._inference, self._declared, self._inference.account)
        self._flowing.hold(content)
