import type { DirectoryInstrument, DirectoryReading } from '../feed/instrument-directory-client.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import { scalesOfInstrument } from '../tickfile/lines/master-data.js'
import type { InstrumentDirectory, InstrumentEntry, UnderlyingDirectory } from '../venue/venue.js'

/** Instruments and underlyings of directories, as a strategy sees them. */
export interface ReadEntries {
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
}

/**
 * The instruments of several markets. Where a directory states the columns of spec 1 alone, underlyings are known by
 * their codes and not by id, and terms that it has no column for are absent.
 */
export function directoryEntries(readings: readonly DirectoryReading[]): ReadEntries {
  const all = readings.flatMap(({ instruments }) => instruments)
  const entries = all.map(entryOf)
  const byId = new Map(entries.map((entry) => [entry.instrument.id, entry]))
  const underlyings = new Map<number, Underlying>(
    all.flatMap(({ master }) => master?.underlyings ?? []).map((one) => [one.id, one]))
  return {
    instruments: { entries, get: (id) => byId.get(id) },
    underlyings: { entries: [...underlyings.values()], get: (id) => underlyings.get(id) },
  }
}

function entryOf(row: DirectoryInstrument): InstrumentEntry {
  const instrument = row.master?.instrument ?? bareInstrument(row)
  const { price, quantity } = scalesOfInstrument(instrument)
  return { instrument, priceScale: price, quantityScale: quantity }
}

function bareInstrument(row: DirectoryInstrument): Instrument {
  return {
    id: row.instrumentId, code: row.code, codeAlias: null, nativeCode: null, exchangeId: row.exchangeId,
    exchangeCode: row.exchangeCode, type: row.type, state: row.state, active: null, isInverse: false, isQuanto: false,
    contractValue: row.contractValue, multiplier: row.multiplier, strikePrice: null, start: null, expiry: null,
    tickSize: row.tickSize, tickBands: [], significantDigits: null, maxDecimals: null, lotSize: row.lotSize,
    minOrder: row.minOrder, maxOrder: row.maxOrder, minValue: null, fundingIntervalSeconds: null,
    baseUnderlyingId: null, counterUnderlyingId: null, valuationUnderlyingId: null, feeUnderlyingId: null,
  }
}
