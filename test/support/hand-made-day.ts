import { openTickFile, type TickDay } from '../../src/day/tick-day.js'
import type { ReadOptions } from '../../src/tickfile/archive/read-options.js'

/** One event line in the layout of spec 4, without the instrument id, which is put in. Bigints and numbers print as digits. */
export type Line = readonly unknown[]

const ID = 7

/** Epoch nanoseconds of a clock time on 2026-07-01. */
export function time(clock: string): bigint {
  return BigInt(Date.parse(`2026-07-01T${clock}Z`)) * 1_000_000n
}

/** Line 1: underlyings 1 (the base, 50,000 USD), 2 (2 USD, counter and valuation unless said otherwise), 3 (1 USD). */
export function masterData(fields: Record<string, unknown>): object {
  const instrument = {
    id: ID, code: 'HAND', exchange_code: 'made', type: 'perpetual', is_inverse: false, is_quanto: false, contract_value: null, multiplier: 1, ticksize: 1, tick_table: null, lot_size: 1,
    base_underlying_id: 1, counter_underlying_id: 2, valuation_underlying_id: 2, fee_underlying_id: 2, ...fields,
  }
  const underlying = (id: number, code: string, rate: number): object => ({ id, code, name: code, type: 'coin', fx_rate: rate, ts_fx: '2026-07-01T00:00:00Z', verified: true, about: null, meta: {} })
  return { instrument, underlyings: [underlying(1, 'BTC', 50_000), underlying(2, 'USDT', 2), underlying(3, 'USD', 1)] }
}

function plainText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  return Array.isArray(value) ? `[${value.map(plainText).join(',')}]` : JSON.stringify(value)
}

/** The text of a tick file. */
export function dayText(master: object, lines: readonly Line[], id: number = ID): string {
  return [JSON.stringify(master), ...lines.map(([kind, ...rest]) => plainText([kind, id, ...rest]))].map((line) => `${line}\n`).join('')
}

/** Bytes as a zstd frame of raw blocks: no compressor needed. */
export function storedFrame(bytes: Uint8Array): Uint8Array {
  const parts: number[] = [0x28, 0xb5, 0x2f, 0xfd, 0xa0, ...new Uint8Array(Uint32Array.of(bytes.length).buffer)]
  const step = 65_536
  for (let at = 0; at === 0 || at < bytes.length; at += step) {
    const block = bytes.subarray(at, at + step)
    const header = (block.length << 3) | (at + step >= bytes.length ? 1 : 0)
    parts.push(header & 255, (header >> 8) & 255, header >> 16)
    for (const byte of block) parts.push(byte)
  }
  return Uint8Array.from(parts)
}

/** The compressed bytes of a hand-made tick file. */
export function dayBytes(master: object, lines: readonly Line[], id: number = ID): Uint8Array {
  return storedFrame(new TextEncoder().encode(dayText(master, lines, id)))
}

/** A hand-made day of 2026-07-01, opened from bytes. */
export function dayOf(master: object, lines: readonly Line[], options: ReadOptions = { day: '2026-07-01' }): Promise<TickDay> {
  return openTickFile(dayBytes(master, lines), options)
}
