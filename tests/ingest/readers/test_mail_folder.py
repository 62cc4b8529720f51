from stratal_ingest.readers.registry import read

FOLDER = (
    b"From ann@example.org Tue Mar  3 10:00:00 2026\n"
    b"From: ann@example.org\nSubject: One\n\nFirst.\n>From here on it was quoted.\n\n"
    b"From a distance this is no mail.\n\n"
    b"From bob@example.org Wed Mar  4 10:00:00 2026\r\n"
    b"From: bob@example.org\r\nSubject: Two\r\n\r\nSecond.\r\n"
)


def test_each_mail_is_a_document_of_its_own() -> None:
    document = read(FOLDER, "all.mbox")

    inside = [file.document for file in document.enclosed if file.document]
    assert [file.name for file in document.enclosed] == ["1.eml", "2.eml"]
    assert [mail.title for mail in inside] == ["One", "Two"]
    assert inside[0].blocks[1].text == "First.\nFrom here on it was quoted."
    assert inside[0].blocks[2].text == "From a distance this is no mail."
