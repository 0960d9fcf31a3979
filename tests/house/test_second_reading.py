"""No statement speaks louder than its rows: a second reader has read each as it stands."""

from second_reading import readings, wanted


def test_every_statement_has_been_read_as_it_stands():
    known = readings()
    assert [id for id, text in wanted().items() if known.get(id, {}).get("text") != text] == []
    assert known.keys() <= wanted().keys()  # a reading of what is gone goes, too


def test_a_reading_says_what_carries_the_sentence():
    for id, one in readings().items():
        assert one.keys() <= {"claim", "text", "carried", "mended"}, id
        assert len(one["carried"]) > 20, id
