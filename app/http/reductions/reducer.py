"""One operator version: from what a request asks for to its answer. Knows no network and no event loop."""

from collections.abc import Mapping
from itertools import accumulate
from math import prod
from operator import mul

from app.blocks import Header, Tensor
from app.errors import BodyTooLarge, InvalidShape, MalformedBody
from app.evaluate import FEW_ELEMENTS, Evaluation, Plan, plan
from app.http.budget.account import Account
from app.http.budget.phases import COMPUTE, DECODE, ENCODE
from app.http.budget.room import outputs_size
from app.http.reductions.resources import Resources
from app.http.reply import RawHeaders, Reply
from app.spec.arguments import parse_parameters
from app.spec.operators import Operator
from app.tensors.formats import FORMATS, STREAMED
from app.tensors.request import AnswerOptions, Preamble, Request

DEEP = 8
"""Up to this rank the lists of an answer are few beside its elements."""

WIDEST = 1 << 60
"""NumPy counts the bytes of an array in 64 bits, dimensions of size 0 left out: with as many elements of eight bytes
there would be none, empty or not."""

PLANS, LONGEST = 256, 256
"""Plans that are remembered on a path, and the length of parameters that are."""


class Reducer:
    """What answers on one path. Everything that does not depend on the request is made here once."""

    def __init__(self, operator: Operator, location: str | None, resources: Resources) -> None:
        """`location`: the canonical path, where that is another than this one."""
        self.operator = operator
        self._settings = resources.settings
        self._threads = resources.threads
        self._plans: dict[tuple[str, tuple[int, ...], bool, str], Plan] = {}
        located: RawHeaders = ((b"content-location", location.encode()),) if location else ()
        self._headers = {kind: ((b"content-type", kind.encode()), *located) for kind in FORMATS}

    def answer(self, request: Request, wanted: str, account: Account) -> Reply:
        """The answer, in the media type `wanted`, to a request that is there as a whole and has been read."""
        account.lap(DECODE)
        tensor = self.reduced(request, wanted, is_nested(wanted, request.answer), account)
        reply = self.reply(tensor, wanted, request.answer, request.header)
        account.lap(ENCODE)
        return reply

    def reduced(self, request: Request, wanted: str, nested: bool, account: Account) -> Tensor:
        """The tensor that is to be answered in the media type `wanted`; `nested`: as lists of lists."""
        header, size = request.header, request.header.size
        plan = self._plan(header, request.parameters)
        if size == 0 or len(header.shape) > DEEP:
            self._check_answer_size(plan.reduced, wanted, nested, account)
        elif size > FEW_ELEMENTS:
            account.take(outputs_size(plan.reduced, wanted))
        tensor = plan.reduce(request.blocks, self._threads.whole, account.check)
        account.lap(COMPUTE)
        return tensor

    def begin(
        self, preamble: Preamble, declared: int | None, wanted: str, nested: bool, account: Account
    ) -> Evaluation:
        """What takes in the elements behind a preamble. `declared`: the bytes of the whole body, if that is known;
        `wanted` and `nested` are as for `reduced`.

        Whatever can be refused before the elements come is refused here.
        """
        header = preamble.header
        evaluation = Evaluation(self._plan(header, preamble.parameters), self._threads.streamed, account.check)
        self._check_answer_size(evaluation.reduced, wanted, nested, account)
        size = preamble.offset + header.size * header.numpy_dtype.itemsize
        if size > self._settings.max_stream_bytes:
            raise BodyTooLarge(f"the body would have {size} bytes; the limit is {self._settings.stream_limit}")
        if declared is not None and declared != size:
            raise MalformedBody(f"the body must have {size} bytes for its dtype and shape, but has {declared}")
        return evaluation

    def check_state_size(self, held: int) -> None:
        """Refuse a state larger than the limit: it may take several times the size of the outputs."""
        if held > self._settings.max_body_bytes:
            limit = self._settings.body_limit
            raise InvalidShape(f"the outputs in progress take {held} bytes; the limit is {limit}", "/data/shape")

    def reply(self, tensor: Tensor, wanted: str, answer: AnswerOptions, header: Header) -> Reply:
        """A reduced tensor in the media type `wanted`; `header` is that of the one it was made from."""
        body = FORMATS[wanted].encode(tensor, answer)
        headers = self._headers[wanted]
        if wanted in STREAMED:
            fields = STREAMED[wanted].fields(tensor.header)
            headers = (*headers, *((name.encode(), value.encode()) for name, value in fields.items()))
        return Reply(200, body, headers, header.dtype, header.size)

    def _plan(self, header: Header, parameters: Mapping[str, object]) -> Plan:
        """The plan for a header and parameters as they were given, remembered: the same ones come again and again."""
        given = repr(parameters)  # tells 1, 1.0 and True apart, which are one key to a dict
        if len(given) > LONGEST or len(header.shape) > DEEP:
            return plan(self.operator, parse_parameters(self.operator, parameters), header)
        key = header.dtype, header.shape, header.fortran, given
        found = self._plans.get(key)
        if found is None:
            found = plan(self.operator, parse_parameters(self.operator, parameters), header)
            if len(self._plans) >= PLANS:
                self._plans.clear()
            self._plans[key] = found
        return found

    def _check_answer_size(self, answer: Header, wanted: str, nested: bool, account: Account) -> None:
        """An answer may be far larger than its request: of an empty tensor, or of lists within lists of one; and what
        streams in may be reduced to as much. It gets what a buffered body could have brought: of JSON eight bytes an
        element and two a list. Lists are written without elements too, where the dimension that is 0 comes after
        theirs.
        """
        said = f"the answer, of shape {list(answer.shape)}"
        if 0 in answer.shape and prod(filter(None, answer.shape)) >= WIDEST:
            rule = f"the product of the dimensions beside 0 may be {WIDEST - 1} at most"
            raise InvalidShape(f"{said}, cannot be made: {rule}", "/data/shape")
        size = answer.size * (answer.numpy_dtype.itemsize if wanted in STREAMED else 8)
        if nested:
            size += 2 * sum(accumulate(answer.shape[:-1], mul, initial=1))
        if size > self._settings.max_body_bytes:
            limit = self._settings.body_limit
            raise InvalidShape(f"{said}, would have about {size} bytes; the limit is {limit}", "/data/shape")
        account.take(max(size, outputs_size(answer, wanted)))


def is_nested(wanted: str, answer: AnswerOptions) -> bool:
    """Whether an answer in the media type `wanted` has its elements in lists of lists."""
    return wanted not in STREAMED and answer.encoding == "values"
