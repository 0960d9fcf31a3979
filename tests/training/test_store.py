"""The store: rows that stay, files that are refused, tables."""

import csv
import json
import sqlite3
import sys
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorytools.errors import DomainError, FolderError
from theorytools.training.trials import store_file
from theorytools.training.trials.store import Store
from theorytools.training.trials.tables import schema, table
from theorytools.training.trials.trial import Result, canonical
from theorytools.training.trials.trial_row import Row


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "new" / "trials.sqlite") as made:
        yield made


def test_a_row_comes_back_as_it_went_in_and_survives_the_process(store):
    assert store.add({"N": 4, "beta": Fraction(1, 3)}, {"loss": 0.1, "curve": [1, 2.5]}, provenance={"cpu": "x"})
    assert store.add({"N": 8}, Result({"samples": 7}, "censored", "budget", {"device": "cpu"}), seconds=2.5)
    with Store(store.path, read_only=True) as other:
        row = other.get({"beta": "1/3", "N": 4})
        assert (row.result, row.status, row.provenance) == ({"loss": 0.1, "curve": [1, 2.5]}, "done", {"cpu": "x"})
        row = other.get({"N": 8})
        assert (row.status, row.reason, row.seconds, row.provenance) == ("censored", "budget", 2.5, {"device": "cpu"})
        assert other.get({"N": 9}) is None
        with pytest.raises(FolderError, match="readonly"):
            other.add({"N": 9}, {})
    assert len(store) == 2
    assert {"N": 8} in store


def test_adding_again_changes_nothing_and_another_result_is_an_error_that_names_both(store):
    assert store.add({"N": 4}, {"loss": 0.5})
    assert not store.add({"N": 4}, {"loss": 0.5}, seconds=9.0)
    for other in (Result({"loss": 0.25}), Result({"loss": 0.5}, "censored"), Result(status="failed", reason="x")):
        with pytest.raises(DomainError, match=r"(?s)done \{\"loss\":0.5\}") as error:
            store.add({"N": 4}, other)
        assert canonical(other.value) in error.value.given
    assert [(row.result, row.seconds) for row in store.rows()] == [({"loss": 0.5}, 0.0)]


def test_a_failed_trial_is_not_missing_until_it_is_forgotten(store):
    store.add({"N": 1}, Result(status="failed", reason="first"))
    assert not store.add({"N": 1}, Result(status="failed", reason="second"))
    store.add({"N": 2}, {})
    specs = [{"N": 3}, {"N": 1}, {"N": 2}, {"N": 3}, {"N": 0}]
    assert store.missing(specs) == [{"N": 3}, {"N": 0}]
    assert store.forget_failed([{"N": 2}]) == 0
    assert store.forget_failed() == 1
    assert store.missing(specs) == [{"N": 3}, {"N": 1}, {"N": 0}]


def test_rows_are_chosen_by_exact_values(store):
    for i, x in enumerate([1, 1.0, True, "1", [1], None]):
        store.add({"x": x, "i": i}, Result({}, "censored" if i < 2 else "done"))
    store.add({"i": 9}, {})
    for i, x in enumerate([1, 1.0, True, "1", [1], None]):
        assert [row.spec["i"] for row in store.rows(x=x)] == [i]
    assert [row.spec["i"] for row in store.rows(status="censored")] == [0, 1]
    assert len(list(store.rows(status=["done", "censored"]))) == 7
    assert list(store.rows(status="failed", i=0)) == []


def test_failed_trials_and_second_results_change_nothing(store):
    with Store(store.path) as other:
        for i in range(20):
            (store if i % 2 else other).add({"i": i}, {"i": i})
            assert not (other if i % 2 else store).add({"i": i}, {"i": i})
        assert len(store) == len(other) == 20
    assert store._db.execute("pragma synchronous").fetchone() == (2,)  # FULL
    assert store._db.execute("pragma journal_mode").fetchone() == ("wal",)


def test_a_full_disk_loses_the_row_that_is_written_and_no_other(store):
    store.add({"i": 0}, {"text": "x"})
    pages = store._db.execute("pragma page_count").fetchone()[0]
    store._db.execute(f"pragma max_page_count = {pages + 2}")
    with pytest.raises(FolderError, match="disk is full"):
        store.add({"i": 1}, {"text": "x" * 100_000})
    store._db.execute(f"pragma max_page_count = {pages + 100}")
    assert store.add({"i": 1}, {"text": "x" * 100_000})
    assert len(store) == 2


# -- the file --------------------------------------------------------------------------------------------------------
def test_an_empty_file_and_one_without_its_table_yet_are_new_stores(tmp_path):
    (tmp_path / "empty").touch()
    with closing(sqlite3.connect(tmp_path / "begun")) as db:
        db.execute("pragma journal_mode = wal")
    for name in ("empty", "begun"):
        with Store(tmp_path / name) as store:
            assert store.add({}, {})


def test_other_files_are_refused_and_left_alone(tmp_path):
    (tmp_path / "text").write_text("not a store, but long enough for a header")
    (tmp_path / "folder").mkdir()
    for name, sql in {"other": "create table t (x)", "later": "pragma user_version = 2"}.items():
        with closing(sqlite3.connect(tmp_path / name)) as db:
            db.execute(f"pragma application_id = {store_file.APPLICATION if name == 'later' else 0}")
            db.execute(sql)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    for name, words in {
        "text": "no SQLite",
        "folder": "no file",
        "other": "another program",
        "later": "version 2",
    }.items():
        for read_only in (False, True):
            with pytest.raises(FolderError, match=words):
                Store(tmp_path / name, read_only=read_only)
    with pytest.raises(FolderError, match="does not exist"):
        Store(tmp_path / "none", read_only=True)
    (tmp_path / "none").unlink(missing_ok=True)
    assert before.items() <= {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}.items()


def test_the_log_is_not_put_on_a_network(tmp_path, monkeypatch):
    assert store_file.file_system(Path("/proc/self")) in ("proc", "")
    monkeypatch.setattr(store_file, "file_system", lambda _: "nfs4")
    with pytest.raises(FolderError, match="local disk"):
        Store(tmp_path / "trials.sqlite")
    with Store(tmp_path / "trials.sqlite", journal="delete") as store:
        assert store.add({}, {})
    with pytest.raises(DomainError, match="journal"):
        Store(tmp_path / "trials.sqlite", journal="memory")


def test_a_store_on_a_disk_that_takes_no_locks_is_read_without_them(store, monkeypatch):
    store.add({"N": 1}, {"loss": 2})
    store.close()
    asked, blank = [], store_file._is_blank

    def refuse_once(db):
        asked.append(db)
        if len(asked) == 1:
            raise sqlite3.OperationalError("unable to open database file")
        return blank(db)

    monkeypatch.setattr(store_file, "_is_blank", refuse_once)
    with Store(store.path, read_only=True) as other:
        assert other.get({"N": 1}).result == {"loss": 2}


# -- tables ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def filled(store):
    store.add({"N": 4, "arm": "a,b"}, {"loss": 0.1, "curve": [1, 2]}, seconds=1.5)
    store.add({"N": 8, "rate": Fraction(1, 2)}, Result({"loss": 1, "big": 2**70}, "censored", 'said "no"\n'))
    return store


def test_csv_has_every_value(filled, tmp_path):
    filled.export_csv(tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        first, second = csv.DictReader(file)
    assert (first["spec.N"], first["spec.arm"], first["spec.rate"], first["seconds"]) == ("4", "a,b", "", "1.5")
    assert (first["result.loss"], first["result.curve"]) == ("0.1", "[1,2]")
    assert (second["status"], second["reason"], second["spec.rate"]) == ("censored", 'said "no"\n', "1/2")
    assert (second["result.loss"], second["result.big"]) == ("1", str(2**70))


def test_parquet_has_the_same_table(filled, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs theorytools[parquet]")
    filled.export_parquet(tmp_path / "t.parquet")
    table = parquet.read_table(tmp_path / "t.parquet").to_pydict()
    assert table["spec.N"] == [4, 8]
    assert table["result.loss"] == ["0.1", "1"]  # a float and an int: texts, so that they stay apart
    assert [path.name for path in tmp_path.iterdir() if "parquet" in path.name] == ["t.parquet"]


def test_parquet_says_what_its_columns_are(filled, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs theorytools[parquet]")
    filled.add({"N": 16}, {"loss": None})
    rows = list(filled.rows())
    filled.export_parquet(tmp_path / "t.parquet")
    fields = parquet.read_schema(tmp_path / "t.parquet")
    assert list(schema(rows)) == fields.names == list(table(rows))
    for name, told in schema(rows).items():
        field = fields.field(name)
        assert str(field.type).partition("[")[0].replace("double", "float64") == told["type"]
        assert {k.decode(): v.decode() for k, v in field.metadata.items()} == {
            k: v for k, v in told.items() if k != "type"
        }
    kinds = {name: (of["type"], of["encoding"]) for name, of in schema(rows).items()}
    assert kinds["spec.N"] == ("int64", "plain")
    assert {kinds[f"result.{name}"] for name in ("big", "curve", "loss")} == {("string", "json")}
    assert schema([])["created"]["type"] == "timestamp"


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=2), st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.integers(), max_size=2),
)  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), max_size=4))
def test_a_column_has_one_type_and_json_gives_every_value_back(results):
    rows = [Row(str(i), {"i": i}, "done", result, "", {}, 0.0, "2026-01-01T00:00:00.000+00:00")
            for i, result in enumerate(results)]  # fmt: skip
    columns, types = table(rows), schema(rows)
    for name in {name for result in results for name in result}:
        encoding = types[f"result.{name}"]["encoding"]
        for value, result in zip(columns[f"result.{name}"], results, strict=True):
            back = json.loads(value) if encoding == "json" and value is not None else value
            assert back == result.get(name)
            assert value is None or type(value) is type(back) or encoding == "json"


def test_parquet_without_pyarrow_says_what_to_install(filled, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DomainError, match=r"theorytools\[parquet\]"):
        filled.export_parquet(tmp_path / "t.parquet")
