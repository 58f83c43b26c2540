import type { Instrument } from '../../src/model/instrument.js'
import { dayText, storedFrame } from './hand-made-day.ts'
import { lineBatch, madeInstrument, type MarketLine } from './market-lines.ts'
import { linesOfBatch } from './tick-lines.ts'

/** The day of {@link marketFile}: 2026-07-01. */
export const MADE_EPOCH_DAY = 20_635

/** Midnight of that day. */
export const MADE_MIDNIGHT_NS: bigint = BigInt(MADE_EPOCH_DAY) * 86_400_000_000_000n

/** Hand-written lines as the compressed bytes of a tick file; times count from the midnight of 2026-07-01. */
export function marketFile(lines: readonly MarketLine[], more: Partial<Instrument> = {}): Uint8Array {
  const instrument = madeInstrument({ code: `TEST${more.id ?? 1}`, ...more })
  const fields = {
    id: instrument.id, code: instrument.code, exchange_code: instrument.exchangeCode, type: instrument.type, is_inverse: instrument.isInverse, contract_value: instrument.contractValue, is_quanto: false, multiplier: '1', ticksize: instrument.tickSize, tick_table: null,
    lot_size: instrument.lotSize, base_underlying_id: 1, ...(instrument.expiry === null ? {} : { expiry: instrument.expiry }), counter_underlying_id: 2, valuation_underlying_id: 2, fee_underlying_id: 2,
  }
  const underlying = (id: number, code: string): object => ({ id, code, name: code, type: 'coin', fx_rate: 1, ts_fx: '2026-07-01T00:00:00Z' })
  const master = { instrument: fields, underlyings: [underlying(1, 'BASE'), underlying(2, 'CASH')] }
  const batch = { ...lineBatch(lines, { instrument }), epochDay: MADE_EPOCH_DAY }
  return storedFrame(new TextEncoder().encode(dayText(master, []) + linesOfBatch(batch).map((line) => `${line}\n`).join('')))
}
