"""Replays rows of bench/peers/rows.mjs with hftbacktest and prints the seconds of each round as JSON.

replay.py ROWS TICK LOT idle|maker|rester ROUNDS: ROIVectorMarketDepth is its fastest depth.
"""
import json
import sys
import time

import numpy as np
from hftbacktest import BacktestAsset, GTX, LIMIT, ROIVectorMarketDepthBacktest
from hftbacktest.data import correct_event_order, correct_local_timestamp, validate_event_order
from hftbacktest.types import BUY_EVENT, EXCH_EVENT, LOCAL_EVENT, event_dtype
from numba import njit

STEP_NS = 100_000_000


@njit
def idle(hbt):
    steps = 0
    while hbt.elapse(60_000_000_000) == 0:
        steps += 1
    return steps


@njit
def maker(hbt, lot):
    number = 1
    while hbt.elapse(STEP_NS) == 0:
        hbt.clear_inactive_orders(0)
        depth = hbt.depth(0)
        bid, ask = depth.best_bid_tick, depth.best_ask_tick
        has_bid, has_ask = False, False
        orders = hbt.orders(0)
        values = orders.values()
        while values.has_next():
            order = values.get()
            want = bid if order.side == 1 else ask
            if order.price_tick != want:
                if order.cancellable:
                    hbt.cancel(0, order.order_id, False)
            elif order.side == 1:
                has_bid = True
            else:
                has_ask = True
        if not has_bid and len(orders) < 4:
            hbt.submit_buy_order(0, number, bid * depth.tick_size, lot, GTX, LIMIT, False)
            number += 1
        if not has_ask and len(orders) < 4:
            hbt.submit_sell_order(0, number, ask * depth.tick_size, lot, GTX, LIMIT, False)
            number += 1
    return number


def events(path):
    raw = np.fromfile(path, dtype=event_dtype)
    return correct_event_order(correct_local_timestamp(raw, 0), np.argsort(raw["exch_ts"], kind="mergesort"), np.argsort(raw["local_ts"], kind="mergesort"))


def asset(data, tick, lot):
    prices = data["px"][data["px"] > 0]
    return (
        BacktestAsset().data([data]).linear_asset(1.0).constant_order_latency(10_000_000, 10_000_000).risk_adverse_queue_model()
        .no_partial_fill_exchange().trading_value_fee_model(0.0, 0.0).tick_size(tick).lot_size(lot).last_trades_capacity(0)
        .roi_lb(float(prices.min())).roi_ub(float(prices.max()))
    )


def main():
    path, tick, lot, strategy, rounds = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), sys.argv[4], int(sys.argv[5])
    started = time.perf_counter()
    data = events(path)
    loaded = time.perf_counter() - started
    seconds = []
    for number in range(rounds + 1):
        hbt = ROIVectorMarketDepthBacktest([asset(data, tick, lot)])
        started = time.perf_counter()
        idle(hbt) if strategy == "idle" else maker(hbt, lot)
        # The first round compiles.
        if number > 0:
            seconds.append(time.perf_counter() - started)
        hbt.close()
    print(json.dumps({"loadSeconds": loaded, "seconds": seconds, "rows": int(len(data))}))


main()
