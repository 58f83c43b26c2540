#!/usr/bin/env bash
# Converts recorded files, checks each, and compares what pyarrow, polars, pandas and DuckDB read with the text. A day takes a swap day with every kind of
# table and the options, to Parquet and CSV; the night takes every file, and a day of each kind of contract to the other formats too.
set -euo pipefail
cd "$(dirname "$0")/../.."
shared=${BACKTAPE_SHARED:-../shared} python=$(bash test/system/python/environment.sh)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
convert() { node bin/backtape.js convert "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }
inputs=("$shared"/data/days/*.txt.zst "$shared"/data/bundles/deribit-options-2021-07-22.tar)
# Converts sources to some formats, and compares: whole "FORMAT..." SOURCE...
whole() {
  local folders=() format
  for format in $1; do
    convert "${@:2}" --to "$format" --margins keep --out "$work/whole-$format" --jobs 2 --check
    folders+=("$work/whole-$format")
  done
  "$python" test/system/readers.py "${folders[@]}" -- "${@:2}"
}
swap=$shared/data/days/binance_swap-BTCUSDT-2023-04-04.txt.zst
some=("$shared"/data/days/binance_{coin_swap-BTCUSD_PERP,spot-ETHUSDT}-2024-08-08.txt.zst "$swap" "$shared"/data/bundles/deribit-options-2021-07-22.tar)
if [ -z "${BACKTAPE_NIGHTLY:-}" ]; then
  whole 'parquet csv' "$swap" "$shared"/data/bundles/deribit-options-2021-07-22.tar
else
  whole 'parquet csv arrow' "${inputs[@]}"
  whole 'arrows csv.gz json jsonl jsonl.gz' "${some[@]}" "$shared"/data/days/binance_swap-BTCUSDT-2024-08-08.txt.zst
fi
# The two days of the range tar are the same days as the files: their results must be the same bytes. By night the others are converted beside them.
same=("$shared"/data/days/binance_swap-BTCUSDT-2023-04-0[45].txt.zst)
[ -z "${BACKTAPE_NIGHTLY:-}" ] || same=("${inputs[@]}")
convert "${same[@]}" --to parquet --out "$work/parquet" --jobs 2
node bin/backtape.js convert "$shared"/data/bundles/binance_swap-*.tar --to parquet --out "$work/tar" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
for file in "$work"/tar/*.parquet; do cmp "$file" "$work/parquet/$(basename "$file")"; done
# Two recorded days one behind the other, from their files and from the range tar: every trade once. By night from files of their own, in CSV too.
if [ -z "${BACKTAPE_NIGHTLY:-}" ]; then
  "$python" test/system/readers.py --days "$work/parquet" "$work/tar"
else
  for format in parquet csv; do
    convert "$shared"/data/days/binance_coin_swap-BTCUSD_PERP-2024-08-0[89].txt.zst --to "$format" --kinds trades --out "$work/days-$format"
    convert "$shared"/data/bundles/binance_swap-*.tar --to "$format" --kinds trades --out "$work/range-$format"
    "$python" test/system/readers.py --days "$work/days-$format" "$work/range-$format"
  done
fi
# The same bytes on another Node, where one is named.
if [ -n "${OTHER_NODE:-}" ]; then
  "$OTHER_NODE" bin/backtape.js convert "$shared"/data/bundles/binance_swap-*.tar --to parquet --out "$work/other" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  for file in "$work"/tar/*.parquet; do cmp "$file" "$work/other/$(basename "$file")"; done
fi
echo "readers: recorded files in every format are read by others as their text states"
