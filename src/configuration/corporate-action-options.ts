import { corporateActionFault, type PlannedAction } from '../exchange/accounts/corporate-actions.js'
import { BacktapeError } from '../model/error.js'
import { findInstrument } from '../strategy/instrument-reference.js'
import { ValueRefusal } from '../strategy/parameter-fault.js'
import type { InstrumentDirectory, InstrumentEntry, UnderlyingDirectory } from '../venue/venue.js'
import { readAll, Refusals } from './refusals.js'
import { outsideOfRun, planTimeNs, type RunSpan } from './run-span.js'
import type { CorporateAction, StockSplit } from '../venue/account-messages.js'

/** A split or a dividend of a plan. */
export interface CorporateActionOptions {
  /** A clock time on the first day (`12:00`), ISO-8601, or epoch nanoseconds in digits. */
  readonly at: string
  /** The instrument: its id, `exchange:code`, or a bare code where only one fits. */
  readonly instrument: string
  /** A split of the shares; an action is a split, a dividend or both. */
  readonly split?: StockSplit
  /** `underlying` is a code; a long receives `lowPrice` a unit, a short pays `highPrice`. */
  readonly dividend?: { readonly underlying: string; readonly highPrice: string; readonly lowPrice: string }
  /** Free text for readers of the plan. */
  readonly comment?: string
}

function refused(field: string, expected: string, found: unknown): BacktapeError {
  const text = JSON.stringify(found) ?? 'nothing'
  return new BacktapeError(
    'OPTION_INVALID', `Cannot plan corporate actions: ${field} must be ${expected}, found ${text}`,
    { field, expected, found: text.slice(0, 80) },
  )
}

function namedInstrument(instruments: InstrumentDirectory, reference: string, field: string): InstrumentEntry {
  try {
    return findInstrument(instruments, reference)
  } catch (error) {
    if (!(error instanceof ValueRefusal)) throw error
    throw refused(field, error.expected, reference)
  }
}

/** When and among what corporate actions happen. */
export interface ActionSetting {
  readonly epochDay: number
  readonly span: RunSpan
  readonly instruments: InstrumentDirectory
  readonly underlyings: UnderlyingDirectory
}

function timeOf(at: string, field: string, { epochDay, span }: ActionSetting): number {
  const timeNs = planTimeNs(at, epochDay, (expected) => refused(field, expected, at))
  const where = outsideOfRun(timeNs, 1, span, epochDay)
  if (where !== null) throw refused(field, where, at)
  return timeNs
}

const FIELDS: readonly string[] = ['at', 'instrument', 'split', 'dividend', 'comment']
const SPLIT_FIELDS: readonly string[] = ['lastPrice', 'buyVolume', 'sellVolume', 'liquidateFractionalShares']
const DIVIDEND_FIELDS: readonly string[] = ['underlying', 'highPrice', 'lowPrice']

function checkFields(given: object, known: readonly string[], field: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined) throw refused(field, `an object with ${known.join(', ')} alone`, unknown)
}

/** What is wrong with actions wherever they happen; thrown in one error. */
export function checkActions(options: readonly CorporateActionOptions[]): void {
  readAll(options.map((one, number) => () => checkAction(one, `corporateActions[${number}]`)))
}

function checkAction(one: CorporateActionOptions, field: string): void {
  const { split, dividend } = one
  const refusals = new Refusals()
  refusals.read(() => checkFields(one, FIELDS, field))
  if (split !== undefined) refusals.read(() => checkFields(split, SPLIT_FIELDS, `${field}.split`))
  if (dividend !== undefined) refusals.read(() => checkFields(dividend, DIVIDEND_FIELDS, `${field}.dividend`))
  refusals.read(() => {
    const fault = corporateActionFault({
      instrumentId: 0, ...(split === undefined ? {} : { split }),
      ...(dividend === undefined ? {} : { dividend: { ...dividend, underlyingId: 0 } }),
    })
    if (fault !== null) throw refused(field, fault, { split, dividend })
  })
  refusals.end()
}

function actionOf(
  { instrument, split, dividend, comment }: CorporateActionOptions, field: string,
  { instruments, underlyings }: ActionSetting,
): CorporateAction {
  const refusals = new Refusals()
  const entry = refusals.read(() => namedInstrument(instruments, instrument, `${field}.instrument`))
  const underlying =
    dividend === undefined ? undefined : underlyings.entries.find((one) => one.code === dividend.underlying)
  refusals.read(() => {
    if (dividend !== undefined && underlying === undefined)
      throw refused(
        `${field}.dividend.underlying`, `one of ${underlyings.entries.map((one) => one.code).join(', ')}`,
        dividend.underlying,
      )
  })
  refusals.end()
  return {
    instrumentId: entry?.instrument.id ?? 0,
    ...(split === undefined ? {} : { split }),
    ...(dividend === undefined
      ? {}
      : {
          dividend: { underlyingId: underlying?.id ?? 0, highPrice: dividend.highPrice, lowPrice: dividend.lowPrice },
        }),
    ...(comment === undefined ? {} : { comment }),
  }
}

/** The plan with every name and time looked up; what means nothing, or can never happen, is refused in words. */
export function actionsFromOptions(
  options: readonly CorporateActionOptions[], setting: ActionSetting,
): PlannedAction[] {
  return readAll(
    options.map((one, number) => (): PlannedAction => {
      const field = `corporateActions[${number}]`
      const refusals = new Refusals()
      const timeNs = refusals.read(() => timeOf(one.at, `${field}.at`, setting))
      const action = refusals.read(() => actionOf(one, field, setting))
      refusals.read(() => checkAction(one, field))
      refusals.end()
      return { timeNs: timeNs as number, action: action as CorporateAction }
    }),
  )
}
