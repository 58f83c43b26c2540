import type { InstrumentDirectory, InstrumentEntry } from '../venue/venue.js'
import { FaultsError, foundText, type Fault } from '../model/fault.js'
import { instrumentName } from '../model/instrument.js'

/** Thrown by whoever reads a value and cannot; caught with the path of the value. */
export class ValueRefusal extends Error {

  constructor(readonly expected: string, readonly found: string) {
    super(`expected ${expected}, found ${found}`)
  }
}

/** All faults of the parameters of one strategy. */
export class ParameterError extends FaultsError {
  constructor(owner: string, faults: readonly Fault[]) {
    super('OPTION_INVALID', `Cannot read the parameters of ${owner}`, faults, 'the config')
  }
}

/** The form of an instrument in a config. */
export const INSTRUMENT_REFERENCE = 'an instrument: its id, exchange:code, or a bare code where only one fits'

/**
 * The instrument that a reference names: an id (number, or digits that are no code), `exchange:code`, or a bare code
 * where only one fits.
 */
export function findInstrument(directory: InstrumentDirectory, reference: unknown): InstrumentEntry {
  const found = lookUpInstrument(directory, reference)
  if (found !== null) return found
  throw new ValueRefusal(`an instrument of this run (${listOf(directory.entries)})`, foundText(reference))
}

/** The same; null where no instrument has this name. */
export function lookUpInstrument(directory: InstrumentDirectory, reference: unknown): InstrumentEntry | null {
  if (typeof reference !== 'string' && typeof reference !== 'number')
    throw new ValueRefusal(INSTRUMENT_REFERENCE, foundText(reference))
  const fitting = typeof reference === 'number' ? idMatch(directory, reference) : textMatches(directory, reference)
  if (fitting.length < 2) return fitting[0] ?? null
  throw new ValueRefusal(`an instrument that only one fits: ${listOf(fitting)}`, foundText(reference))
}

function idMatch(directory: InstrumentDirectory, id: number): InstrumentEntry[] {
  const entry = directory.get(id)
  return entry === undefined ? [] : [entry]
}

function textMatches(directory: InstrumentDirectory, text: string): InstrumentEntry[] {
  const exact = directory.entries.filter(({ instrument }) => instrumentName(instrument) === text)
  if (exact.length > 0) return exact
  const byCode = directory.entries.filter(({ instrument }) => instrument.code === text)
  if (byCode.length > 0 || !/^\d{1,15}$/.test(text)) return byCode
  return idMatch(directory, Number(text))
}

function listOf(entries: readonly InstrumentEntry[]): string {
  const names = entries.slice(0, 6).map(({ instrument }) => `${instrumentName(instrument)} (${instrument.id})`)
  return entries.length > 6 ? `${names.join(', ')}, ${entries.length - 6} more` : names.join(', ')
}
