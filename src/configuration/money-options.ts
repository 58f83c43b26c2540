import type { WorldMoney } from '../exchange/accounts/world-money.js'
import { rateOfData, type UsdRate } from '../model/usd-rate.js'
import { plainDecimal } from '../model/decimal.js'
import { fault, pathPart, type Fault } from '../model/fault.js'
import { epochNsFromText, timeFromEpochNs } from '../model/time.js'
import type { InstrumentDirectory, UnderlyingDirectory } from '../venue/venue.js'
import { noPrediction } from '../exchange/profile/venue-profile.js'
import { instrumentName } from '../model/instrument.js'
import { lastExpiry, type InstrumentTerms } from '../tickfile/lines/instrument-terms.js'

/** Money that a run declares beside its accounts. */
export interface MoneyOptions {
  /**
   * Conversions by declared rates alone: USD for one unit, such as `{ "BTC/USD": "60000" }`; they win over the rates of
   * the files.
   */
  readonly rates?: Readonly<Record<string, string>>
  /**
   * The outcomes of prediction contracts, `"0"` or `"1"` by `exchange:code`, code or id; without it they are valued at
   * the last mark.
   */
  readonly outcomes?: Readonly<Record<string, string>>
}

/** Furthest end of a contract that a run can reach. */
const REACH_DAYS = 100

function usdRates(
  rates: Readonly<Record<string, string>>, underlyings: UnderlyingDirectory, faults: Fault[],
): Map<number, UsdRate> {
  const known = new Map<number, UsdRate>()
  for (const underlying of underlyings.entries) {
    const rate = rateOfData(underlying)
    if (rate !== null) known.set(underlying.id, rate)
  }
  const codes = underlyings.entries.map(({ code }) => code)
  for (const [pair, text] of Object.entries(rates)) {
    const [code, usd, more] = pair.split('/')
    const own = underlyings.entries.filter((underlying) => underlying.code === code)
    if (usd !== 'USD' || more !== undefined || own.length === 0)
      faults.push(fault(`rates${pathPart(pair)}`, `CODE/USD with a code of ${codes.join(', ')}`, pair))
    for (const { id } of own) known.set(id, { usd: plainDecimal(text) ?? text, declaredBy: 'run' })
  }
  return known
}

function outcomesById(
  outcomes: Readonly<Record<string, string>>, instruments: InstrumentDirectory, faults: Fault[],
): Map<number, string> {
  const byId = new Map<number, string>()
  for (const [name, outcome] of Object.entries(outcomes)) {
    const path = `outcomes${pathPart(name)}`
    const [only, other] = instruments.entries.filter(({ instrument }) =>
      [instrument.code, String(instrument.id), instrumentName(instrument)].includes(name),
    )
    if (only === undefined || other !== undefined) {
      faults.push(fault(path, 'one instrument of the run, as exchange:code, code or id', name))
      continue
    }
    const { instrument } = only
    const why = noPrediction(instrument)
    if (why !== null) {
      const found = `${instrumentName(instrument)}, which is none: ${why}`
      faults.push(fault(path, 'the outcome of a prediction contract', found))
    }
    byId.set(instrument.id, outcome)
  }
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

/**
 * The money that a run declares, with every name looked up; the options have passed `checkOptions`. A name that the run
 * does not know is a fault of the configuration.
 */
export function worldMoney(
  { rates = {}, outcomes = {} }: MoneyOptions, instruments: InstrumentDirectory, underlyings: UnderlyingDirectory,
  epochDay: number, laterTerms: readonly InstrumentTerms[], faults: Fault[],
): WorldMoney {
  return {
    usdRates: usdRates(rates, underlyings, faults),
    outcomes: outcomesById(outcomes, instruments, faults),
    expiries: expiriesById(instruments, epochDay, laterTerms),
  }
}
