import { firstDifference } from '../model/json-difference.js'
import { isJsonObject } from '../model/json-object.js'
import type { GoldenWorld } from './golden.js'

/** Parts of the set-up under the words of a run file; parts that it lacks keep their names. */
const WORDS: Readonly<Record<string, string>> = {
  accounts: 'account', from: 'times', to: 'times', shuffleSeed: 'seed', strategy: 'strategy class', trim: 'trim',
}

function isSame(a: unknown, b: unknown): boolean {
  return firstDifference(a, b) === null
}

/** Names of the fields that differ, in order; none where either is no object. */
function changedFields(a: unknown, b: unknown): string[] {
  if (!isJsonObject(a) || !isJsonObject(b)) return []
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort().filter((name) => !isSame(a[name], b[name]))
}

/** Files of the data by instrument and day. */
function filesOf(inputs: unknown, nameOf: (instrumentId: unknown) => string): Record<string, unknown> {
  const all = Array.isArray(inputs) ? inputs.filter(isJsonObject) : []
  return Object.fromEntries(all.flatMap(({ instrumentId, days, files }) => (Array.isArray(days) && Array.isArray(files)
    ? days.map((day, at) => [`${nameOf(instrumentId)} ${String(day)}`, files[at]] as const)
    : [])))
}

/** Signals by their name. */
function signalsOf(signals: unknown): Record<string, unknown> {
  const all = Array.isArray(signals) ? signals.filter(isJsonObject) : []
  return Object.fromEntries(all.map((one) => [String(one['name']), one]))
}

function instrumentName({ summary }: GoldenWorld): (instrumentId: unknown) => string {
  const stated = isJsonObject(summary) ? summary['markets'] : null
  const markets: readonly unknown[] = Array.isArray(stated) ? stated : []
  return (instrumentId) => {
    const market = markets.filter(isJsonObject).find((one) => one['instrumentId'] === instrumentId)
    return typeof market?.['instrument'] === 'string' ? market['instrument'] : `instrument ${String(instrumentId)}`
  }
}

/**
 * Parts of the set-up that differ: `parameters (size)`, `data (binance_swap:BTCUSDT 2024-07-18)`, `signals (model)`,
 * `source`. Null where the golden does not hold its own.
 */
export function changedInputs(expected: GoldenWorld, found: GoldenWorld): readonly string[] | null {
  const [before, now] = [expected.inputs, found.inputs]
  if (before === undefined || now === undefined) return null
  const changed = changedFields(before, now).map((part) => {
    const nameOf = instrumentName(found)
    const fields =
      part === 'inputs'
        ? changedFields(filesOf(before[part], nameOf), filesOf(now[part], nameOf))
        : part === 'signals'
          ? changedFields(signalsOf(before[part]), signalsOf(now[part]))
          : changedFields(before[part], now[part])
    const word = part === 'inputs' ? 'data' : (WORDS[part] ?? part)
    return fields.length === 0 ? word : `${word} (${fields.join(', ')})`
  })
  return [...new Set(changed)]
}

function profitText({ summary }: GoldenWorld): string {
  const money: readonly unknown[] = isJsonObject(summary) && Array.isArray(summary['money']) ? summary['money'] : []
  const texts = money.filter(isJsonObject).map(({ profit, underlying }) => `${String(profit)} ${String(underlying)}`)
  return texts.length === 0 ? 'none' : texts.join(', ')
}

function fillText({ summary }: GoldenWorld): string {
  return isJsonObject(summary) && typeof summary['fillCount'] === 'number' ? String(summary['fillCount']) : 'unknown'
}

/** Inputs that changed, and profit and fills before and after: the end of a sentence that says what differs first. */
export function inputWords(expected: GoldenWorld, found: GoldenWorld): string {
  const changed = changedInputs(expected, found)
  const sameSetUp = expected.configDigest === found.configDigest
  const old = sameSetUp
    ? ''
    : "; the run is also set up in another way than the golden's (configDigest): its parameters, account, " +
      'assumptions, seed, times or data'
  const inputs =
    changed === null
      ? old
      : changed.length === 0
        ? '; none of its inputs has changed'
        : `; changed inputs: ${changed.join(', ')}`
  return `${inputs}; profit ${profitText(expected)} before, ${profitText(found)} now; fills ${fillText(expected)} ` +
    `before, ${fillText(found)} now`
}
