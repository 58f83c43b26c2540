"""Reads every export of a folder with pyarrow, polars and DuckDB and compares row counts and exact sums with the text.

usage: readers.py FOLDER SOURCE.txt.zst... | SOURCE.tar...
Exports lie in FOLDER as {base}.{kind}.{format}. The expectations come from the text alone, by json and decimal.
"""
import decimal, gzip, json, pathlib, subprocess, sys, tarfile
import duckdb, polars, pyarrow, pyarrow.compute, pyarrow.csv, pyarrow.ipc, pyarrow.parquet

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


def measured(columns, sum_of, count_of):
    found = {}
    for name in columns:
        if name in DECIMALS or name in TIMES or name in ("event_index", "event_id", "previous_event_id", "side"):
            count = count_of(name)
            if count:
                found["asks" if name == "side" else name] = (count, decimal.Decimal(sum_of(name)))
    return found


def by_pyarrow(path, kind):
    name = str(path)
    if name.endswith(".parquet"):
        table = pyarrow.parquet.read_table(path)
    elif name.endswith(".arrow"):
        table = pyarrow.ipc.open_file(str(path)).read_all()
    elif name.endswith(".arrows"):
        table = pyarrow.ipc.open_stream(str(path)).read_all()
    else:
        raw = gzip.open(path).read() if name.endswith(".gz") else path.read_bytes()
        head = raw.split(b"\n", 2)[1].decode().split(",")
        options = pyarrow.csv.ConvertOptions(column_types={n: pyarrow.string() for n in head}, strings_can_be_null=True, null_values=[""], quoted_strings_can_be_null=False)
        table = pyarrow.csv.read_csv(pyarrow.BufferReader(raw), read_options=pyarrow.csv.ReadOptions(skip_rows=1), convert_options=options)

    def sum_of(column):
        values = table[column].drop_null()
        if column == "side":
            return pyarrow.compute.sum(pyarrow.compute.equal(values.cast(pyarrow.string()), "ASK")).as_py()
        if pyarrow.types.is_timestamp(values.type):
            values = values.cast(pyarrow.int64())
        return pyarrow.compute.sum(values.cast(pyarrow.decimal128(38, 18 if column in DECIMALS else 0))).as_py()

    return table.num_rows, measured(table.schema.names, sum_of, lambda n: len(table[n]) - table[n].null_count)


def by_polars(path, kind):
    name = str(path)
    if name.endswith(".parquet"):
        frame = polars.read_parquet(path)
    elif name.endswith(".arrow"):
        frame = polars.read_ipc(path)
    elif name.endswith(".arrows"):
        frame = polars.read_ipc_stream(path)
    else:
        frame = polars.read_csv(path, comment_prefix="#", infer_schema=False)

    def sum_of(column):
        values = frame[column].drop_nulls()
        if column == "side":
            return int((values.cast(polars.String) == "ASK").sum())
        if values.dtype == polars.Datetime:
            values = values.cast(polars.Int64)
        return str(values.cast(polars.Decimal(38, 18 if column in DECIMALS else 0)).sum())

    return frame.height, measured(frame.columns, sum_of, lambda n: frame.height - frame[n].null_count())


def by_duckdb(path, kind):
    name = str(path)
    if name.endswith((".arrow", ".arrows")):
        opened = pyarrow.ipc.open_file(name) if name.endswith(".arrow") else pyarrow.ipc.open_stream(name)
        duckdb.register("arrow_table", opened.read_all())
        source = "arrow_table"
    elif name.endswith(".parquet"):
        source = f"'{path}'"
    else:
        source = f"read_csv('{path}', comment='#', header=true, all_varchar=true)"
    relation = duckdb.sql(f"from {source}")
    types = dict(zip(relation.columns, map(str, relation.types)))
    rows = duckdb.sql(f"select count(*) from {source}").fetchall()[0][0]

    def sum_of(column):
        value = f'"{column}"'
        if column == "side":
            value = f"({value} = 'ASK')::int"
        elif column in TIMES and types[column].startswith("TIMESTAMP"):
            value = f"epoch_ns({value})"
        elif types[column] == "VARCHAR":
            value = f"{value}::decimal(38, {18 if column in DECIMALS else 0})"
        return duckdb.sql(f"select sum({value})::varchar from {source}").fetchall()[0][0]

    return rows, measured(relation.columns, sum_of, lambda n: duckdb.sql(f'select count("{n}") from {source}').fetchall()[0][0])


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


def main(folder, sources):
    files = 0
    for source in sources:
        for base, text in texts_of(source):
            wanted = expectations(text)
            for path in sorted(folder.glob(f"{base}.*.*")):
                kind, form = path.name.removeprefix(base + ".").split(".", 1)
                want = dict(wanted.get(kind, {"rows": 0}))
                want_rows = want.pop("rows")
                for reader in (by_pyarrow, by_polars, by_duckdb):
                    rows, found = reader(path, kind)
                    if rows != want_rows or found != want:
                        sys.exit(f"{path}: {reader.__name__[3:]} reads {rows} rows, {found}; the text has {want_rows}, {want}")
                files += 1
            filled = {kind for kind, table in wanted.items() if table["rows"]}  # a book without levels is a line without rows
            if not filled <= {p.name.removeprefix(base + ".").split(".", 1)[0] for p in folder.glob(f"{base}.*.*")}:
                sys.exit(f"{base}: kinds are missing: {sorted(filled)}")
    print(f"{files} files in {folder}: pyarrow {pyarrow.__version__}, polars {polars.__version__} and DuckDB {duckdb.__version__} agree with the text in every count and sum")
    if files == 0:
        sys.exit("nothing was read")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), [pathlib.Path(a) for a in sys.argv[2:]])
