"""Compares statistics of daily returns with quantstats and empyrical-reloaded to 1e-9: ratios.py SERIES.jsonl"""
import json, math, sys, warnings

warnings.filterwarnings("ignore")
import empyrical
import pandas as pd
import quantstats.stats as qs

compared = 0


def same(name, mine, other):
    global compared
    assert mine is not None and math.isclose(mine, other, rel_tol=1e-9, abs_tol=1e-12), (name, mine, other)
    compared += 1


for line in open(sys.argv[1]):
    record = json.loads(line)
    mine = record["statistics"]
    returns = pd.Series(record["returns"], index=pd.date_range("2024-01-01", periods=len(record["returns"]), freq="D"))
    assert mine["sampleCount"] == len(returns)
    same("total, empyrical", mine["total"], empyrical.cum_returns_final(returns))
    same("sharpe, empyrical", mine["sharpe"], empyrical.sharpe_ratio(returns, annualization=365))
    same("sharpe, quantstats", mine["sharpe"], qs.sharpe(returns, periods=365))
    same("sortino, empyrical", mine["sortino"], empyrical.sortino_ratio(returns, annualization=365))
    same("sortino, quantstats", mine["sortino"], qs.sortino(returns, periods=365))
    same("volatility, empyrical", mine["volatility"], empyrical.annual_volatility(returns, annualization=365))
    same("volatility, quantstats", mine["volatility"], qs.volatility(returns, periods=365))
    same("drawdown, empyrical", mine["maxDrawdown"], -empyrical.max_drawdown(returns))
    same("drawdown, quantstats", mine["maxDrawdown"], -qs.max_drawdown(returns))
    same("calmar, empyrical", mine["calmar"], empyrical.calmar_ratio(returns, annualization=365))
    if (returns != 0).any():
        same("win rate, quantstats", mine["winRate"], qs.win_rate(returns))
    same("profit factor, quantstats", mine["profitFactor"], qs.profit_factor(returns))
print(f"statistics: {compared} figures equal those of quantstats and empyrical")
