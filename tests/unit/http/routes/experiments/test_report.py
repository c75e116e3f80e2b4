from tests.unit.http.routes.experiments.experiment_reader import ExperimentReader


def test_the_report_comes_as_data(reader: ExperimentReader) -> None:
    """The report as data has the headings, texts and tables of the file."""
    told = reader.read("/last/report")
    kinds = {each["kind"] for each in told["blocks"]}
    first = next(each for each in told["blocks"] if each["kind"] == "heading")

    assert {"heading", "paragraph", "bullets", "table", "picture", "card"} == kinds
    assert ("trial", "The answer") == (told["title"], first["text"])


def test_each_reader_has_the_method_in_their_own_language(reader: ExperimentReader) -> None:
    """In any order of requests, the method is described in the language that was asked for."""
    japanese, english = (str(reader.read("/last/report", language=each)) for each in ("ja", "en"))

    assert "ブロックはシナリオとシードの組で" in japanese
    assert "A block is a scenario with a seed" not in japanese
    assert "A block is a scenario with a seed" in english


def test_pictures_come_as_words_and_never_as_markup(reader: ExperimentReader) -> None:
    """Pictures are described in words, without markup."""
    blocks = reader.read("/last/report")["blocks"]
    pictures = [each for each in blocks if each["kind"] == "picture"]

    assert all({"kind", "anchor", "caption", "words"} == set(each) for each in pictures)
    assert "<svg" not in str(blocks)


def test_links_stay_within_the_report_and_its_folder(reader: ExperimentReader) -> None:
    """Links lead only to the report and its folder."""
    blocks = reader.read("/last/report")["blocks"]
    links = [
        piece["target"]
        for block in blocks
        if block["kind"] in ("paragraph", "table")
        for line in (block.get("line", []), *(c for r in block.get("rows", []) for c in r))
        for piece in line
        if piece["kind"] == "link"
    ]

    assert links
    assert not [each for each in links if each.startswith("/") or ":" in each]
