"""The clients hand on a key as their document has them do."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.clients import ENVIRONMENT
from tests.clients.test_calls import run
from tests.conftest import serving

KEY = "a-key-of-the-tests"

ATTRS = """
import sys
from keepdims_client import AuthenticatedClient, Client
from keepdims_client.api.reduce_min import reduce_min_v12
from keepdims_client.models import ReduceMinV12Request, ReduceMinV12Values
body = ReduceMinV12Request(ReduceMinV12Values(dtype="int8", values=[3, 1, 2]))
for client in Client(base_url=sys.argv[1]), AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2]):
    print(int(reduce_min_v12.sync_detailed(client=client, body=body).status_code))
"""

PYDANTIC = """
import sys
from keepdims_pydantic import ApiClient, Configuration, ReduceMinApi, ReduceMinV12Request
from keepdims_pydantic.exceptions import UnauthorizedException
body = ReduceMinV12Request.from_dict({"data": {"dtype": "int8", "values": [3, 1, 2]}})
for key in None, sys.argv[2]:
    with ApiClient(Configuration(host=sys.argv[1], access_token=key)) as client:
        try:
            print(ReduceMinApi(client).reduce_min_v12_with_http_info(body).status_code)
        except UnauthorizedException as refused:
            print(refused.status)
"""


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("closed"), KEEPDIMS_API_KEYS=KEY) as (url, _):
        yield url


@pytest.mark.parametrize(("name", "program"), [("python", ATTRS), ("python-pydantic", PYDANTIC)])
def test_a_client_with_a_key_is_let_in(made: Callable[[str], Any], closed: str, name: str, program: str) -> None:
    made(name)
    said = run(ENVIRONMENT / "bin" / "python", "-c", program, closed, KEY)
    assert said.split() == ["401", "200"]
