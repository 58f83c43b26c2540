"""Compares round trips, hours and days with what polars makes of the fills of the same run: trips.py FOLDER"""
import json, sys
from datetime import datetime
from decimal import Decimal, getcontext
from pathlib import Path

import polars as pl

getcontext().prec = 120
folder = Path(sys.argv[1])
result = json.loads((folder / "summary.json").read_text())
summary = result["summary"]
[money] = summary["money"] if len(summary["money"]) == 1 else [one for one in summary["money"] if one["turnover"] != "0"]
NAMES = ["fills", "orders", "equity", "round-trips", "hours", "days"]
# CSV holds every digit.
tables = {name: pl.read_csv(folder / "csv" / f"{name}.csv", infer_schema=False) for name in NAMES}
for name in NAMES if (folder / "parquet").exists() else []:
    parquet, arrow = pl.read_parquet(folder / "parquet" / f"{name}.parquet"), pl.read_ipc(folder / "arrow" / f"{name}.arrow")
    assert parquet.columns == arrow.columns and len(parquet) == len(tables[name]), name
    assert all(parquet[column].cast(pl.String).equals(arrow[column].cast(pl.String)) for column in parquet.columns), name
    for column, kind in parquet.schema.items():
        if kind == pl.Decimal(38, 18):
            mine = [None if text in (None, "") else Decimal(text) for text in tables[name][column]]
            assert all(a == b or abs(a - b) <= Decimal("5e-19") for a, b in zip(parquet[column], mine)), (name, column)

fills = tables["fills"].to_dicts()
assert len(fills) > 200 and len(fills) == summary["fillCount"]
dec = lambda row, name: Decimal(row[name] or 0)
own = [row for row in tables["round-trips"].to_dicts() if row["underlying"] == money["underlying"]]

# First in, first out, over the fills alone.
lots, wanted = [], []
for fill in fills:
    left = dec(fill, "qty")
    while left > 0 and lots and lots[0][0]["side"] != fill["side"]:
        part = min(left, lots[0][1])
        wanted.append((lots[0][0], fill, part))
        lots[0][1] -= part
        left -= part
        if lots[0][1] == 0:
            lots.pop(0)
    if left > 0:
        lots.append([fill, left])
wanted += [(fill, None, left) for fill, left in lots]
facts = lambda entry, end, qty: (entry["own_fill_id"], end and end["own_fill_id"], entry["side"], qty, dec(entry, "price"), int(entry["exchange_ts"]))
mine = [(row["entry_fill_id"], row["exit_fill_id"] or None, row["side"], dec(row, "qty"), dec(row, "entry_price"), int(row["entry_ts"])) for row in own]
assert mine == [facts(*one) for one in wanted]
closed = [row for row in own if row["is_open"] == "false"]
assert len(closed) == money["roundTrips"]["count"] and len(own) - len(closed) == money["roundTrips"]["openCount"]
assert all(dec(row, "exit_price") == dec(end, "price") for row, (_, end, _) in zip(closed, wanted))
assert all(int(row["holding_ns"]) == int(row["exit_ts"]) - int(row["entry_ts"]) for row in closed)
sign = lambda row: 1 if row["side"] == "BID" else -1
if folder.name != "inverse":
    assert all(dec(row, "gross_profit") == sign(row) * dec(row, "qty") * (dec(row, "exit_price") - dec(row, "entry_price")) for row in own)
total = lambda rows, name: sum((dec(row, name) for row in rows), Decimal(0))
assert total(own, "gross_profit") == Decimal(money["realizedPnl"]) + Decimal(money["unrealizedPnl"])
assert total(own, "fees") == Decimal(money["fees"]) == total(fills, "fee")
profits = [dec(row, "profit") for row in closed]
wins, losses = sum((p for p in profits if p > 0), Decimal(0)), -sum((p for p in profits if p < 0), Decimal(0))
assert (wins, losses) == (Decimal(money["roundTrips"]["wins"]), Decimal(money["roundTrips"]["losses"]))
assert sum(p > 0 for p in profits) == money["roundTrips"]["winCount"]

# Slippage: the mid that stands at the order of each fill.
mids = {row["own_order_id"]: row["arrival_mid"] for row in tables["orders"].to_dicts()}
assert money["slippage"]["measuredCount"] == sum(mids[fill["own_order_id"]] is not None for fill in fills)
if folder.name != "inverse":
    cost = sum((sign(fill) * dec(fill, "qty") * (dec(fill, "price") - Decimal(mids[fill["own_order_id"]])) for fill in fills), Decimal(0))
    assert cost == Decimal(money["slippage"]["cost"])

# Hours and days: group by the time of the fills.
for name, length in (("hours", 3600), ("days", 86400)):
    rows = {int(row["ts"]): row for row in tables[name].to_dicts() if row["underlying"] == money["underlying"]}
    groups = tables["fills"].with_columns(period=(pl.col("exchange_ts").cast(pl.Int64) - 1) // (length * 10**9) * (length * 10**9)).group_by("period", maintain_order=True).agg(pl.len().alias("count"), "value", "fee", "realized_pnl")
    for group in groups.iter_rows(named=True):
        row = rows[group["period"]]
        sums = [sum(map(Decimal, group[column]), Decimal(0)) for column in ("value", "fee", "realized_pnl")]
        assert (int(row["fills"]), dec(row, "turnover"), dec(row, "fees"), dec(row, "realized_pnl")) == (group["count"], *sums), (name, row)
    assert sum(int(row["fills"]) for row in rows.values()) == len(fills)
    assert total(rows.values(), "profit") == Decimal(money["profit"])
    last = Decimal(money["startEquity"])
    for row in rows.values():
        assert dec(row, "equity") == last + dec(row, "profit") and dec(row, "profit") == dec(row, "realized_pnl") + dec(row, "unrealized_pnl") - dec(row, "fees") + dec(row, "flows")
        last = dec(row, "equity")

# Time with a position, and equity at each fill.
held, since, open_ns = Decimal(0), None, 0
for fill in fills:
    held += sign(fill) * dec(fill, "qty")
    if since is None and held != 0:
        since = int(fill["exchange_ts"])
    elif since is not None and held == 0:
        open_ns, since = open_ns + int(fill["exchange_ts"]) - since, None
equity = tables["equity"].filter(pl.col("underlying") == money["underlying"])
times = [int(ts) for ts in equity["ts"]]
assert times == sorted(times)
epoch_ns = lambda text: int(datetime.fromisoformat(text[:19] + "+00:00").timestamp()) * 10**9 + int(text[20:29])
end = epoch_ns(summary["end"])
open_ns += 0 if since is None else end - since
covered_ns = sum(epoch_ns(span["to"]) - epoch_ns(span["from"]) for span in summary["sampling"]["covered"])
assert abs(open_ns / covered_ns - summary["exposure"]) < 1e-12 and times[-1] == end
assert {int(fill["exchange_ts"]) for fill in fills} <= set(times)
print(f"{folder.name}: {len(own)} round trips of {len(fills)} fills, {len(tables['hours'])} hours and {len(tables['days'])} days are those of polars")
