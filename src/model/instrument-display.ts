import { shownFacts, type Shown } from './display-table.js'
import { instrumentName, type Instrument } from './instrument.js'

/** The facts of an instrument that are known, in the order in which people ask for them. */
export function instrumentFacts(instrument: Instrument): (readonly [label: string, value: string])[] {
  const { tickBands, fundingIntervalSeconds } = instrument
  const facts: readonly (readonly [string, string | number | null])[] = [
    ['id', instrument.id], ['type', instrument.type], ['strike price', instrument.strikePrice],
    ['expiry', instrument.expiry], ['tick size', instrument.tickSize],
    ['tick bands', tickBands.map((one) => `${one.tickSize} from ${one.floor}`).join(', ')],
    ['significant digits', instrument.significantDigits], ['lot size', instrument.lotSize],
    ['least order', instrument.minOrder], ['greatest order', instrument.maxOrder], ['least value', instrument.minValue],
    ['contract value', instrument.contractValue], ['multiplier', instrument.multiplier],
    ['settled in', instrument.isInverse ? 'its base (inverse)' : instrument.isQuanto ? 'another currency' : null],
    ['funding every', fundingIntervalSeconds === null ? null : `${String(fundingIntervalSeconds / 3_600)} h`],
  ]
  return facts.flatMap(([label, value]) => value === null || value === '' ? [] : [[label, String(value)] as const])
}

/** An instrument as it is shown: its name and what is known of it. */
export function shownInstrument(instrument: Instrument): Shown {
  return shownFacts(`Instrument ${instrumentName(instrument)}`, instrumentFacts(instrument))
}
