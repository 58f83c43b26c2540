import { Decimal, plainDecimal } from '../model/decimal.js'
import { foundText } from '../strategy/parameter-fault.js'
import type { RunFileFault } from './run-file-fault.js'

const ACCOUNT_FIELDS = ['profile', 'exchange', 'balances', 'fees', 'stopAtZero']
const FEE_FIELDS = ['maker', 'taker', 'by', 'minimum']
const BASES = ['value', 'quantity', 'fill']

type Given = Readonly<Record<string, unknown>>

/** True where a value is an object with fields, not a list. */
export function hasFields(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unknownFields(given: Given, known: readonly string[], path: string): RunFileFault[] {
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      path: `${path}${name}`, expected: `one of ${known.join(', ')}`,
      found: `the unknown field ${JSON.stringify(name)}`,
    }))
}

function decimalOf(value: unknown): Decimal | null {
  const plain = typeof value === 'string' ? plainDecimal(value) : null
  return plain === null ? null : new Decimal(plain)
}

/** A rate of the wrong form, and each of its numbers that is a decimal and no part of the value where it has to be. */
function rateFaults(path: string, rate: unknown, isPart: boolean): RunFileFault[] {
  const sides = hasFields(rate) ? Object.entries(rate).filter(([side]) => side === 'buy' || side === 'sell') : []
  const isSound = hasFields(rate)
    ? sides.length === 2 && Object.keys(rate).length === 2 && sides.every(([, one]) => decimalOf(one) !== null)
    : decimalOf(rate) !== null
  const form = isSound
    ? []
    : [
        {
          path, expected: 'a decimal in quotes such as "0.0002", or { "buy": ..., "sell": ... }',
          found: foundText(rate),
        },
      ]
  if (!isPart) return form
  const numbers: readonly (readonly [path: string, found: unknown])[] = hasFields(rate)
    ? sides.map(([side, one]) => [`${path}.${side}`, one])
    : [[path, rate]]
  const beyond = numbers.filter(([, one]) => decimalOf(one)?.abs().lt(1) === false)
  return [
    ...form,
    ...beyond.map(([at, one]) => ({
      path: at, expected: 'a part of the value, above -1 and below 1', found: foundText(one),
    })),
  ]
}

/**
 * All that is wrong with fees, their form and their numbers. Rates of the value are parts of it: a fee of all that was
 * dealt, or a rebate of it, is a slip of the pen.
 */
export function feeFaults(fees: unknown): RunFileFault[] {
  if (fees === undefined) return []
  if (!hasFields(fees)) return [{ path: 'fees', expected: 'an object with maker and taker', found: foundText(fees) }]
  const { by = 'value', minimum } = fees
  const least = decimalOf(minimum)
  return [
    ...unknownFields(fees, FEE_FIELDS, 'fees.'),
    ...['maker', 'taker'].flatMap((kind) => rateFaults(`fees.${kind}`, fees[kind], by === 'value')),
    ...(BASES.includes(by as string)
      ? []
      : [{ path: 'fees.by', expected: 'value, quantity or fill', found: foundText(by) }]),
    ...(minimum === undefined || least?.gte(0) === true
      ? []
      : [{ path: 'fees.minimum', expected: 'a decimal in quotes, not below 0', found: foundText(minimum) }]),
  ]
}

/**
 * What is wrong with an account as far as it shows without data: its form (amounts of balances excepted) and its fees.
 */
export function accountFaults(account: unknown = {}): RunFileFault[] {
  if (!hasFields(account))
    return [{ path: '', expected: 'an object with balances, fees, exchange and profile', found: foundText(account) }]
  const { balances, stopAtZero } = account
  return [
    ...(balances === undefined || hasFields(balances)
      ? []
      : [{ path: 'balances', expected: 'an object of decimals in quotes by underlying', found: foundText(balances) }]),
    ...unknownFields(account, ACCOUNT_FIELDS, ''),
    ...(stopAtZero === undefined || typeof stopAtZero === 'boolean'
      ? []
      : [{ path: 'stopAtZero', expected: 'true or false', found: foundText(stopAtZero) }]),
    ...feeFaults(account['fees']),
  ]
}
