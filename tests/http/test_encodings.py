"""Compressed content is decoded however it is cut, to its last byte, and never faster than it is asked for."""

import gzip
import zlib
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import MalformedBody
from app.http import encodings
from app.http.encodings import PROTOCOL_ENCODINGS, Decompression, zstd
from tests.strategies import cuts

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstd.compress,
    "deflate": zlib.compress,
}

every_encoding = pytest.mark.parametrize("encoding", PROTOCOL_ENCODINGS)


def decode(encoding: str, pieces: list[bytes], step: int = 1 << 20) -> bytes:
    decompression = Decompression(encoding)
    content = []
    for piece in pieces:
        decompression.give([piece])
        while decompression.has_more:
            content.append(decompression.step(step))
            assert len(content[-1]) <= step
    decompression.end()
    return b"".join(content)


def test_every_encoding_is_tested() -> None:
    assert COMPRESS.keys() == PROTOCOL_ENCODINGS.keys()


@every_encoding
@given(data=st.data())
def test_content_comes_back_however_it_is_cut(encoding: str, data: st.DataObject) -> None:
    members = data.draw(st.lists(st.binary(max_size=99).map(lambda some: some * 9), min_size=1, max_size=4))
    body = b"".join(map(COMPRESS[encoding], members))
    bounds = [0, *data.draw(cuts(len(body)))[0], len(body)]
    pieces = [body[start:stop] for start, stop in pairwise(bounds)]
    assert decode(encoding, pieces, data.draw(st.integers(1, 100))) == b"".join(members)


@every_encoding
def test_a_body_that_is_cut_or_goes_on_is_refused(encoding: str) -> None:
    body = COMPRESS[encoding](b"some content" * 9)
    for stop in range(len(body)):
        with pytest.raises(MalformedBody):
            decode(encoding, [body[:stop]])
    for more in (b"\x00", b"x", body[:-1], bytes(99)):
        with pytest.raises(MalformedBody):
            decode(encoding, [body + more])
        with pytest.raises(MalformedBody):
            decode(encoding, [body, more])


@every_encoding
def test_what_follows_the_content_is_said_to_follow_it(encoding: str) -> None:
    body = COMPRESS[encoding](b"some content")
    for more, end in ((b"x", " is not "), (body[:-1], "cut short"), (b"xx" * 9, "corrupt")):
        with pytest.raises(MalformedBody) as caught:
            decode(encoding, [body + more])
        assert str(caught.value).startswith(f"something follows the {encoding} content that is not {encoding}")
        assert end in str(caught.value)
    with pytest.raises(MalformedBody, match=f"^the {encoding} content is cut short$"):
        decode(encoding, [body[:-1]])


@every_encoding
def test_a_changed_byte_is_refused_or_without_meaning(encoding: str) -> None:
    content = bytes(range(256))
    body = COMPRESS[encoding](content) if encoding == "gzip" else zstd.compress(content, options=CHECKSUM)
    refused = 0
    for place in range(len(body)):
        try:
            assert decode(encoding, [body[:place] + bytes([body[place] ^ 64]) + body[place + 1 :]]) == content
        except MalformedBody:
            refused += 1
    assert refused > len(body) * 0.95


CHECKSUM: dict[int, int] = {zstd.CompressionParameter.checksum_flag: 1}


@every_encoding
def test_a_bomb_goes_off_in_steps(encoding: str) -> None:
    decompression = Decompression(encoding)
    decompression.give([COMPRESS[encoding](bytes(1 << 26))])
    for _ in range(8):
        assert 0 < len(decompression.step(4096)) <= 4096
    assert decompression.has_more


@every_encoding
def test_many_empty_members_take_many_steps(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "_TURNS", 10)
    decompression = Decompression(encoding)
    decompression.give([COMPRESS[encoding](b"") * 100])
    steps = 0
    while decompression.has_more:
        assert decompression.step(1) == b""
        steps += 1
    decompression.end()
    assert steps >= 10


@every_encoding
def test_members_may_be_many_or_small_and_not_both(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "_MEMBERS", 100)
    small, fair = COMPRESS[encoding](b"x" * 1023), COMPRESS[encoding](b"x" * 1024)
    assert len(decode(encoding, [small * 100])) == 100 * 1023
    assert len(decode(encoding, [fair * 300])) == 300 * 1024
    with pytest.raises(MalformedBody, match="101 members that hold 103323 bytes"):
        decode(encoding, [small * 101])


def test_the_other_spellings_of_deflate_are_refused() -> None:
    raw = zlib.compressobj(wbits=-15)
    for body in (zlib.compress(b"content"), raw.compress(b"content") + raw.flush()):
        with pytest.raises(MalformedBody):
            decode("gzip", [body])


@pytest.mark.parametrize(("log", "taken"), [(encodings.WINDOW_LOG, True), (encodings.WINDOW_LOG + 1, False)])
def test_a_window_has_a_bound(log: int, taken: bool) -> None:
    content = bytes(1 << log + 1)
    compressor = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: log})
    body = compressor.compress(content) + compressor.flush()
    if taken:
        assert decode("zstd", [body]) == content
    else:
        with pytest.raises(MalformedBody, match="window beyond 8 MiB"):
            decode("zstd", [body])


def test_a_frame_to_skip_is_skipped() -> None:
    skipped = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    assert decode("zstd", [skipped + zstd.compress(b"content") + skipped]) == b"content"
