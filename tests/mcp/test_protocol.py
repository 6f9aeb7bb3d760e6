"""What one line of a client comes to, in both eras of the protocol."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.mcp import protocol
from guildmoot.mcp.protocol import ProtocolError, Request, read_request
from guildmoot.mcp.tools import PROFILES, ToolError


def line(**message: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"{", protocol.PARSE_ERROR),
        (b"\xff\xfe", protocol.PARSE_ERROR),
        (b"[" * 100_000, protocol.PARSE_ERROR),
        (b"[]", protocol.INVALID_REQUEST),
        (b"3", protocol.INVALID_REQUEST),
        (line(id=1, method=7), protocol.INVALID_REQUEST),
        (line(id={}, method="ping"), protocol.INVALID_REQUEST),
        (line(id=True, method="ping"), protocol.INVALID_REQUEST),
        (line(id=1, method="ping", params=[1]), protocol.INVALID_PARAMS),
        (line(id=1, method="ping", params=[]), protocol.INVALID_PARAMS),
    ],
)
def test_what_is_no_request_is_refused_by_its_code(text, code):
    with pytest.raises(ProtocolError) as refused:
        read_request(text)
    assert refused.value.code == code
    assert refused.value.ident == (1 if b'"id": 1' in text else None)  # who waits under it is told


@given(st.binary(max_size=200))
def test_no_line_is_anything_but_a_request_or_a_refusal(text):
    try:
        assert isinstance(read_request(text), Request | None)
    except ProtocolError as refused:
        assert refused.code in (
            *(protocol.PARSE_ERROR, protocol.INVALID_REQUEST, protocol.INVALID_PARAMS),
        )


def test_an_answer_of_the_client_is_none_of_ours():
    assert read_request(line(id=1, result={})) is None


@pytest.mark.parametrize("version", [*protocol.HANDSHAKE, "1999-01-01", None])
def test_a_known_version_is_spoken_and_else_the_newest_with_a_handshake(version):
    spoken = protocol.initialized({"protocolVersion": version})["protocolVersion"]
    assert spoken == (version if version in protocol.HANDSHAKE else "2025-11-25")


def test_a_modern_request_of_an_unknown_version_is_told_which_there_are():
    asked = line(
        id=1,
        method="tools/list",
        params={"_meta": {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}},
    )
    request = read_request(asked)
    assert request
    with pytest.raises(ProtocolError) as refused:
        protocol.check_version(request)
    assert refused.value.code == -32022
    assert refused.value.data == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


@pytest.mark.parametrize("profile", PROFILES)
def test_the_definitions_are_few_and_short(profile):
    tools = [tool.definition() for tool in PROFILES[profile]]
    assert len(tools) <= 8
    assert len(json.dumps(tools, separators=(",", ":"))) / 4 < 2_000  # about four letters a token


def test_a_value_of_a_client_is_never_an_option():
    tools = {tool.name: tool for profile in PROFILES.values() for tool in profile}
    evil = "--verify=touch /tmp/ran"
    for name, given_ in {
        "validate": {"paths": [evil], "diff": evil, "model": evil},
        "council": {"paths": [evil], "question": evil, "preset": evil},
        "run": {"run_id": evil},
        "findings": {"run_id": evil},
        "wiki_search": {"query": evil, "category": evil, "since": evil},
        "wiki_get": {"path": evil},
        "trace_summary": {"run_id": evil},
    }.items():
        argv = tools[name].command(given_)
        before = argv[: argv.index("--")]
        assert evil not in before, argv


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"paths": "a.py"}, "type array"),
        ({"path": ["a.py"]}, "no argument 'path'"),
        ({"staged": 1}, "type boolean"),
        ({"paths": ["a\0b"]}, "type array"),
        ({"diff": "\ud800"}, "type string"),
        ({"model": "claude"}, "guild mcp --allow"),
    ],
)
def test_a_call_that_does_not_fit_is_told_why(arguments, told):
    [validate] = [tool for tool in PROFILES["default"] if tool.name == "validate"]
    with pytest.raises(ToolError, match=told):
        validate.check(arguments, allow=False)
