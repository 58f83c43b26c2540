import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFrameCompressor } from '../../src/files/zstd-compressor.js'

/** 2026-07-01T00:00:00 UTC. */
export const T0 = 1_782_864_000_000_000_000n

/** Line 1 with a tick of 0.1 and a lot of 0.001, unless the fields say otherwise. */
export function masterLine(fields: Record<string, unknown> = {}): string {
  const instrument = { id: 7, code: 'ABC', exchange_code: 'test', type: 'perpetual', ticksize: '0.1', lot_size: '0.001', multiplier: '1', ...fields }
  return JSON.stringify({ instrument, underlyings: [] })
}

const at = (ns: number): string => String(T0 + BigInt(ns))

/** A line of every kind, with nulls, empty and awkward texts, extreme ids and negative rates. */
export const EVERY_KIND: readonly string[] = [
  `[5,7,${at(1)},"READY","said \\"go\\", # 1\\nthen, more"]`,
  `[5,7,${at(2)},"ERROR",""]`,
  `[0,7,"0","10",${at(3)},${at(2)},[[0,"100.1","1.5",1],[0,"100","2",1],[1,"100.2","0.001",1]],true]`,
  `[1,7,"10","11",${at(4)},0,[[0,"100.1","0",1],[1,"100.3","9007199254740.991",1]]]`,
  `[1,7,"11","9223372036854775807",${at(3)},${at(3)},[]]`,
  `[2,7,"0","18446744073709551615",${at(5)},${at(4)},[[0,"100.2","0.5","a,b",${at(4)}],[1,"100.1","1","",0],[1,"100.1","2",null,${at(3)}]]]`,
  `[6,7,"0","13",${at(6)},0,[[1,"100.2","3",1],[0,"100.1","4",1]]]`,
  `[6,7,"0","14",${at(7)},${at(7)},[[0,"99.9","1",1]]]`,
  `[6,7,"0","15",${at(8)},${at(7)},[]]`,
  `[7,7,"0","16",${at(9)},${at(8)},"100.12345678","0.5",null,"-0.25","1E-3",null,"0.1","0"]`,
  `[7,7,"0","17",${at(10)},${at(8)},"0.0070174072573915"]`,
  `[8,7,"0","18",${at(11)},${at(8)},"100.1234"]`,
  `[9,7,"0","19",${at(12)},${at(8)},["-0.00010",${at(999)},"0.000011"]]`,
  `[9,7,"0","20",${at(13)},${at(8)},["0.0001",0]]`,
  `[17,7,"0","21",${at(14)},${at(8)},[[1,"74.1","5.8",${at(5)}],[0,"75","1",0]]]`,
]

/** Writes lines as a tick file of `folder` and returns its path. */
export async function writeTickFile(folder: string, name: string, lines: readonly string[]): Promise<string> {
  const compress = await createFrameCompressor(1)
  const path = join(folder, name)
  writeFileSync(path, compress(new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))))
  return path
}

/** Names in a folder, without the manifest. */
export function resultNames(folder: string): string[] {
  return readdirSync(folder).filter((name) => name !== 'backtape-manifest.json').sort()
}
