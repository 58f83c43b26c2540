import type { WorldMoney } from '../exchange/accounts/world-money.js'
import { rateOfData, type UsdRate } from '../model/usd-rate.js'
import { plainDecimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { epochNsFromText, timeFromEpochNs } from '../model/time.js'
import { foundText } from '../strategy/parameter-fault.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import { hasFields } from './account-validation.js'
import { readAll, Refusals } from './refusals.js'
import { pathPart, type RunFileFault } from './run-file-fault.js'
import { noPrediction } from '../exchange/profile/venue-kinds.js'
import { lastExpiry, type InstrumentTerms } from '../tickfile/lines/instrument-terms.js'

/** Money that a run declares beside its accounts. */
export interface MoneyOptions {
  /**
   * Conversions by declared rates alone: USD for one unit, such as `{ "BTC/USD": "60000" }`; they win over the rates of
   * the files.
   */
  readonly rates?: Readonly<Record<string, string>>
  /**
   * What prediction contracts came to, `"0"` or `"1"` by `exchange:code`, code or id; without it they are valued at the
   * last mark.
   */
  readonly outcomes?: Readonly<Record<string, string>>
}

/** Furthest end of a contract that a run can reach. */
const REACH_DAYS = 100

function refused(field: string, expected: string, found: unknown): BacktapeError {
  const place = { field, expected, found: typeof found === 'string' ? found : foundText(found) }
  return new BacktapeError(
    'OPTION_INVALID', `Cannot read ${field}: it must be ${expected}, found ${JSON.stringify(found)}`, place,
  )
}

function fieldsOf(
  field: string, expected: string, given: Readonly<Record<string, string>>,
): readonly (readonly [name: string, text: string])[] {
  if (!hasFields(given)) throw refused(field, expected, given)
  return Object.entries(given)
}

/** True where a text is a decimal above 0. */
function isAboveZero(text: unknown): boolean {
  const plain = typeof text === 'string' ? plainDecimal(text) : null
  return plain !== null && plain !== '0' && !plain.startsWith('-')
}

/** What is wrong with declared rates as far as it shows without data. */
export function rateFaults(rates: Readonly<Record<string, unknown>>): RunFileFault[] {
  return Object.entries(rates)
    .filter(([, text]) => !isAboveZero(text))
    .map(([pair, text]) => ({
      path: `rates${pathPart(pair)}`, expected: 'a decimal above 0 in quotes', found: foundText(text),
    }))
}

function usdRates(rates: Readonly<Record<string, string>>, underlyings: UnderlyingDirectory): Map<number, UsdRate> {
  const known = new Map<number, UsdRate>()
  for (const underlying of underlyings.entries) {
    const rate = rateOfData(underlying)
    if (rate !== null) known.set(underlying.id, rate)
  }
  readAll(
    fieldsOf('rates', 'an object of rates in USD by CODE/USD', rates).flatMap(([pair, text]) => [
      (): void => {
        const [code, usd, more] = pair.split('/')
        const own = underlyings.entries.filter((underlying) => underlying.code === code)
        if (usd !== 'USD' || more !== undefined || own.length === 0)
          throw refused(
            `rates.${pair}`, `CODE/USD with a code of ${underlyings.entries.map((one) => one.code).join(', ')}`, pair,
          )
        for (const { id } of own) known.set(id, { usd: plainDecimal(text) ?? text, declaredBy: 'run' })
      },
      (): void => {
        if (!isAboveZero(text)) throw refused(`rates.${pair}`, 'a decimal above 0 in quotes', text)
      },
    ]),
  )
  return known
}

function outcomesById(
  outcomes: Readonly<Record<string, string>>, instruments: InstrumentDirectory,
): Map<number, string> {
  const byId = new Map<number, string>()
  readAll(
    fieldsOf('outcomes', 'an object of "0" or "1" by instrument', outcomes).flatMap(([name, outcome]) => [
      (): void => {
        const fitting = instruments.entries.filter(({ instrument: { id, code, exchangeCode } }) =>
          [code, String(id), `${exchangeCode}:${code}`].includes(name),
        )
        const [only, other] = fitting
        if (only === undefined || other !== undefined)
          throw refused(`outcomes.${name}`, 'one instrument of the run, as exchange:code, code or id', name)
        const why = noPrediction(only.instrument)
        if (why !== null)
          throw refused(
            `outcomes.${name}`, 'of a prediction contract',
            `${only.instrument.exchangeCode}:${only.instrument.code}, which is none: ${why}`,
          )
        byId.set(only.instrument.id, outcome)
      },
      (): void => {
        if (outcome !== '0' && outcome !== '1') throw refused(`outcomes.${name}`, '"0" or "1"', outcome)
      },
    ]),
  )
  return byId
}

function expiriesById(
  instruments: InstrumentDirectory, epochDay: number, laterTerms: readonly InstrumentTerms[],
): Map<number, number> {
  const byId = new Map<number, number>()
  for (const { instrument } of instruments.entries) {
    const { id, type } = instrument
    const expiry = lastExpiry(instrument, laterTerms, epochDay)
    if (expiry === null || type === 'spot') continue
    const epochNs = epochNsFromText(expiry, epochDay)
    const days = Number(epochNs / 86_400_000_000_000n) - epochDay
    if (days >= 0 && days < REACH_DAYS) byId.set(id, timeFromEpochNs(epochNs, epochDay))
  }
  return byId
}

/** What a run declares of money, with every name looked up; a sentence for a name or number that means nothing. */
export function worldMoney(
  { rates = {}, outcomes = {} }: MoneyOptions, instruments: InstrumentDirectory, underlyings: UnderlyingDirectory,
  epochDay: number, laterTerms: readonly InstrumentTerms[] = [],
): WorldMoney {
  const refusals = new Refusals()
  const declaredRates = refusals.read(() => usdRates(rates, underlyings))
  const declaredOutcomes = refusals.read(() => outcomesById(outcomes, instruments))
  refusals.end()
  return {
    usdRates: declaredRates ?? new Map<number, UsdRate>(), expiries: expiriesById(instruments, epochDay, laterTerms),
    outcomes: declaredOutcomes ?? new Map(),
  }
}
