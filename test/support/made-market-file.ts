import type { Instrument, Underlying } from '../../src/model/instrument.js'
import { dayText, storedFrame } from './hand-made-day.ts'
import { lineBatch, madeInstrument, type LineBatchOptions, type MarketLine } from './market-lines.ts'
import { linesOfBatch } from './tick-lines.ts'

/** The day of {@link marketFile}: 2026-07-01. */
export const MADE_EPOCH_DAY = 20_635

/** Midnight of that day. */
export const MADE_MIDNIGHT_NS: bigint = BigInt(MADE_EPOCH_DAY) * 86_400_000_000_000n

/** Lines whose numbers have the same digits. */
export type MarketPart = Pick<LineBatchOptions, 'priceScale' | 'quantityScale'> & { readonly lines: readonly MarketLine[] }

/** What a day says beside its lines. */
export interface MadeDay {
  readonly master?: Partial<Instrument>
  readonly underlyings?: readonly Partial<Underlying>[]
  /** Default: 2026-07-01. */
  readonly epochDay?: number
  /** Fields of line 1 as they stand there, over the others. */
  readonly fields?: object
}

/** Hand-written lines as the compressed bytes of a tick file; times count from the midnight of 2026-07-01. */
export function marketFile(lines: readonly MarketLine[], more: Partial<Instrument> = {}): Uint8Array {
  return marketDay([{ lines }], { master: more })
}

/** The same of lines whose digits change on the way, of any day; times count from its midnight. */
export function marketDay(parts: readonly MarketPart[], { master: more = {}, underlyings = [], epochDay = MADE_EPOCH_DAY, fields: own = {} }: MadeDay = {}): Uint8Array {
  const instrument = madeInstrument({ code: `TEST${more.id ?? 1}`, ...more })
  const { tickBands } = instrument
  const fields = {
    id: instrument.id, code: instrument.code, code_alias: instrument.codeAlias, exchange_code: instrument.exchangeCode, type: instrument.type, state: instrument.state, is_inverse: instrument.isInverse,
    contract_value: instrument.contractValue, is_quanto: instrument.isQuanto, multiplier: instrument.multiplier, strike_price: instrument.strikePrice, ticksize: instrument.tickSize,
    tick_table: tickBands.length === 0 ? null : { e: tickBands.map(({ floor, tickSize }) => ({ p: floor, t: tickSize })) },
    lot_size: instrument.lotSize, min_order: instrument.minOrder, max_order: instrument.maxOrder, min_value: instrument.minValue, funding_interval: instrument.fundingIntervalSeconds,
    base_underlying_id: instrument.baseUnderlyingId, ...(instrument.expiry === null ? {} : { expiry: instrument.expiry }), counter_underlying_id: instrument.counterUnderlyingId,
    valuation_underlying_id: instrument.valuationUnderlyingId, fee_underlying_id: instrument.feeUnderlyingId, ...own,
  }
  const underlying = (id: number, code: string): object => {
    const given = underlyings.find((one) => one.id === id)
    return { id, code: given?.code ?? code, name: code, type: given?.type ?? 'coin', fx_rate: given?.fxRate ?? 1, ts_fx: '2026-07-01T00:00:00Z' }
  }
  const master = { instrument: fields, underlyings: [underlying(1, 'BASE'), underlying(2, 'CASH')] }
  const texts = parts.flatMap(({ lines, ...scales }) => linesOfBatch({ ...lineBatch(lines, { instrument, ...scales }), epochDay }))
  return storedFrame(new TextEncoder().encode(dayText(master, []) + texts.map((line) => `${line}\n`).join('')))
}
