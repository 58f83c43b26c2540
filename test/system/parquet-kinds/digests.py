"""usage: digests.py OURS.json: the same digests of the same files and columns by pyarrow, polars and DuckDB, as JSON."""
import decimal, hashlib, json, struct, sys
import duckdb, polars, pyarrow, pyarrow.parquet

decimal.getcontext().prec = 100


def text_of(form, scale, value):
    if value is None:
        return "null"
    if form == "decimal":
        return str(int(decimal.Decimal(value).scaleb(scale)))
    if form == "double":
        return struct.pack("<d", value).hex()
    return {True: "true", False: "false"}[value] if form == "boolean" else str(value)


def digest_of(form, scale, values):
    found = hashlib.sha256()
    for value in values:
        found.update(f"{text_of(form, scale, value)}\n".encode())
    return f"{len(values)} {found.hexdigest()[:24]}"


def by_pyarrow(path):
    table = pyarrow.parquet.read_table(path)
    return lambda name, form: (table[name].cast(pyarrow.int64()) if form == "timestamp" else table[name]).to_pylist()


def by_polars(path):
    frame = polars.read_parquet(path)
    return lambda name, form: (frame[name].cast(polars.Int64) if form == "timestamp" else frame[name]).to_list()


def by_duckdb(path):
    def read(name, form):
        value = f'epoch_ns("{name}")' if form == "timestamp" else f'"{name}"'
        return [row[0] for row in duckdb.sql(f"select {value} from read_parquet('{path}')").fetchall()]
    return read


found = []
for file in json.load(open(sys.argv[1])):
    readers = {"pyarrow": by_pyarrow(file["path"]), "polars": by_polars(file["path"]), "duckdb": by_duckdb(file["path"])}
    found.append([{reader: digest_of(c["form"], c["scale"], read(c["name"], c["form"])) for reader, read in readers.items()} for c in file["columns"]])
print(json.dumps(found))
