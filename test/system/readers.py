"""Reads every export of some folders with pyarrow, polars, pandas and DuckDB and compares row counts, exact sums and types of columns with the text.

usage: readers.py FOLDER... -- SOURCE.txt.zst... | SOURCE.tar...      the exports hold whole files (--margins keep)
       readers.py --days FOLDER...       the tables of trades in each folder have as many rows as distinct trade ids
Exports lie in FOLDER as {base}.{kind}.{format}. The expectations come from the text alone, by json and decimal; each text is read once for all folders.
"""
import collections, csv, decimal, gzip, itertools, json, multiprocessing, os, pathlib, subprocess, sys, tarfile
import duckdb, pandas, polars, pyarrow, pyarrow.csv, pyarrow.ipc, pyarrow.json, pyarrow.parquet

decimal.getcontext().prec = 100
KINDS = {0: "depth", 1: "depth", 2: "trades", 5: "states", 6: "bbo", 7: "mark", 8: "index", 9: "funding", 17: "liquidations"}
DECIMALS = {"price", "qty", "bid_price", "bid_qty", "ask_price", "ask_qty", "rate", "predicted_rate"}
TIMES = {"ts", "exchange_ts", "trade_ts", "liquidation_ts", "next_funding_ts"}


def rows_of(event):
    """The rows of one line, as {column: exact value or None}."""
    kind = event[0]
    if kind == 5:
        yield {"ts": event[2]}
        return
    base = {"ts": event[4], "exchange_ts": event[5] or None, "event_id": event[3], "previous_event_id": event[2]}
    data = event[6]
    if kind in (0, 1):
        for side, price, quantity, _ in data:
            yield {**base, "price": price, "qty": quantity, "asks": side}
    elif kind in (2, 17):
        name = "trade_ts" if kind == 2 else "liquidation_ts"
        for row in data:
            yield {**base, "price": row[1], "qty": row[2], "asks": row[0], name: row[-1] or None}
    elif kind == 6:
        row = {**base, "bid_price": None, "bid_qty": None, "ask_price": None, "ask_qty": None}
        for side, price, quantity, _ in data:
            row.update({"ask_price": price, "ask_qty": quantity} if side else {"bid_price": price, "bid_qty": quantity})
        yield row
    elif kind == 9:
        yield {**base, "rate": data[0], "next_funding_ts": data[1] or None, "predicted_rate": data[2] if len(data) > 2 else None}
    else:
        yield {**base, "price": data}


def expectations(text):
    """{kind: {"rows": n, column: (count of values, exact sum)}} of a decompressed tick file."""
    wanted = {}
    for index, line in enumerate(l for l in text.splitlines()[1:] if l.strip()):
        event = json.loads(line)
        kind = KINDS[event[0]]
        table = wanted.setdefault(kind, {"rows": 0})
        for row in rows_of(event):
            table["rows"] += 1
            for name, value in {**row, "event_index": index}.items():
                if value is None:
                    continue
                count, total = table.get(name, (0, decimal.Decimal(0)))
                table[name] = (count + 1, total + decimal.Decimal(value))
    return wanted


def exact(value):
    """The exact decimal of what a reader gives: a double stands for its shortest text, which is what the file holds."""
    if isinstance(value, float):
        return decimal.Decimal(repr(value))
    return decimal.Decimal(value)


def measured(values, types, form):
    """({column: (count, sum)}, {column: class of its type}) of {column: values that are not null}."""
    found = {}
    for name, column in values.items():
        if not column or name not in DECIMALS | TIMES | {"event_index", "event_id", "previous_event_id", "side"}:
            continue
        if name == "side":
            found["asks"] = (len(column), decimal.Decimal(sum(1 for value in column if value == "ASK")))
        else:
            total = sum((exact(value) * count for value, count in collections.Counter(column).items()), decimal.Decimal(0))
            found[name] = (len(column), total)
    return found, {name: types[name] for name in types if values[name]}


def class_of(type_name):
    """One word for the types that the readers name each in their own way."""
    name = str(type_name).lower()
    for word, parts in (("decimal", ("decimal",)), ("time", ("timestamp", "datetime")), ("boolean", ("bool",)), ("float", ("double", "float")), ("integer", ("int",))):
        if any(part in name for part in parts):
            return word
    return "text"


def values_of_table(table):
    def plain(column):
        if pyarrow.types.is_timestamp(column.type):
            column = column.cast(pyarrow.int64())
        return column.drop_null().to_pylist()
    return {name: plain(table[name]) for name in table.schema.names}, {field.name: class_of(field.type.value_type if pyarrow.types.is_dictionary(field.type) else field.type) for field in table.schema}, table.num_rows


def by_pyarrow(path, form):
    read = {
        "parquet": pyarrow.parquet.read_table,
        "arrow": lambda p: pyarrow.ipc.open_file(str(p)).read_all(),
        "arrows": lambda p: pyarrow.ipc.open_stream(str(p)).read_all(),
        "csv": pyarrow.csv.read_csv, "csv.gz": pyarrow.csv.read_csv,
        "jsonl": pyarrow.json.read_json,
    }
    return values_of_table(read[form](path))


def by_polars(path, form):
    read = {
        "parquet": polars.read_parquet, "arrow": polars.read_ipc, "arrows": polars.read_ipc_stream,
        "csv": polars.read_csv, "csv.gz": polars.read_csv,
        # Without it a column whose first 100 values are null has no type to polars.
        "jsonl": lambda p: polars.read_ndjson(p, infer_schema_length=None), "json": lambda p: polars.read_json(p, infer_schema_length=None),
    }
    frame = read[form](path)
    def plain(series):
        series = series.drop_nulls()
        return (series.cast(polars.Int64) if isinstance(series.dtype, polars.Datetime) else series).to_list()
    return {name: plain(frame[name]) for name in frame.columns}, {name: class_of(frame[name].dtype) for name in frame.columns}, frame.height


def by_duckdb(path, form):
    if form in ("arrow", "arrows"):
        opened = pyarrow.ipc.open_file(str(path)) if form == "arrow" else pyarrow.ipc.open_stream(str(path))
        duckdb.register("arrow_table", opened.read_all())
        relation = duckdb.sql("from arrow_table")
    else:
        relation = duckdb.sql(f"from '{path}'")
    types = dict(zip(relation.columns, map(class_of, relation.types)))
    def value(name):
        return f'epoch_ns("{name}") as "{name}"' if types[name] == "time" else f'"{name}"'
    rows = duckdb.sql(f"select {', '.join(map(value, relation.columns))} from relation").fetchall()
    columns = zip(*rows) if rows else [[] for _ in relation.columns]
    return {name: [v for v in column if v is not None] for name, column in zip(relation.columns, columns)}, types, len(rows)


def by_pandas(path, form):
    read = {
        "parquet": pandas.read_parquet, "arrow": pandas.read_feather, "csv": pandas.read_csv, "csv.gz": pandas.read_csv,
        # Without dtype=False pandas makes doubles of strings of digits.
        "json": lambda p: pandas.read_json(p, dtype=False), "jsonl": lambda p: pandas.read_json(p, dtype=False, lines=True), "jsonl.gz": lambda p: pandas.read_json(p, dtype=False, lines=True),
    }
    frame = read[form](path)
    values, types = {}, {}
    for name in frame.columns:
        column = frame[name].dropna()
        types[name] = class_of(column.dtype)
        if types[name] == "time":
            column = column.astype("int64")
        values[name] = column.tolist()
        if types[name] == "text" and values[name] and isinstance(values[name][0], decimal.Decimal):
            types[name] = "decimal"
    return values, types, len(frame)


# Who reads what. CSV and Parquet are read without any option.
READERS = {
    "parquet": (by_pyarrow, by_polars, by_duckdb, by_pandas),
    "arrow": (by_pyarrow, by_polars, by_duckdb, by_pandas),
    "arrows": (by_pyarrow, by_polars, by_duckdb),
    "csv": (by_pyarrow, by_polars, by_duckdb, by_pandas),
    "csv.gz": (by_pyarrow, by_polars, by_duckdb, by_pandas),
    "json": (by_polars, by_duckdb, by_pandas),
    "jsonl": (by_pyarrow, by_polars, by_duckdb, by_pandas),
    "jsonl.gz": (by_duckdb, by_pandas),
}


def wanted_types(name, form):
    """The classes that a column may have in a format, whatever its data."""
    if form.startswith("json"):
        return None
    is_csv = form.startswith("csv")
    if name in DECIMALS:
        return {"float", "integer"} if is_csv else {"decimal"}
    if name in TIMES:
        return {"integer"} if is_csv else {"time"}
    if name == "side":
        return {"text"}
    return {"integer"} if name == "event_index" else None


def begins_empty(path, name):
    """Whether a CSV column is empty in its first 100 rows, by which polars takes it for text, as the guide states."""
    with (gzip.open if path.name.endswith(".gz") else open)(path, "rt", newline="") as text:
        return all(row[name] == "" for row in itertools.islice(csv.DictReader(text), 100))


def compare(path, form, want):
    """Reads a file with everybody; the first that differs ends the program."""
    wanted = dict(want)
    rows = wanted.pop("rows")
    if rows == 0 and form.startswith("jsonl"):
        return  # No line is no table to most readers, and pyarrow refuses it.
    for reader in READERS[form]:
        who = reader.__name__[3:]
        values, types, count = reader(path, form)
        found, classes = measured(values, types, form)
        if reader is by_pandas:
            # Where cells are empty pandas has whole numbers as doubles, which the guide states: such columns are counted.
            loose = {n for n in wanted if n in classes and classes[n] == "float" and n not in DECIMALS}
            found.update({n: wanted[n] for n in loose if n in found and found[n][0] == wanted[n][0]})
            classes = {n: c for n, c in classes.items() if n not in loose}
        if count != rows or found != wanted:
            sys.exit(f"{path}: {who} reads {count} rows, {found}; the text has {rows}, {wanted}")
        for name, found_class in classes.items():
            allowed = wanted_types(name, form)
            if reader is by_polars and form.startswith("csv") and found_class == "text" and begins_empty(path, name):
                continue
            if allowed is not None and found_class not in allowed:
                sys.exit(f"{path}: {who} reads {name} as {found_class}, not as {' or '.join(sorted(allowed))}")


def texts_of(path):
    """(base name, text) of a file or of each member of a tar."""
    def unpacked(data):
        return subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout.decode()
    if str(path).endswith(".tar"):
        with tarfile.open(path) as tar:
            for member in tar.getmembers():
                if member.name.endswith(".txt.zst"):
                    yield member.name.rsplit("/", 1)[-1].removesuffix(".txt.zst"), unpacked(tar.extractfile(member).read())
    else:
        yield path.name.removesuffix(".txt.zst"), unpacked(path.read_bytes())


def compare_source(folders, source):
    """The number of exports of a source in each folder, all compared; a text says what differs."""
    files = [0] * len(folders)
    try:
        for base, text in texts_of(source):
            wanted = expectations(text)
            filled = {kind for kind, table in wanted.items() if table["rows"]}  # a book without levels is a line without rows
            for at, folder in enumerate(folders):
                paths = [p for p in sorted(folder.glob(f"{base}.*.*")) if p.name.count(".") > 1]
                for path in paths:
                    kind, form = path.name.removeprefix(base + ".").split(".", 1)
                    compare(path, form, wanted.get(kind, {"rows": 0}))
                    files[at] += 1
                missing = filled - {p.name.removeprefix(base + ".").split(".", 1)[0] for p in paths}
                if missing:
                    return f"{folder}: {base}: kinds are missing: {sorted(missing)}"
    except SystemExit as end:
        return str(end)
    return files


def main(folders, sources):
    largest = sorted(sources, key=lambda source: -source.stat().st_size)
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        found = pool.starmap(compare_source, [(folders, source) for source in largest], chunksize=1)
    faults = [one for one in found if isinstance(one, str)]
    if faults:
        sys.exit("\n".join(faults))
    for folder, *counts in zip(folders, *found):
        print(f"{sum(counts)} files in {folder}: pyarrow {pyarrow.__version__}, polars {polars.__version__}, pandas {pandas.__version__} and DuckDB {duckdb.__version__} agree with the text in every count, sum and type")
        if sum(counts) == 0:
            sys.exit("nothing was read")


def days(folders):
    """Consecutive days one behind the other: every trade once, whoever reads them."""
    for folder in folders:
        paths = sorted(folder.glob("*.trades.*"))
        form = paths[0].name.split(".trades.", 1)[1]
        for reader in READERS[form]:
            ids = [str(trade) for path in paths for trade in reader(path, form)[0]["trade_id"]]
            rows = sum(reader(path, form)[2] for path in paths)
            if len(paths) < 2 or not ids or not rows == len(ids) == len(set(ids)):
                sys.exit(f"{folder}: {reader.__name__[3:]} reads {rows} trades of {len(paths)} days with {len(set(ids))} ids")
        print(f"{folder}: {rows} trades of {len(paths)} days, as many ids")


if __name__ == "__main__":
    if sys.argv[1] == "--days":
        days([pathlib.Path(a) for a in sys.argv[2:]])
        sys.exit()
    middle = sys.argv.index("--")
    main([pathlib.Path(a) for a in sys.argv[1:middle]], [pathlib.Path(a) for a in sys.argv[middle + 1:]])
