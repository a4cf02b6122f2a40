"""Every input of the kept corpora, and answers that the checks must reject."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.listener import CLOSE_CODES, check_answers
from tests.fuzz.targets import CORPUS, TARGETS, kept


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert not caplog.records


@pytest.mark.parametrize("name", sorted(file.stem for file in CORPUS.iterdir()))
def test_the_fuzzers_corpus_is_accepted_or_refused_cleanly(name: str) -> None:
    target = TARGETS[name]
    for each in (*kept(name), *target.seeds()):
        target.run(each)


@pytest.mark.parametrize(
    "answers",
    [
        b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncut",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n\x82\x05cut",
        # A close with an undefined code.
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n\x88\x02\x0f\xff",
        # A message after the close.
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n\x88\x02\x03\xea\x82\x00",
    ],
)
def test_an_undocumented_answer_is_detected(answers: bytes) -> None:
    with pytest.raises(AssertionError):
        check_answers(answers, CLOSE_CODES)
