from email.message import EmailMessage

import pytest

from stratal_ingest.document import ReadDocument
from stratal_ingest.errors import EncryptedDocument
from stratal_ingest.readers.formats import format_of
from stratal_ingest.readers.registry import read
from tests.ingest.samples import pdf

HEAD = (
    b"From: Ann <ann@example.org>\r\nTo: bob@example.org\r\nMIME-Version: 1.0\r\nSubject: Leave\r\n"
)


def mail(body: str = "Thirty days.", **headers: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ann <ann@example.org>"
    message["To"] = "bob@example.org"
    message["Date"] = "Tue, 3 Mar 2026 10:00:00 +0100"
    message["Subject"] = "Leave"
    for name, value in headers.items():
        message[name] = value
    message.set_content(body)
    return message


def texts(document: ReadDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_the_headers_are_the_first_block_and_all_is_under_the_subject() -> None:
    document = read(mail("One.\n\nTwo.").as_bytes(), "a.eml")

    assert document.title == "Leave"
    assert texts(document) == [
        "From: Ann <ann@example.org>\nTo: bob@example.org\n"
        "Date: Tue, 03 Mar 2026 10:00:00 +0100\nSubject: Leave",
        "One.",
        "Two.",
    ]
    assert {block.heading for block in document.blocks} == {("Leave",)}


def test_encoded_words_are_text_also_where_they_split_a_character() -> None:
    head = (
        b"From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\r\nMessage-ID: <1>\r\n"
        b"Subject: =?utf-8?b?44GC44GE4w==?=\r\n =?utf-8?b?gYY=?= end\r\n\r\ntext"
    )

    document = read(head, "a.eml")

    assert "From: Jürgen <j@example.org>" in document.text
    assert document.title == "あいう end"


@pytest.mark.parametrize("raw", ["Grüße".encode(), "Grüße".encode("cp1252")])
def test_headers_that_are_not_ascii_are_read_all_the_same(raw: bytes) -> None:
    assert (
        read(b"From: a\nMessage-ID: <1>\nSubject: " + raw + b"\n\ntext", "a.eml").title == "Grüße"
    )


@pytest.mark.parametrize(
    ("charset", "text", "encoded"),
    [
        ("iso-8859-1", "–déjà vu…", "cp1252"),
        ("shift_jis", "①お願いします", "cp932"),
        ("iso-2022-jp", "お願いします", "iso-2022-jp"),
        ("gb2312", "你好，世界镕", "gb18030"),
        ("x-unknown", "naïve café", "utf-8"),
        ("nonsense", "naïve café", "cp1252"),
        ("utf-8", "naïve café", "cp1252"),
        ("us-ascii", "naïve café", "utf-8"),
    ],
)
def test_a_body_is_decoded_as_it_was_meant(charset: str, text: str, encoded: str) -> None:
    head = HEAD + f"Content-Type: text/plain; charset={charset}\r\n\r\n".encode()

    assert texts(read(head + text.encode(encoded), "a.eml"))[1:] == [text]


def test_the_plain_text_is_preferred_unless_it_only_points_at_the_other() -> None:
    page = (
        "<html><body><h1>Rules</h1><p>" + "Thirty days for all of us. " * 20 + "</p></body></html>"
    )
    both, stub = mail("Thirty days, in short, and some more words."), mail("See the HTML part.")
    both.add_alternative("<p>Thirty days in HTML.</p>", subtype="html")
    stub.add_alternative(page, subtype="html")

    assert texts(read(both.as_bytes(), "a.eml"))[1:] == [
        "Thirty days, in short, and some more words."
    ]
    assert read(stub.as_bytes(), "a.eml").blocks[1].heading == ("Leave", "Rules")


def test_flowed_lines_are_joined() -> None:
    body = (
        b"Content-Type: text/plain; format=flowed\r\n\r\nThirty \r\ndays.\r\n> who \r\n> asked\r\n"
    )
    body += b"-- \r\nAnn"

    assert texts(read(HEAD + body, "a.eml"))[1:] == ["Thirty days.\n> who asked\n--\nAnn"]


def test_attachments_are_documents_of_their_own_and_a_broken_one_loses_nothing() -> None:
    message = mail()
    message.add_attachment(pdf("Page"), maintype="application", subtype="pdf", filename="a.pdf")
    message.add_attachment(b"\0\1", maintype="application", subtype="pdf", filename="broken.pdf")
    message.add_attachment("Notes", filename="Grüße aus Köln.txt")

    document = read(message.as_bytes(), "a.eml")

    assert "Thirty days." in document.text
    found = [(e.name, e.document.text if e.document else "", e.refusal) for e in document.enclosed]
    assert [(name, text) for name, text, _ in found] == [
        ("a.pdf", "Page"),
        ("broken.pdf", ""),
        ("Grüße aus Köln.txt", "Notes"),
    ]
    assert [refusal.type for *_, refusal in found if refusal] == ["UnsupportedFormat"]
    assert all(not file.data for file in document.enclosed)


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        (b"attachment; filename*=utf-8''na%C3%AFve.txt", "naïve.txt"),
        (b'attachment; filename*0="one "; filename*1="two.txt"', "one two.txt"),
        (b"attachment; filename==?utf-8?q?na=C3=AFve.txt?=", "naïve.txt"),
        (b"attachment; filename*=nonsense''a%ff.txt", "aÿ.txt"),
        (b"attachment; filename=", "attachment.txt"),
        (b"attachment", "attachment.txt"),
    ],
)
def test_names_of_files_are_read_as_every_program_writes_them(
    disposition: bytes, name: str
) -> None:
    data = HEAD + (
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n"
        b"Content-Disposition: " + disposition + b"\r\n\r\ntext\r\n--b--\r\n"
    )

    assert [file.name for file in read(data, "a.eml").enclosed] == [name]


def test_forwarded_mails_are_read_three_deep() -> None:
    message = mail("innermost")
    for depth in range(4):
        outer = mail(f"level {depth}")
        outer.add_attachment(message)
        message = outer

    document = read(message.as_bytes(), "a.eml")
    seen = []
    while document.enclosed and document.enclosed[0].document:
        document = document.enclosed[0].document
        seen.append(document.blocks[1].text)

    assert seen == ["level 2", "level 1", "level 0"]
    refusal = document.enclosed[0].refusal
    assert refusal is not None
    assert refusal.type == "LimitExceeded"


def test_pictures_of_the_text_and_signatures_are_no_files() -> None:
    data = HEAD + (
        b"Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n"
        b"<p>Look: <img src=cid:1 alt='a map'></p>\r\n--b\r\nContent-Type: image/png\r\n"
        b"Content-ID: <1>\r\n\r\npicture\r\n--b\r\nContent-Type: text/css\r\n\r\np{}\r\n"
        b"--b\r\nContent-Type: application/pgp-signature\r\n\r\n"
        b"signed\r\n--b--\r\n"
    )

    document = read(data, "a.eml")

    assert document.enclosed == ()
    assert texts(document)[1:] == ["Look: a map"]


def test_a_sealed_mail_is_encrypted() -> None:
    data = HEAD + b"Content-Type: multipart/encrypted; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n"

    with pytest.raises(EncryptedDocument):
        read(data, "a.eml")


def test_a_multipart_without_parts_and_broken_base64_are_read_as_far_as_they_go() -> None:
    lost = HEAD + b"Content-Type: multipart/mixed; boundary=none\r\n\r\nThe text."
    broken = (
        HEAD + b"Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\nVGV4dA=\r\n!"
    )

    assert texts(read(lost, "a.eml"))[1:] == ["The text."]
    assert texts(read(broken, "a.eml"))[1:] == ["Text"]


@pytest.mark.parametrize(
    ("data", "name", "format"),
    [
        (b"From: a\nMessage-ID: <1>\n\nx", "saved.txt", "eml"),
        (b"From x@y Tue May 10 11:28:07 2005\nReturn-Path: <a>\nFrom: a\n\nx", "a.eml", "eml"),
        (
            b"From x@y Tue May 10\nFrom: a\n\nx\n\nFrom y@z Wed May 11\nFrom: b\n\ny",
            "Inbox",
            "mbox",
        ),
        (b"From: me\nDate: today\n\nA note, no mail.", "note.txt", "text"),
        (b"Subject: x\n\nbody", "a.eml", "eml"),
    ],
)
def test_a_mail_is_told_from_a_note(data: bytes, name: str, format: str) -> None:
    assert format_of(data, name) == format


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-8-sig"])
def test_a_mail_saved_in_another_encoding_is_read(encoding: str) -> None:
    document = read((HEAD + b"\r\nThirty days.").decode().encode(encoding), "a.eml")

    assert (document.title, document.blocks[-1].text) == ("Leave", "Thirty days.")
