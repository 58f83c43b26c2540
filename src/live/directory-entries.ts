import type { DirectoryInstrument, DirectoryReading } from '../feed/instrument-directory-client.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import { scalesOfInstrument, type MasterData } from '../tickfile/lines/master-data.js'
import type { InstrumentDirectory, InstrumentEntry, UnderlyingDirectory } from '../venue/venue.js'

/** Instruments and underlyings of directories, as a strategy sees them. */
export interface ReadEntries {
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
}

/**
 * The instruments of several markets. Where a directory states the columns of spec 1 alone, underlyings are known by
 * their codes and not by id, and terms that it has no column for are those that are `known` by other means, or absent.
 */
export function directoryEntries(
  readings: readonly DirectoryReading[], known: ReadonlyMap<number, MasterData> = new Map(),
): ReadEntries {
  const all = readings.flatMap(({ instruments }) => instruments)
  const entries = all.map((row) => entryOf(row, known.get(row.instrumentId)))
  const byId = new Map(entries.map((entry) => [entry.instrument.id, entry]))
  const underlyings = new Map<number, Underlying>(
    all.flatMap(({ master, instrumentId }) => (master ?? known.get(instrumentId))?.underlyings ?? [])
      .map((one) => [one.id, one]))
  return {
    instruments: { entries, get: (id) => byId.get(id) },
    underlyings: { entries: [...underlyings.values()], get: (id) => underlyings.get(id) },
  }
}

function entryOf(row: DirectoryInstrument, known: MasterData | undefined): InstrumentEntry {
  const instrument = row.master?.instrument ?? (known === undefined ? bareInstrument(row) : todaysTerms(known, row))
  const { price, quantity } = scalesOfInstrument(instrument)
  return { instrument, priceScale: price, quantityScale: quantity }
}

/** Terms of a file, those that the directory states as it states them: they may be newer. */
function todaysTerms({ instrument }: MasterData, row: DirectoryInstrument): Instrument {
  const { state, tickSize, lotSize, minOrder, maxOrder } = row
  return {
    ...instrument, state, tickSize: tickSize ?? instrument.tickSize, lotSize: lotSize ?? instrument.lotSize,
    minOrder: minOrder ?? instrument.minOrder, maxOrder: maxOrder ?? instrument.maxOrder,
  }
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
