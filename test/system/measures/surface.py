"""Compares surfaces of an option bundle with polars over its converted marks: surface.py FOLDER FIGURES.json"""
import json, sys
from pathlib import Path

import polars as pl

folder, mine = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
at = int(mine["atNs"])
last = {}
for path in folder.glob("*.mark.parquet"):
    instrument = int(pl.read_parquet_metadata(path)["instrument_id"])
    rows = pl.read_parquet(path).with_columns(pl.col("ts").cast(pl.Int64)).filter(pl.col("ts") <= at)
    last[instrument] = rows.tail(1).to_dicts()[0] if len(rows) else {}
compared = stated = 0
for surface in mine["surfaces"]:
    own = {(row["strike"], expiry): value for row in surface["rows"] for expiry, value in row.items() if expiry != "strike"}
    options = [one for one in mine["instruments"] if one["type"] == surface["type"]]
    assert {strike for strike, _ in own} == {one["strikePrice"] for one in options}
    assert [row["strike"] for row in surface["rows"]] == sorted({one["strikePrice"] for one in options}, key=float)
    for one in options:
        value = own.pop((one["strikePrice"], one["expiry"]))
        wanted = last.get(one["id"], {}).get(surface["value"])
        assert value == (None if wanted is None else float(wanted)), (one, surface["value"], value, wanted)
        compared += 1
        stated += value is not None
    assert all(value is None for value in own.values())
assert stated > 0
print(f"measures: {compared} places of surfaces equal those of polars, {stated} of them with a value")
