"""Compares bars and indicators with polars over the trades table of the same day, and with TA-Lib: compare.py TRADES.parquet BARS.jsonl [CONTRACT_VALUE, where it is inverse]"""
import json, math, sys
from decimal import Decimal, getcontext

import numpy as np
import polars as pl
import talib

getcontext().prec = 60
trades_path, bars_path, *inverse = sys.argv[1:]
contract = Decimal(inverse[0]) if inverse else None
lines = [json.loads(line) for line in open(bars_path)]
bars, rows = [line for line in lines if "span" in line], [line["values"] for line in lines if "values" in line]

# The strategy's time is the adapter's, which never steps back.
table = pl.read_parquet(trades_path).with_columns(ns=pl.col("ts").cast(pl.Int64).cum_max()).with_row_index("at")
assert len(table) > 1000


def groups(span):
    """The number of each trade's bar, and whether that bar is whole."""
    if span.endswith("s") and span[:-1].isdigit():
        length = int(span[:-1]) * 10**9
        return (table["ns"] // length).to_list(), lambda number, count: True
    limit, kind = span.split(" ")
    numbers, number, count, bought, sold, value = [], 0, 0, Decimal(0), Decimal(0), Decimal(0)
    for side, price, qty in table.select("side", "price", "qty").iter_rows():
        numbers.append(number)
        count += 1
        bought, sold = (bought + qty, sold) if side == "BID" else (bought, sold + qty)
        value += qty * contract if contract else qty * price
        reached = {"trades": count, "volume": bought + sold, "turnover": value, "imbalance": abs(bought - sold)}[kind]
        if reached >= Decimal(limit):
            number, count, bought, sold, value = number + 1, 0, Decimal(0), Decimal(0), Decimal(0)
    return numbers, None


def wanted(span):
    numbers, _ = groups(span)
    sides = [pl.col("qty").filter(pl.col("side") == side).sum().alias(side) for side in ("BID", "ASK")]
    return (
        table.with_columns(number=pl.Series(numbers, dtype=pl.Int64))
        .group_by("number", maintain_order=True)
        .agg(pl.col("price").first().alias("open"), pl.col("price").max().alias("high"), pl.col("price").min().alias("low"), pl.col("price").last().alias("close"), *sides, pl.len().alias("count"), pl.col("ns").last().alias("end"), pl.col("price").alias("prices"), pl.col("qty").alias("quantities"))
    )


compared = 0
for span in dict.fromkeys(bar["span"] for bar in bars):
    mine, others = [bar for bar in bars if bar["span"] == span], wanted(span)
    if span == "10s":  # Two series: by the timer and by the next trade; the same bars.
        timed, evented = mine, []
        seen = set()
        timed = [bar for bar in mine if not (bar["start"] in seen or seen.add(bar["start"]))]
        evented = [bar for bar in mine if all(bar is not one for one in timed)]
        assert [(bar["texts"], bar["count"]) for bar in evented] == [(bar["texts"], bar["count"]) for bar in timed][: len(evented)] and len(timed) - len(evented) <= 1, span
        mine = timed
    # The last bar has not ended.
    assert len(others) - 1 <= len(mine) <= len(others) and len(mine) > 0, (span, len(mine), len(others))
    for bar, other in zip(mine, others.iter_rows(named=True)):
        texts = [other["open"], other["high"], other["low"], other["close"], other["BID"], other["ASK"]]
        assert [Decimal(text) for text in bar["texts"]] == [text or Decimal(0) for text in texts], (span, bar, other)
        assert bar["count"] == other["count"], (span, bar)
        pairs = list(zip(other["prices"], other["quantities"]))
        turnover = sum(q * contract if contract else p * q for p, q in pairs)
        assert Decimal(bar["turnover"]) == turnover, (span, bar, turnover)
        total = sum(q for _, q in pairs)
        vwap = total / sum(q / p for p, q in pairs) if contract else sum(p * q for p, q in pairs) / total
        assert abs(bar["vwap"] / float(vwap) - 1) < 1e-12, (span, bar, vwap)
        if span.endswith("s") and span[:-1].isdigit():
            assert int(bar["start"]) == other["number"] * int(span[:-1]) * 10**9, (span, bar)
        else:
            assert int(bar["end"]) == other["end"], (span, bar, other["end"])
        compared += 1

seconds = [bar for bar in bars if bar["span"] == "1s"]
high, low, close = (np.array([float(bar["texts"][at]) for bar in seconds]) for at in (1, 2, 3))
volume = np.array([float(Decimal(bar["texts"][4]) + Decimal(bar["texts"][5])) for bar in seconds])
# TA-Lib's sums of squares lose digits where prices are large and their differences small: from the first close on they do not.
flat = close - close[0]
upper, _, lower = talib.BBANDS(flat, 20, 2, 2)
macd, signal, _ = talib.MACD(close, 12, 26, 9)
by = {
    "sma": talib.SMA(close, 20), "ema": talib.EMA(close, 20), "wma": talib.WMA(close, 20), "stdev": talib.STDDEV(flat, 20), "upper": upper + close[0], "lower": lower + close[0],
    "rsi": talib.RSI(close, 14), "macd": macd, "signal": signal, "slope": talib.LINEARREG_SLOPE(flat, 14), "atr": talib.ATR(high, low, close, 14), "max": talib.MAX(high, 20), "min": talib.MIN(low, 20),
    "correl": talib.CORREL(flat, volume, 30),
}
assert len(rows) == len(close) > 100
for name, values in by.items():
    ready = 0
    for at, value in enumerate(values):
        mine = rows[at][name]
        assert (mine is None) == math.isnan(value), (name, at, mine, value)
        if mine is not None:
            ready += 1
            assert abs(mine - value) <= 1e-9 * max(1.0, abs(value)), (name, at, mine, value)
    assert ready > 50, name
print(f"bars: {compared} bars are polars's, {len(by)} indicators over {len(close)} bars are TA-Lib's")
