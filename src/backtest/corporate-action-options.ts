import { corporateActionFault, type PlannedAction } from '../exchange/corporate-actions.js'
import { BacktapeError } from '../model/error.js'
import { epochNsFromText, timeFromEpochNs } from '../model/time.js'
import type { CorporateAction, StockSplit } from '../venue/messages.js'
import { findInstrument } from '../strategy/instrument-reference.js'
import { ValueRefusal } from '../strategy/parameter-fault.js'
import type { InstrumentDirectory, InstrumentEntry, UnderlyingDirectory } from '../venue/venue.js'

/** A split or a dividend of a plan. */
export interface CorporateActionOptions {
  /** A clock time on the first day (`12:00`), ISO-8601, or epoch nanoseconds in digits. */
  readonly at: string
  /** The instrument: its id, `exchange:code`, or a bare code where only one fits. */
  readonly instrument: string
  readonly split?: StockSplit
  /** `underlying` is a code; a long receives `lowPrice` a unit, a short pays `highPrice`. */
  readonly dividend?: { readonly underlying: string; readonly highPrice: string; readonly lowPrice: string }
  readonly comment?: string
}

function refused(field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot plan corporate actions: ${field} must be ${expected}, found ${JSON.stringify(found)}`, { field, expected, found })
}

function namedInstrument(instruments: InstrumentDirectory, reference: string, field: string): InstrumentEntry {
  try {
    return findInstrument(instruments, reference)
  } catch (error) {
    if (!(error instanceof ValueRefusal)) throw error
    throw refused(field, error.expected, reference)
  }
}

/** The plan with every name and time looked up; OPTION_INVALID in words for one that means nothing. */
export function actionsFromOptions(
  options: readonly CorporateActionOptions[], epochDay: number, instruments: InstrumentDirectory, underlyings: UnderlyingDirectory,
): PlannedAction[] {
  return options.map(({ at, instrument: code, split, dividend, comment }, number) => {
    const field = `corporateActions[${number}]`
    const entry = namedInstrument(instruments, code, `${field}.instrument`)
    const underlying = dividend === undefined ? undefined : underlyings.entries.find((one) => one.code === dividend.underlying)
    if (dividend !== undefined && underlying === undefined) throw refused(`${field}.dividend.underlying`, `one of ${underlyings.entries.map((one) => one.code).join(', ')}`, dividend.underlying)
    const action: CorporateAction = {
      instrumentId: entry.instrument.id,
      ...(split === undefined ? {} : { split }),
      ...(dividend === undefined || underlying === undefined ? {} : { dividend: { underlyingId: underlying.id, highPrice: dividend.highPrice, lowPrice: dividend.lowPrice } }),
      ...(comment === undefined ? {} : { comment }),
    }
    const fault = corporateActionFault(action)
    if (fault !== null) throw refused(field, fault, JSON.stringify({ split, dividend }))
    return { timeNs: timeFromEpochNs(epochNsFromText(at, epochDay), epochDay), action }
  })
}
