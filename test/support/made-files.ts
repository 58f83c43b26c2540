import { makeDays, type SyntheticOptions } from '../../src/synthetic/made-days.js'

/** The texts of made-up days by file name, in memory: for small ones. */
export function madeFiles(options: SyntheticOptions): Map<string, string> {
  const files = new Map<string, string>()
  for (const { fileName, text } of makeDays(options)) files.set(fileName, (files.get(fileName) ?? '') + text)
  return files
}

/** An event line taken apart by JSON; the two times (beyond 2^53) from their digits. */
export interface MadeEvent {
  readonly line: string
  readonly kind: number
  readonly previousId: string
  readonly id: string
  readonly adapterNs: bigint
  readonly exchangeNs: bigint
  readonly data: unknown
  readonly tail: readonly unknown[]
}

export type MadeRow = readonly [side: number, price: string, quantity: string, rest: unknown, time?: number]

function madeEvent(line: string): MadeEvent {
  const fields = JSON.parse(line) as unknown[]
  const kind = Number(fields[0])
  if (kind === 5) {
    const adapter = /^\[5,\d+,(\d+),/.exec(line)?.[1] ?? ''
    return { line, kind, previousId: '', id: '', adapterNs: BigInt(adapter), exchangeNs: 0n, data: fields[3], tail: fields.slice(4) }
  }
  const times = /^\[\d+,\d+,"\d+","\d+",(\d+),(\d+),/.exec(line) ?? []
  return {
    line,
    kind,
    previousId: String(fields[2]),
    id: String(fields[3]),
    adapterNs: BigInt(times[1] ?? ''),
    exchangeNs: BigInt(times[2] ?? ''),
    data: fields[6],
    tail: fields.slice(7),
  }
}

/** The events of one made-up file, line 1 left out. */
export function madeEvents(text: string): MadeEvent[] {
  return text.trimEnd().split('\n').slice(1).map(madeEvent)
}
