import pytest

from stratal.context.request import Request
from stratal.errors import InvalidRequest
from stratal.providers.anthropic_wire import anthropic_body
from stratal.providers.attachments import Attached, attached
from stratal.providers.bedrock_wire import bedrock_body
from stratal.providers.openai_wire import openai_body
from stratal_memory.records import Media, MediaKind, Message, Role, ToolCall

PNG = Media(source="data:image/png;base64,aGk=", width=2, height=2)
LINK = Media(source="https://example.org/a.png")
PDF = Media(kind=MediaKind.DOCUMENT, source="data:application/pdf;base64,aGk=", pages=1)
PDF_LINK = Media(kind=MediaKind.DOCUMENT, source="https://example.org/a.pdf")
SOUND = Media(kind=MediaKind.AUDIO, source="data:audio/wav;base64,aGk=")
TAKES = frozenset(MediaKind)


def showing(*media: Media, text: str = "Look.", role: Role = Role.USER) -> Request:
    asked = Message(role=Role.USER, text="Hi")
    shown = Message(role=role, text=text, media=media, tool_call_id="1")
    call = ToolCall(id="1", name="look", arguments="{}")
    before = (asked, Message(role=Role.ASSISTANT, text="", tool_calls=(call,)))
    return Request(
        model="m", system=(), messages=(*before, shown) if role == Role.TOOL else (shown,)
    )


def test_a_source_is_taken_apart() -> None:
    assert attached(PNG, provider="p", takes=TAKES) == Attached(data="aGk=", media_type="image/png")
    assert attached(LINK, provider="p", takes=TAKES) == Attached(url="https://example.org/a.png")


def test_parameters_of_a_data_url_are_left_out() -> None:
    media = Media(source="data:IMAGE/PNG;name=a.png;base64,aGk=")

    assert attached(media, provider="p", takes=TAKES).media_type == "image/png"


@pytest.mark.parametrize(
    "source",
    ["", "/etc/passwd", "file:///etc/passwd", "http://example.org/a.png", "data:image/png,hi",
     "data:image/png;base64,", "data:image/png;base64", "\ud800"],
)  # fmt: skip
def test_any_other_source_is_refused(source: str) -> None:
    with pytest.raises(InvalidRequest, match="no https address"):
        attached(Media(source=source), provider="p", takes=TAKES)


BODIES = {"anthropic": anthropic_body, "openai": openai_body, "bedrock": bedrock_body}


@pytest.mark.parametrize("provider", BODIES)
def test_a_kind_that_is_not_taken_is_named_and_never_dropped(provider: str) -> None:
    with pytest.raises(InvalidRequest, match=f"{provider} takes no audio attachments"):
        BODIES[provider](showing(SOUND))


@pytest.mark.parametrize("provider", BODIES)
@pytest.mark.parametrize("kind", [MediaKind.IMAGE, MediaKind.DOCUMENT])
def test_a_type_that_is_not_read_is_named(provider: str, kind: MediaKind) -> None:
    media = Media(kind=kind, source="data:image/tiff;base64,aGk=")

    with pytest.raises(InvalidRequest, match="image/tiff"):
        BODIES[provider](showing(media))


@pytest.mark.parametrize("provider", BODIES)
def test_an_assistants_message_has_no_attachments(provider: str) -> None:
    with pytest.raises(InvalidRequest, match="assistant"):
        BODIES[provider](showing(PNG, role=Role.ASSISTANT))


def test_anthropic_gets_its_own_blocks_before_the_text() -> None:
    # covers O7
    body = anthropic_body(showing(PNG, LINK, PDF, PDF_LINK))

    assert body.messages[0]["content"] == [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="},
        },
        {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}},
        {"type": "text", "text": "Look."},
    ]


def test_a_tools_result_may_show_an_image_to_anthropic() -> None:
    body = anthropic_body(showing(LINK, text="A cat.", role=Role.TOOL))

    assert body.messages[-1]["content"] == [
        {
            "type": "tool_result",
            "tool_use_id": "1",
            "content": [
                {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
                {"type": "text", "text": "A cat."},
            ],
        }
    ]


def test_openai_gets_input_images_and_files() -> None:
    (item,) = openai_body(showing(PNG, LINK, PDF, PDF_LINK)).input

    assert item == {
        "role": "user",
        "content": [
            {"type": "input_image", "detail": "auto", "image_url": PNG.source},
            {"type": "input_image", "detail": "auto", "image_url": LINK.source},
            {"type": "input_file", "filename": "document.pdf", "file_data": PDF.source},
            {"type": "input_file", "file_url": PDF_LINK.source},
            {"type": "input_text", "text": "Look."},
        ],
    }


def test_a_tools_result_may_show_an_image_to_openai() -> None:
    item = openai_body(showing(LINK, text="A cat.", role=Role.TOOL)).input[-1]

    assert item == {
        "type": "function_call_output",
        "call_id": "1",
        "output": [
            {"type": "input_text", "text": "A cat."},
            {"type": "input_image", "detail": "auto", "image_url": LINK.source},
        ],
    }


def test_an_image_without_a_word_is_still_a_message() -> None:
    assert len(openai_body(showing(PNG, text=" ")).input) == 1
    assert len(list(anthropic_body(showing(PNG, text=" ")).messages[0]["content"])) == 1


def test_bedrock_gets_bytes_and_formats_and_no_addresses() -> None:
    content = bedrock_body(showing(PNG, PDF)).messages[0]["content"]

    assert content == [
        {"image": {"format": "png", "source": {"bytes": "aGk="}}},
        {"document": {"format": "pdf", "source": {"bytes": "aGk="}, "name": "document 0-1"}},
        {"text": "Look."},
    ]
    with pytest.raises(InvalidRequest, match="at an address"):
        bedrock_body(showing(LINK))
