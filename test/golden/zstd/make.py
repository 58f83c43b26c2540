#!/usr/bin/env python3
"""Makes the zstd fixtures of this folder again: NAME.txt is the text, NAME.zst what the zstd program (1.5.4) makes of it. Needs python3 and zstd."""
import subprocess
from pathlib import Path

here = Path(__file__).resolve().parent
state = 20261121


def draw(limit):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) % limit


def lines(count):
    out = ['{"instrument":{"id":7,"code":"MADE-UP"}}']
    stamp, event = 1_732_147_200_000_000_000, 1000
    for _ in range(count):
        stamp += draw(90_000_000)
        event += 1
        rows = ",".join(f"[{draw(2)},{60_000 + draw(900) / 10},{draw(4000) / 1000}]" for _ in range(1 + draw(3)))
        out.append(f"[1,7,{event - 1},{event},{stamp},{stamp - 4_000_000 - draw(9_000_000)},[{rows}]]")
    return "\n".join(out) + "\n"


def make(name, text, *options, stdin=False):
    data = text if isinstance(text, bytes) else text.encode()
    (here / f"{name}.txt").write_bytes(data)
    target = here / f"{name}.zst"
    if stdin:
        target.write_bytes(subprocess.run(["zstd", "-qc", *options], input=data, stdout=subprocess.PIPE, check=True).stdout)
    else:
        subprocess.run(["zstd", "-qf", *options, here / f"{name}.txt", "-o", target], check=True)


make("tiny", lines(4), "--check")
make("checked", lines(12), "--check")
make("unchecked", lines(12), "--no-check")
make("streamed", lines(12), "--check", stdin=True)
make("unchecked-streamed", lines(12), "--no-check", stdin=True)
make("small-window", lines(40), "--check", "--zstd=wlog=10")
make("small-window-unchecked", lines(40), "--no-check", "--zstd=wlog=10")
make("level-22", lines(30), "--check", "--ultra", "-22")
make("many-blocks", lines(4000), "--check", "-9")
make("fast", lines(20), "--check", "--fast=5")
make("long-window", lines(20), "--check", "--long=27", stdin=True)
make("one-byte-often", b"\n" * 3000, "--check")
make("incompressible", bytes(draw(256) for _ in range(2000)), "--check")
make("empty", "", "--check")
make("empty-streamed", "", "--no-check", stdin=True)
