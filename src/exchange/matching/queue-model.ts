import { exactLog } from '../../model/exact-math.js'
import { BacktapeError } from '../../model/error.js'

/**
 * Decides how much of a change of a level, beyond the trades there, happened ahead of an order (exchange rules 3.3). A
 * pure function of four quantities in the instrument's unit times 10^scale; `unit` is 10^scale. It returns the new
 * quantity ahead, at most `current`; hftbacktest's forms may fall below 0, which `partial` fills take as 0 and `whole`
 * fills as an order that is due.
 */
export interface QueueModel {
  /** Names the assumption in a result. */
  readonly name: string
  /** `traded` is what public trades took at the price since the last change; it is part of `previous - current`. */
  ahead(ahead: number, traded: number, previous: number, current: number, unit: number): number
}

type Share = (front: number, back: number, unit: number) => number

/** None of a decrease was ahead, but the queue is never longer than the level: the conservative default. */
export const riskAverseQueue: QueueModel = {
  name: 'riskAverse',
  ahead: (ahead, _traded, _previous, current) => (ahead < current ? ahead : current),
}

// hftbacktest 2.4.4, ProbQueueModel::depth (docs/model/queue.md): the trades of the interval are taken off the
// change first, what is left is shared between front and back by a probability. `Math.min` of a NaN is NaN, where IEEE
// minNum gives the other argument.
function shared(name: string, probability: Share): QueueModel {
  return {
    name,
    ahead(ahead, traded, previous, current, unit): number {
      const change = previous - current - traded
      if (change < 0) return ahead < current ? ahead : current
      const back = previous - ahead
      let p = probability(ahead, back, unit)
      if (p === Infinity || p === -Infinity) p = 1
      const beyond = back - p * change
      const estimate = ahead - (1 - p) * change + (beyond < 0 ? beyond : 0)
      return estimate < current ? estimate : current
    },
  }
}

/** x to a whole power by repeated multiplication: the same bits on every engine. */
function integerPower(x: number, exponent: number): number {
  let result = x
  for (let i = 1; i < exponent; i++) result *= x
  return result
}

function checkedExponent(exponent: number): number {
  if (Number.isInteger(exponent) && exponent >= 1 && exponent <= 64) return exponent
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot make a queue model: the exponent must be a whole number from 1 to 64, found ${exponent}`,
    { field: 'queue' },
  )
}

/**
 * f(back) / (f(back) + f(front)) with f(x) = x^n: hftbacktest's PowerProbQueueFunc, after Rigtorp's and Hoftijzer's
 * form.
 */
export function powerQueue(exponent = 3): QueueModel {
  const n = checkedExponent(exponent)
  return shared(`power(${n})`, (front, back) => {
    const b = integerPower(back, n)
    return b / (b + integerPower(front, n))
  })
}

/** f(back) / f(back + front) with f(x) = x^n: hftbacktest's PowerProbQueueFunc2. */
export function power2Queue(exponent = 3): QueueModel {
  const n = checkedExponent(exponent)
  return shared(`power2(${n})`, (front, back) => integerPower(back, n) / integerPower(back + front, n))
}

/** 1 - f(front / (front + back)) with f(x) = x^n: hftbacktest's PowerProbQueueFunc3. */
export function power3Queue(exponent = 3): QueueModel {
  const n = checkedExponent(exponent)
  return shared(`power3(${n})`, (front, back) => 1 - integerPower(front / (front + back), n))
}

/**
 * f(back) / (f(back) + f(front)) with f(x) = ln(1 + x), x in the instrument's own unit: hftbacktest's LogProbQueueFunc.
 */
export const logQueue: QueueModel = shared('log', (front, back, unit) => {
  const b = exactLog(1 + back / unit)
  return b / (b + exactLog(1 + front / unit))
})

/** f(back) / f(back + front) with f(x) = ln(1 + x): hftbacktest's LogProbQueueFunc2. */
export const log2Queue: QueueModel = shared(
  'log2', (front, back, unit) => exactLog(1 + back / unit) / exactLog(1 + (back + front) / unit),
)

const NAMED: Readonly<Record<string, (exponent?: number) => QueueModel>> = {
  riskAverse: () => riskAverseQueue,
  power: powerQueue,
  power2: power2Queue,
  power3: power3Queue,
  log: () => logQueue,
  log2: () => log2Queue,
}

/** The queue model of a name, with an exponent for the power forms; a sentence with all names where there is none. */
export function queueModelFromName(name: string, exponent?: number): QueueModel {
  const make = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined
  if (make !== undefined) return make(exponent)
  const names = Object.keys(NAMED).join(', ')
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot find the queue model ${JSON.stringify(name)}: it must be one of ${names}`,
    { field: 'queue', expected: names, found: name },
  )
}
