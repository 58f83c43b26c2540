import type { DirectoryInstrument, DirectoryReading } from '../feed/instrument-directory-client.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import { scalesOfInstrument, type MasterData } from '../tickfile/lines/master-data.js'
import type { InstrumentDirectory, InstrumentEntry, UnderlyingDirectory } from '../venue/venue.js'

/** Instruments and underlyings of directories, as a strategy sees them. */
export interface ReadEntries {
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
  /**
   * Takes another reading, of which those that are new are known from now on: instruments that were known stay as they
   * are, as orders at their scales are on their way. Returns the new ones.
   */
  take(reading: DirectoryReading): readonly InstrumentEntry[]
}

/**
 * The instruments of several markets. Where a directory states the columns of spec 1 alone, underlyings are known by
 * their codes and not by id, and terms that it has no column for are those that are `known` by other means, or absent.
 */
export function directoryEntries(
  readings: readonly DirectoryReading[], known: ReadonlyMap<number, MasterData> = new Map(),
): ReadEntries {
  const entries: InstrumentEntry[] = []
  const byId = new Map<number, InstrumentEntry>()
  const all: Underlying[] = []
  const underlyings = new Map<number, Underlying>()
  const take = ({ instruments }: DirectoryReading): readonly InstrumentEntry[] => {
    const added = instruments.filter(({ instrumentId }) => !byId.has(instrumentId))
    for (const row of added) {
      const entry = entryOf(row, known.get(row.instrumentId))
      entries.push(entry)
      byId.set(row.instrumentId, entry)
      for (const one of (row.master ?? known.get(row.instrumentId))?.underlyings ?? []) underlyings.set(one.id, one)
    }
    all.splice(0, all.length, ...underlyings.values())
    return entries.slice(entries.length - added.length)
  }
  for (const reading of readings) take(reading)
  return {
    take, instruments: { entries, get: (id) => byId.get(id) },
    underlyings: { entries: all, get: (id) => underlyings.get(id) },
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
