#!/usr/bin/env bash
# Frames of the bundled and of the recorded days against the codecs that Real Logic's sbe-tool generates of schemas/feed.xml: Java decodes each frame,
# encodes it to the same bytes, and has the same exact values as our reader.
set -euo pipefail
cd "$(dirname "$0")/../.."
shared=${BACKTAPE_SHARED:-../shared}; cache=${SBE_CACHE:-.cache/sbe}; mkdir -p "$cache"
command -v javac > /dev/null && command -v mvn > /dev/null || { echo 'sbe: javac and mvn are needed: apt-get install openjdk-17-jdk-headless maven' >&2; exit 1; }
[ -f "$cache/ok-1" ] || { mvn -q -B -ntp -f test/system/sbe/pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
  -DincludeScope=runtime -DoutputDirectory="$PWD/$cache/libs" && touch "$cache/ok-1"; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
java=(java --add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-exports java.base/jdk.internal.misc=ALL-UNNAMED -cp "$work/classes:$cache/libs/*")
# One warning is expected: groups have a uint32 size, as full books have more rows than two bytes count.
"${java[@]}" -Dsbe.output.dir="$work/java" -Dsbe.target.language=Java -Dsbe.validation.stop.on.error=true uk.co.real_logic.sbe.SbeTool schemas/feed.xml 2> "$work/warnings"
if grep -v '"numInGroup" should be UINT8 or UINT16' "$work/warnings"; then echo 'sbe: sbe-tool has something to say on schemas/feed.xml' >&2; exit 1; fi
find "$work/java" -name '*.java' > "$work/sources"
javac -nowarn -cp "$cache/libs/*" -d "$work/classes" @"$work/sources" test/system/sbe/FeedCheck.java
# By day one recorded day, of a swap; by night all.
days=(datasets/*.txt.zst "$shared"/data/days/binance_swap-BTCUSDT-2023-04-04.txt.zst)
[ -z "${BACKTAPE_NIGHTLY:-}" ] || days=(datasets/*.txt.zst "$shared"/data/days/*.txt.zst)
node test/system/sbe/frames.mjs "$work" "${days[@]}"
for frames in "$work"/*.frames; do
  "${java[@]}" FeedCheck "$frames" "$frames.found" | sed "s|$work/||"
  cmp "$frames.found" "${frames%.frames}.expected"
  rm "$frames" "$frames.found" "${frames%.frames}.expected"
done
echo "sbe: ${#days[@]} days and the made messages: bytes and exact values are those of sbe-tool's codecs"
