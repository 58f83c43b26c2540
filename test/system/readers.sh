#!/usr/bin/env bash
# Converts every recorded file to Parquet, Arrow and CSV, checks each, and compares what pyarrow, polars and DuckDB read with the text.
set -euo pipefail
cd "$(dirname "$0")/../.."
shared=${BACKTAPE_SHARED:-../shared}; cache=${READERS_CACHE:-.cache/readers}; mkdir -p "$cache"
[ -f "$cache/ok" ] || { python3 -m venv "$cache/venv" && "$cache/venv/bin/pip" install -q --disable-pip-version-check pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.0 && touch "$cache/ok"; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
inputs=("$shared"/data/days/*.txt.zst "$shared"/data/bundles/deribit-options-2021-07-22.tar)
for format in parquet arrow csv; do
  node bin/backtape.js convert "${inputs[@]}" --to "$format" --out "$work/$format" --jobs 2 --check > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  "$cache/venv/bin/python" test/system/readers.py "$work/$format" "${inputs[@]}"
done
# The two days of the range tar are the same days as the files: their results must be the same bytes.
node bin/backtape.js convert "$shared"/data/bundles/binance_swap-*.tar --to parquet --out "$work/tar" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
for file in "$work"/tar/*.parquet; do cmp "$file" "$work/parquet/$(basename "$file")"; done
# The same bytes on another Node, where one is named.
if [ -n "${OTHER_NODE:-}" ]; then
  "$OTHER_NODE" bin/backtape.js convert "$shared"/data/bundles/binance_swap-*.tar --to parquet --out "$work/other" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  for file in "$work"/tar/*.parquet; do cmp "$file" "$work/other/$(basename "$file")"; done
fi
echo "readers: every recorded file in Parquet, Arrow and CSV is read by others as the text says"
