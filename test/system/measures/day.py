"""Compares the market measures of a day with numpy over its converted tables, by definition: day.py FOLDER FIGURES.json"""
import json, sys
from pathlib import Path

import numpy as np
import polars as pl

folder, mine = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
NONE = -(2**63)
compared = 0


def read(kind):
    [path] = list(folder.glob(f"*.{kind}.parquet")) or [None]
    return None if path is None else pl.read_parquet(path)


def doubles(frame, name):
    return frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def times(frame, name="ts"):
    return frame[name].cast(pl.Int64).fill_null(NONE).to_numpy()


def same(name, own, other):
    """To 1e-9 relative, or 1e-12 of the largest value; nulls at the same places."""
    global compared
    a = np.array([float("nan") if one is None else float(one) for one in own])
    b = np.asarray(other, dtype=float)
    assert a.shape == b.shape, (name, a.shape, b.shape)
    assert (np.isnan(a) == np.isnan(b)).all(), (name, "nulls", np.flatnonzero(np.isnan(a) != np.isnan(b))[:5])
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    bound = np.maximum(1e-9 * np.abs(b), 1e-12 * np.max(np.abs(b), initial=0))
    assert (np.abs(a - b) <= bound).all(), (name, np.flatnonzero(np.abs(a - b) > bound)[:5], a[:5], b[:5])
    compared += len(a)


def equal(name, own, other):
    """Exact: counts, times, sums of decimals."""
    global compared
    own, other = [int(one) for one in own], [int(one) for one in other]
    assert own == other, (name, own[:5], other[:5])
    compared += len(own)


bbo, trades = read("bbo"), read("trades")
clock = np.maximum.accumulate(times(bbo))
midnight = clock[0] // 86_400_000_000_000 * 86_400_000_000_000
bid, ask = doubles(bbo, "bid_price"), doubles(bbo, "ask_price")
bid_qty, ask_qty = doubles(bbo, "bid_qty"), doubles(bbo, "ask_qty")
crossed = bid > ask
mid = np.where(crossed, np.nan, (bid + ask) / 2)
spread = np.where(np.isnan(mid), np.nan, ask - bid)


def standing(at, side):
    row = np.searchsorted(clock, at, side=side) - 1
    return np.where(row < 0, np.nan, mid[np.maximum(row, 0)])


def before(at):
    return standing(at, "left")


def reached(at):
    return np.where(np.asarray(at) > clock[-1], np.nan, standing(at, "right"))


quotes = mine["quotes"]
equal("quotes ts", quotes["ts"], clock)
same("mid", quotes["mid"], mid)
same("micro price", quotes["micro_price"], np.where(np.isnan(mid), np.nan, (bid * ask_qty + ask * bid_qty) / (bid_qty + ask_qty)))
same("spread", quotes["spread"], spread)
same("spread bps", quotes["spread_bps"], spread / mid * 1e4)
same("imbalance", quotes["imbalance"], np.where(np.isnan(mid), np.nan, (bid_qty - ask_qty) / (bid_qty + ask_qty)))

lengths = np.diff(clock)
for name, limit in [("quotedSpread", np.inf), ("staleSpread", 50e6)]:
    held = np.where(np.isnan(mid[:-1]), 0, np.minimum(lengths, limit))
    weight = held > 0
    figures = mine[name]
    same(name, [figures["spread"]], [np.sum(spread[:-1][weight] * held[weight]) / held.sum()])
    same(name, [figures["basisPoints"]], [np.sum((spread / mid * 1e4)[:-1][weight] * held[weight]) / held.sum()])
    equal(name, [figures["quotedNs"], figures["unquotedNs"], figures["quoteCount"], figures["crossedCount"]], [held.sum(), lengths.sum() - held.sum(), len(clock), crossed.sum()])

when = np.maximum.accumulate(times(trades))
price, size = doubles(trades, "price"), doubles(trades, "qty")
sign = np.where((trades["side"].cast(pl.String) == "BID").to_numpy(), 1.0, -1.0)
prevailing = before(when)
effective = 2 * sign * (price - prevailing)
equal("trades ts", mine["effective"]["ts"], when)
same("mid of trades", mine["effective"]["mid"], prevailing)
same("effective", mine["effective"]["effective"], effective)
same("effective bps", mine["effective"]["effective_bps"], effective / prevailing * 1e4)
known = ~np.isnan(effective)
same("mean", [mine["meanEffective"]["mean"]], [np.average((effective / prevailing * 1e4)[known], weights=size[known])])
equal("mean", [mine["meanEffective"]["count"]], [known.sum()])

later = reached(when + 5_000_000_000)
same("later mid", mine["realised"]["later_mid"], later)
realised = np.where(np.isnan(prevailing), np.nan, 2 * sign * (price - later))
same("realised", mine["realised"]["realised"], realised)
same("realised bps", mine["realised"]["realised_bps"], realised / prevailing * 1e4)
same("impact", mine["realised"]["impact"], 2 * sign * (later - prevailing))

for at, horizon in enumerate([100_000_000, 1_000_000_000, 10_000_000_000]):
    out = sign * (reached(when + horizon) - price)
    is_known = ~np.isnan(out)
    row = {name: values[at] for name, values in mine["markOuts"].items()}
    equal("mark-outs", [row["trade_count"], row["missing_count"], row["horizon_ns"]], [is_known.sum(), (~is_known).sum(), horizon])
    out, cost, weights = out[is_known], price[is_known], size[is_known]
    same("mark-outs", [row["mean"], row["mean_bps"]], [out.mean(), (out / cost * 1e4).mean()])
    same("mark-outs", [row["weighted"], row["weighted_bps"]], [np.average(out, weights=weights), np.average(out / cost * 1e4, weights=weights)])

# Order flow: between two rows that are both quotes.
flow = np.where(bid[1:] >= bid[:-1], bid_qty[1:], 0) - np.where(bid[1:] <= bid[:-1], bid_qty[:-1], 0) - np.where(ask[1:] <= ask[:-1], ask_qty[1:], 0) + np.where(ask[1:] >= ask[:-1], ask_qty[:-1], 0)
is_change = ~np.isnan(mid[1:]) & ~np.isnan(mid[:-1])
slots = (clock[1:][is_change] - midnight) // 10_000_000_000
begins, inverse, counts = np.unique(slots, return_inverse=True, return_counts=True)
starts = midnight + begins * 10_000_000_000
equal("flow", mine["flow"]["ts"], starts)
equal("flow", mine["flow"]["change_count"], counts)
same("ofi", mine["flow"]["ofi"], np.bincount(inverse, weights=flow[is_change]))
same("mid change", mine["flow"]["mid_change"], before(starts + 10_000_000_000) - before(starts))

every = 5_000_000_000
slot = (when - midnight) // every
grid = np.arange(slot[0], slot[-1] + 1)
volume = np.bincount(slot - slot[0], weights=sign * size, minlength=len(grid))
change = before(midnight + (grid + 1) * every) - before(midnight + grid * every)
use = ~np.isnan(change)
design = np.column_stack([volume[use], np.ones(use.sum())])
(slope, intercept), *_ = np.linalg.lstsq(design, change[use], rcond=None)
rest = change[use] - design @ [slope, intercept]
error = np.sqrt(np.linalg.inv(design.T @ design)[0, 0] * (rest @ rest) / (use.sum() - 2))
figures = mine["lambda"]
same("lambda", [figures["lambda"]], [slope])
same("lambda", [figures["intercept"]], [intercept])
same("lambda", [figures["rSquared"]], [1 - (rest @ rest) / np.sum((change[use] - change[use].mean()) ** 2)])
same("lambda", [figures["standardError"]], [error])
equal("lambda", [figures["intervalCount"], figures["skippedCount"]], [use.sum(), (~use).sum()])

centred = sign - sign.mean()
same("signs", mine["signs"]["autocorrelation"], [centred[lag:] @ centred[:-lag] / (centred @ centred) for lag in range(1, 21)])

# Buckets by the cumulated volume in whole lots: what lies between two multiples of a bucket.
scale = trades["qty"].dtype.scale
lots = np.array([int(one.scaleb(scale)) for one in trades["qty"].to_list()], dtype=object)
cumulated = np.cumsum(lots)
bucket = max(1, int(cumulated[-1]) // 50)
edges = [bucket * k for k in range(1, int(cumulated[-1]) // bucket + 1)]
bought = np.concatenate([[0], np.cumsum([int(one) if way > 0 else 0 for one, way in zip(lots, sign)])])
total = np.concatenate([[0], cumulated.astype(np.int64)])


def bought_to(edge):
    row = int(np.searchsorted(total, edge, side="left"))
    return int(bought[row - 1]) + (edge - int(total[row - 1]) if sign[row - 1] > 0 else 0)


marks = [bought_to(edge) for edge in edges]
buys = np.diff([0, *marks])
sells = bucket - buys
equal("vpin ts", mine["vpin"]["ts"], [when[int(np.searchsorted(total, edge, side="left")) - 1] for edge in edges])
equal("vpin buys", [round(one * 10**scale) for one in mine["vpin"]["buy_qty"]], buys)
equal("vpin sells", [round(one * 10**scale) for one in mine["vpin"]["sell_qty"]], sells)
distance = np.abs(buys - sells)
same("vpin", mine["vpin"]["vpin"], [np.nan if k < 19 else distance[k - 19 : k + 1].sum() / (20 * bucket) for k in range(len(edges))])


def logs(step):
    first, last = -(-(clock[0] - midnight) // step), (clock[-1] - midnight) // step
    values = reached(midnight + np.arange(first, last + 1) * step)
    return np.log(values[~np.isnan(values)]), np.isnan(values).sum()


log, missing = logs(1_000_000_000)
variance = np.sum(np.diff(log) ** 2)
same("volatility", [mine["volatility"]["volatility"], mine["volatility"]["variance"]], [np.sqrt(variance), variance])
equal("volatility", [mine["volatility"]["returnCount"], mine["volatility"]["missingCount"]], [len(log) - 1, missing])
# Two scales: the mean of the variances of K grids, each begun at another place.
log, _ = logs(500_000_000)
n, k = len(log) - 1, 20
averaged = np.mean([np.sum(np.diff(log[begin::k]) ** 2) for begin in range(k)])
ratio = (n - k + 1) / k / n
fine = np.sum(np.diff(log) ** 2)
two = (averaged - ratio * fine) / (1 - ratio)
same("two scales", [mine["twoScales"]["variance"]], [two])
same("two scales", [mine["twoScales"]["noiseVariance"]], [fine / 2 / n])

for at, frame in enumerate([trades, bbo]):
    one = frame.unique("event_index", keep="first", maintain_order=True)
    sent, received = times(one, "exchange_ts"), times(one)
    durations = np.sort((received - sent)[sent != NONE])
    row = {name: values[at] for name, values in mine["latencies"].items()}
    wanted = [durations[int(np.ceil(q * len(durations))) - 1] for q in (0.5, 0.9, 0.99, 0.999)]
    equal("latencies", [row[name] for name in ("count", "negative_count", "smallest_ns", "median_ns", "p90_ns", "p99_ns", "p999_ns", "largest_ns")], [len(durations), (durations < 0).sum(), durations[0], *wanted, durations[-1]])

book = pl.read_parquet(folder / "book.parquet")
own = mine["depth"]
assert len(own["ts"]) == book["ts"].n_unique() > 10
for at, (_, levels) in enumerate(book.group_by("ts", maintain_order=True)):
    levels_bid, levels_ask = doubles(levels, "bid_price"), doubles(levels, "ask_price")
    is_market = not levels["suspect"][0] and levels_bid[0] <= levels_ask[0]
    if not is_market:
        assert own["mid"][at] is None and own["bid_slope"][at] is None and own["ask_qty_5bp"][at] is None
        continue
    middle = (levels_bid[0] + levels_ask[0]) / 2
    for side, prices in [("bid", levels_bid), ("ask", levels_ask)]:
        there = ~np.isnan(prices)
        distance = np.abs(prices[there] - middle) / middle * 1e4
        quantity = doubles(levels, f"{side}_qty")[there]
        same("slope", [own[f"{side}_slope"][at]], [distance @ np.cumsum(quantity) / (distance @ distance)])
        for limit in (1, 5):
            is_cut = len(distance) == 60 and distance[-1] < limit
            same("depth", [own[f"{side}_qty_{limit}bp"][at]], [np.nan if is_cut else quantity[distance <= limit * (1 + 1e-12)].sum()])

if "basis" in mine:
    mark, index, funding = read("mark"), read("index"), read("funding")
    index_clock, index_price = np.maximum.accumulate(times(index)), doubles(index, "price")

    def index_at(at):
        row = np.searchsorted(index_clock, at, side="right") - 1
        return np.where(row < 0, np.nan, index_price[np.maximum(row, 0)])

    mark_clock, mark_price = np.maximum.accumulate(times(mark)), doubles(mark, "price")
    ratio = mark_price / index_at(mark_clock)
    # One less than a ratio near 1: its largest value bounds the error of the difference.
    assert np.nanmax(np.abs(np.array(mine["basis"]["basis_bps"], dtype=float) / 1e4 + 1 - ratio)) < 1e-12
    assert np.nanmax(np.abs(np.array(mine["basis"]["annualised"], dtype=float) / (365 * 3) + 1 - ratio)) < 1e-12
    same("basis", mine["basis"]["basis"], mark_price - index_at(mark_clock))
    same("index", mine["midBasis"]["index"], index_at(clock))
    same("mid basis", mine["midBasis"]["basis"], mid - index_at(clock))
    assert all(one is None for one in mine["midBasis"]["annualised"])
    stated = np.maximum.accumulate(times(funding))
    due, rate = times(funding, "next_funding_ts"), doubles(funding, "rate")
    end = max(stated[-1], mark_clock[-1])
    paid = sorted({int(one) for one in due if one != NONE and one <= end and (stated[due == one] < one).any()})
    equal("funding", mine["funding"]["ts"], paid)
    rates = [rate[(due == one) & (stated < one)][-1] for one in paid]
    marks = [mark_price[mark_clock < one][-1] if (mark_clock < one).any() else np.nan for one in paid]
    same("funding", mine["funding"]["rate"], rates)
    same("funding", mine["funding"]["paid"], np.array(rates) * np.array(marks))
print(f"measures: {compared} figures of {folder.name} equal those of numpy")
