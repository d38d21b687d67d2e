"""Opening files: what is found, what is agreed on, and what is refused in one sentence."""

import gzip
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treewright as tw
from treewright.errors import DataError, DataTypeError
from treewright.files import read_table


@pytest.fixture
def folder(tmp_path):
    for number in range(3):
        x = np.arange(10.0) + 10 * number
        pq.write_table(
            pa.table({"x": x, "z": x % 3, "y": (x > 14).astype(int)}), tmp_path / f"{number}.parquet"
        )
    return tmp_path


def test_files_folders_and_patterns(folder):
    for paths in (
        folder,
        str(folder),
        f"{folder}/*.parquet",
        [folder / "1.parquet", folder / "0.parquet", folder / "2.parquet"],
    ):
        table = tw.open_table(paths)
        assert table.shape == (30, 3)
        assert table.columns == ["x", "z", "y"]
        assert np.concatenate([rows["x"].to_numpy() for rows in table.batches()]).tolist() == list(range(30))
    assert repr(tw.open_table(folder)) == "OpenTable(30 rows, 3 columns, 3 files)"


def test_csv_and_gz_are_the_same_table(folder, tmp_path):
    text = "x,name,y\n" + "".join(f"{i / 4},{'ab'[i % 2]},{i % 3}\n" for i in range(40)) + ",a,1\n"
    (tmp_path / "plain").mkdir()
    (tmp_path / "packed").mkdir()
    (tmp_path / "plain" / "t.csv").write_text(text)
    (tmp_path / "packed" / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    trees = []
    for place in ("plain", "packed"):
        table = tw.open_table(tmp_path / place)
        assert table.columns == ["x", "name", "y"]
        trees.append(tw.DecisionTreeClassifier().fit(table, "y").tree_)
    assert trees[0] == trees[1]
    assert trees[0].schema.columns[1].kind == "categorical"


def test_csv_misses_values_as_in_memory(tmp_path):
    """R writes NA, C4.5 and Weka ?: columns with them are of numbers all the same."""
    cells = ["1.5", "NA", "?", "", "4"]
    text = "x,name,y\n" + "".join(f"{cells[i % 5]},{['a', 'NA', 'b'][i % 3]},{i % 2}\n" for i in range(60))
    (tmp_path / "t.csv").write_text(text)
    table = tw.open_table(tmp_path / "t.csv")
    found = tw.DecisionTreeClassifier(ties="first").fit(table, "y").tree_
    frame = pd.read_csv(tmp_path / "t.csv", na_values="?")
    expected = tw.DecisionTreeClassifier(ties="first").fit(frame[["x", "name"]], frame["y"]).tree_
    assert [column.kind for column in found.schema.columns] == ["numeric", "categorical"]
    assert found == expected


MESSY = {
    "day": lambda i: f"{1 + i % 28:02d}.{1 + i % 12:02d}.20{10 + i % 9}",
    "moment": lambda i: f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}T{i % 24:02d}:00:00+02:00",
    "price": lambda i: f"$ {i * 37 % 900}.{i % 10}0",
    "share": lambda i: f"{i * 7 % 100} %",
    "code": lambda i: ["007", "01", "ab", "true"][i * 13 % 4],
    "flag": lambda i: ["true", "false", "NA"][i * 5 % 3],
    "count": lambda i: ["NA", "?", "", str(i * 31 % 200), "N/A"][i % 5 if i % 3 else 3],
    "wide": lambda i: f" {i * 17 % 50} ",
    "slashed": lambda i: f"{1 + i % 12}/{1 + i % 28}/2020",
    "Wide": lambda i: f"{i * 0.37 % 1:.3f}",
    "empty": lambda i: "",
}
"""Columns of text as people write it."""


def messy_text(decimal_commas=False):
    columns = dict(MESSY)
    if decimal_commas:
        columns |= {"price": lambda i: f"{i * 37 % 9}.{i % 10}00,50 €", "wide": lambda i: f"{i % 50},25"}
    sign = ";" if decimal_commas else ","
    lines = [sign.join([*columns, "y"])]
    for i in range(600):
        y = ["no", "yes"][(i * 37 % 900 > 400) ^ (i * 7 % 100 > 60) ^ (i * 13 % 4 == 1) ^ (i % 12 < 3)]
        lines.append(sign.join([*(value(i) for value in columns.values()), y]))
    return "\n".join(lines) + "\n"


@pytest.mark.filterwarnings("ignore:column")
@pytest.mark.parametrize("decimal_commas", [False, True])
@pytest.mark.parametrize("n_files", [1, 3])
def test_text_is_read_as_in_memory(decimal_commas, n_files, tmp_path):
    """The same columns, kinds, values and tree, whether a file is opened or read."""
    header, *rows = messy_text(decimal_commas).splitlines(keepends=True)
    for at in range(n_files):
        own = rows[at * len(rows) // n_files : (at + 1) * len(rows) // n_files]
        (tmp_path / f"{at}.csv").write_text(header + "".join(own))
    read = read_table(str(tmp_path / "*.csv"))
    features = [name for name in read.names if name != "y"]
    expected = tw.DecisionTreeClassifier().fit(read.features(features), read["y"])
    opened = tw.open_table(tmp_path, memory="16MB")
    found = tw.DecisionTreeClassifier().fit(opened, "y")
    assert expected.tree_.n_leaves > 20
    assert opened.columns == read.names
    assert found.tree_.schema == expected.tree_.schema
    assert found.tree_ == expected.tree_
    assert (found.predict(opened) == expected.predict(read.features(features))).all()


def test_text_and_parquet_are_not_one_table(folder):
    (folder / "t.csv").write_text("x,z,y\n1,2,0\n")
    with pytest.raises(DataError, match=r"'.*t.csv' is text and '.*0.parquet' is Parquet: give files of one"):
        tw.open_table(folder)


def test_text_that_cannot_be_read_names_its_line(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,2\n3\n" + "1,2\n" * 9)
    with pytest.raises(DataError, match="line 3 has 1 field, the header has 2"):
        tw.open_table(tmp_path / "t.csv")


def test_columns_of_text_that_are_left_out_need_not_make_sense(tmp_path, recwarn):
    (tmp_path / "t.csv").write_text("x,when,y\n" + "1,1/2/2020,a\n2,1/3/2020,b\n" * 9)
    assert tw.open_table(tmp_path / "t.csv", columns=["y", "x"]).columns == ["y", "x"]
    assert not recwarn.list
    with pytest.warns(UserWarning, match="dates that may begin with the day or the month"):
        tw.open_table(tmp_path / "t.csv")


def test_packed_text_is_read_in_little_memory(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(("x,y\n" + "1.5,a\n2.5,b\n" * 20_000).encode()))
    assert len(tw.open_table(tmp_path, memory="16MB")) == 40_000


def test_columns_and_target_by_name(folder):
    model = tw.DecisionTreeClassifier().fit(tw.open_table(folder, columns=["y", "x"]), "y")
    assert model.feature_names_in_.tolist() == ["x"]
    with pytest.raises(DataError, match="has no column 'Y', which y names"):
        model.fit(tw.open_table(folder), "Y")
    with pytest.raises(DataError, match="y must name a column"):
        model.fit(tw.open_table(folder), [0, 1])
    with pytest.raises(DataError, match="has no column 'w'"):
        tw.open_table(folder, columns=["x", "w"])


def test_types_are_agreed_on(folder):
    pq.write_table(pa.table({"x": pa.array([1, 2]), "z": [0.0, 1.0], "y": [0, 1]}), folder / "3.parquet")
    assert str(tw.open_table(folder).schema.field("x").type) == "double"
    pq.write_table(pa.table({"x": ["a"], "z": [0.0], "y": [1]}), folder / "4.parquet")
    with pytest.raises(DataError, match=r"column 'x' is .* and string in '.*4.parquet'"):
        tw.open_table(folder)


def test_what_is_refused_is_said_in_a_sentence(folder, tmp_path):
    with pytest.raises(FileNotFoundError, match="no file matches"):
        tw.open_table(f"{folder}/*.pq")
    with pytest.raises(ValueError, match="memory must be"):
        tw.open_table(folder, memory="much")
    with pytest.raises(ValueError, match="at least 16MB"):
        tw.open_table(folder, memory="1MB")
    (tmp_path / "t.json").write_text("{}")
    with pytest.raises(DataError, match="neither Parquet nor CSV"):
        tw.open_table(tmp_path / "t.json")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no table")
    with pytest.raises(DataError, match=r"file '.*bad.parquet' cannot be read"):
        tw.open_table(tmp_path / "bad.parquet")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"columns": []}, r"columns must be a list of the names of columns to use. Got \[\]"),
        ({"columns": "x"}, "columns must be a list of the names of columns to use. Got 'x'"),
        ({"columns": ["x", "y", "x"]}, "columns names 'x' twice"),
        ({"temporary_folder": "nowhere"}, "temporary_folder 'nowhere' is no folder"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_what_open_table_is_given_is_checked(options, words, kind, tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]})
    getattr(frame, f"to_{kind}")(tmp_path / f"t.{kind}", index=False)
    with pytest.raises((DataError, FileNotFoundError), match=words):
        tw.open_table(tmp_path, **options)


@pytest.mark.parametrize("paths", [[], 3, [3], pd.DataFrame({"x": [1.0]})], ids=repr)
def test_what_is_no_name_of_files_is_refused(paths):
    with pytest.raises(DataError, match="paths must be the name of a file or a folder"):
        tw.open_table(paths)


def test_names_of_columns_that_cannot_be_are_refused(folder):
    table, model = tw.open_table(folder), tw.DecisionTreeClassifier()
    with pytest.raises(DataError, match="sample_weight must name a column of the table"):
        model.fit(table, "y", sample_weight=np.ones(30))
    with pytest.raises(DataError, match="y and sample_weight name the same column, 'y'"):
        model.fit(table, "y", sample_weight="y")
    model.fit(table, "y")
    with pytest.raises(DataError, match="has no column 'z', which the model was made with"):
        model.predict(tw.open_table(folder, columns=["x", "y"]))


@pytest.mark.parametrize(
    "model",
    [
        tw.DecisionTreeClassifier(max_depth=1),
        tw.DecisionTreeRegressor(max_depth=1),
        tw.TreeClassifier(max_depth=1),
        tw.TreeRegressor(max_depth=1),
        tw.RandomForestClassifier(2, max_depth=1, random_state=0),
        tw.ExtraTreesRegressor(2, max_depth=1, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_all_that_learn_from_open_tables_predict_and_judge_them(model, folder):
    table = tw.open_table(folder)
    model.fit(table, "y")
    frame = pd.concat([rows.to_pandas() for rows in table.batches()])
    X, y = frame[["x", "z"]], frame["y"]
    assert (model.predict(table) == model.predict(X)).all()
    assert model.score(table, "y") == pytest.approx(model.score(X, y), rel=1e-12)
    assert str(model.evaluate(table, "y")) == str(model.evaluate(X, y))


def test_what_takes_no_open_table_says_what_does(folder):
    table = tw.open_table(folder)
    model = tw.DecisionTreeClassifier().fit(table, "y")
    rows = next(table.batches(n_rows=5)).to_pandas()
    assert len(model.shap_values(rows[["x", "z"]])) == 5
    for ask in (
        model.shap_values,
        lambda table: tw.fit(table, "y"),
        lambda table: tw.explain_prediction(model, table),
    ):
        with pytest.raises(DataTypeError, match="X is an open table, which fit, predict, score and evaluate"):
            ask(table)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_leaf_nodes": 4}, "max_leaf_nodes"),
        ({"missing": "surrogate"}, "missing='surrogate'"),
        ({"criterion": "chi_square"}, "criterion='chi_square'"),
        ({"pruner": "reduced_error"}, "pruner"),
        ({"trace": True}, "trace"),
        ({"predicates": ["x > z"], "splits": ("predicate",)}, "predicates"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst needs"),
        ({"interaction_cst": [[0], [1]]}, "interaction_cst needs"),
        ({"significance": 0.05}, "significance needs"),
    ],
    ids=str,
)
def test_what_needs_memory_is_refused_by_name(parameters, words, folder):
    with pytest.raises(ValueError, match=words):
        tw.DecisionTreeClassifier(**parameters).fit(tw.open_table(folder), "y")


@pytest.mark.parametrize(
    "model",
    [
        tw.C45Classifier(),
        tw.CARTClassifier(),
        tw.OptimalTreeClassifier(),
        tw.RuleClassifier(),
        tw.TreeClassifier(guide="forest"),
        tw.TreeRegressor(leaves="linear"),
        tw.TreeClassifier(cv=[([0, 1], [2, 3])]),
        tw.TreeClassifier(max_leaf_nodes=4),
        tw.TreeClassifier(monotonic_cst=[1, 0]),
        tw.DecisionTreeRegressor(criterion="absolute_error"),
        tw.DecisionTreeRegressor(criterion="poisson"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_learners_ask_for_memory(model, folder):
    with pytest.raises(ValueError, match="memory") as refused:
        model.fit(tw.open_table(folder), "y")
    assert not isinstance(model, tw.RuleClassifier) or "RuleClassifier" in str(refused.value)


def test_bad_values_name_their_column(folder):
    pq.write_table(pa.table({"x": [np.inf], "z": [1.0], "y": [1]}), folder / "9.parquet")
    with pytest.raises(DataError, match="infinity in column 'x'"):
        tw.DecisionTreeClassifier().fit(tw.open_table(folder), "y")
    pq.write_table(
        pa.table({"x": [1.0], "z": [None], "y": pa.array([None], pa.int64())}), folder / "9.parquet"
    )
    with pytest.raises(DataError, match="target 'y' misses 1 value"):
        tw.DecisionTreeClassifier().fit(tw.open_table(folder), "y")
    with pytest.raises(DataError, match="column 'z' misses 1 value"):
        tw.DecisionTreeClassifier(missing="error").fit(tw.open_table(folder), "x")


class _Spoiled(tw.OpenTable):
    """A table whose files are spoiled after so many batches."""

    def __init__(self, *args, after, spoil, **options):
        super().__init__(*args, **options)
        self.after, self.spoil = after, spoil

    def batches(self, *args, **options):
        for rows in super().batches(*args, **options):
            self.after -= 1
            if self.after == 0:
                self.spoil()
            yield rows


@pytest.mark.parametrize("after", [1, 4])
def test_files_that_vanish_change_or_are_cut(folder, after, tmp_path_factory):
    last = folder / "2.parquet"
    whole = last.read_bytes()
    for spoil, words in (
        (last.unlink, "has disappeared"),
        (lambda: os.utime(last, ns=(1, 1)), "has changed"),
        (lambda: last.write_bytes(whole[: len(whole) // 2]), "has changed|cannot be read"),
    ):
        last.write_bytes(whole)
        temporary = tmp_path_factory.mktemp("scratch")
        table = _Spoiled(folder, after=after, spoil=spoil, temporary_folder=temporary)
        with pytest.raises(DataError, match=f"file '.*2.parquet' ({words})"):
            tw.DecisionTreeClassifier().fit(table, "y")
        assert list(temporary.iterdir()) == []


def test_temporary_files_are_removed(folder, tmp_path_factory, monkeypatch):
    temporary = tmp_path_factory.mktemp("scratch")
    table = tw.open_table(folder, temporary_folder=temporary)
    tw.DecisionTreeClassifier().fit(table, "y")
    assert list(temporary.iterdir()) == []

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("treewright.distributed.growing.Grower.grow", interrupt)
    with pytest.raises(KeyboardInterrupt):
        tw.DecisionTreeClassifier().fit(table, "y")
    assert list(temporary.iterdir()) == []


def test_a_full_disk_is_one_sentence(folder, monkeypatch):
    import errno

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("treewright.distributed.local_files.ArrayFile.add", full)
    with pytest.raises(OSError, match=r"no space left for temporary files in .* temporary_folder"):
        tw.DecisionTreeClassifier().fit(tw.open_table(folder), "y")


def test_labels_of_rows_that_pandas_wrote_are_no_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": list("abab")}, index=[7, 3, 5, 1])
    frame.to_parquet(tmp_path / "a.parquet")
    table = tw.open_table(tmp_path / "a.parquet")
    assert table.schema.names == ["x", "y"]
    assert tw.fit(str(tmp_path / "a.parquet"), "y").data.features == ["x"]


def test_declared_categories_are_those_of_memory(tmp_path):
    """Also those that no row has, or none that weighs something; in their order, where all files agree."""
    declared = pd.Categorical(["b", "d", "b", "d", "b", "a"], categories=["d", "c", "b", "a"])
    frame = pd.DataFrame({"x": declared, "y": [0, 1, 0, 1, 0, 1], "w": [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]})
    for at in range(2):
        frame[at::2].to_parquet(tmp_path / f"{at}.parquet")
    expected = tw.DecisionTreeClassifier().fit(frame[["x"]], frame["y"], sample_weight=frame["w"]).tree_
    found = tw.DecisionTreeClassifier().fit(tw.open_table(tmp_path), "y", sample_weight="w").tree_
    assert found.schema.columns[0].categories == ("d", "c", "b", "a")
    assert found == expected
