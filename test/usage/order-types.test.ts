import { beforeAll, describe, expect, test } from 'vitest'
import { COMPILERS, faultsOfParts } from '../support/strategy-compiler.ts'

/** Begins a program whose other lines place orders in the ways that rows name. */
const HEAD = `import { Quantity, Strategy, type OrderParams, type OrderType, type TimeInForce, type TradingInstrument } from 'backtape'
declare const instrument: TradingInstrument
declare const type: OrderType
declare const timeInForce: TimeInForce
declare const flag: boolean
declare const params: OrderParams
declare const either: 'MARKET' | 'LIMIT'
const order = { side: 'BID', quantity: Quantity.from('1') } as const
export { Strategy, params, type, timeInForce, flag, either, order }`

/** Orders that compile: no two literals contradict each other. */
const ACCEPTED: readonly string[] = [
  'instrument.placeOrder(order)',
  "instrument.placeOrder({ side: 'BID', quantity: Quantity.from('1') })",
  "instrument.placeOrder({ ...order, type: 'MARKET' })",
  "instrument.placeOrder({ ...order, type: 'MARKET', postOnly: false })",
  "instrument.placeOrder({ ...order, timeInForce: 'FILL_OR_KILL', postOnly: false })",
  "instrument.placeOrder({ ...order, timeInForce: 'GOOD_TILL_CANCEL', postOnly: true })",
  "instrument.placeOrder({ ...order, type: 'STOP_LIMIT', postOnly: true })",
  "instrument.placeOrder({ ...order, type: 'LIMIT', timeInForce: 'GOOD_TILL_CANCEL', postOnly: true, price: null, context: { a: 1 } })",
  'instrument.placeOrder({ ...order, type, timeInForce, postOnly: flag })',
  'instrument.placeOrder({ ...order, type, postOnly: true })',
  'instrument.placeOrder({ ...order, timeInForce, postOnly: true })',
  "instrument.placeOrder({ ...order, type: 'MARKET', postOnly: flag })",
  'instrument.placeOrder({ ...order, type: either, postOnly: true })',
  "instrument.placeOrder({ ...order, type: 'SOMETHING_NEW', postOnly: true })",
  'instrument.placeOrder(params)',
  'instrument.placeOrder({ ...params, postOnly: true })',
  "const built: OrderParams = { ...order, type: 'MARKET', postOnly: true }\ninstrument.placeOrder(built)",
  "let text = 'MARKET'\nlet only = true\nonly = flag\ntext = String(text)\ninstrument.placeOrder({ ...order, type: text, postOnly: only })",
]

/** Orders that do not, and what the compiler names. */
const REFUSED: readonly (readonly [lines: string, fault: RegExp])[] = [
  ["instrument.placeOrder({ ...order, type: 'MARKET', postOnly: true })", /postOnly|'true' is not assignable to type 'false'/],
  ["instrument.placeOrder({ side: 'BID', quantity: Quantity.from('1'), type: 'MARKET', postOnly: true })", /'true' is not assignable/],
  ["instrument.placeOrder({ ...order, timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: true })", /'true' is not assignable/],
  ["instrument.placeOrder({ ...order, timeInForce: 'FILL_OR_KILL', postOnly: true })", /'true' is not assignable/],
  ["instrument.placeOrder({ ...order, type: 'LIMIT', timeInForce: 'FILL_OR_KILL', postOnly: true })", /'true' is not assignable/],
  ["instrument.placeOrder({ side: 'BID', quantity: Quantity.from('1'), prize: null })", /prize/],
  ["instrument.placeOrder({ side: 'BUY', quantity: Quantity.from('1') })", /"BUY"/],
  ["instrument.placeOrder({ side: 'BID' })", /quantity/],
  ['instrument.placeOrder({ ...order, quantity: 1 })', /number/],
]

describe.each(COMPILERS)('orders under %s', (compiler) => {
  const all = [...ACCEPTED, ...REFUSED.map(([lines]) => lines)]
  let faults: readonly string[][] = []
  beforeAll(() => {
    faults = faultsOfParts(compiler, `orders-${COMPILERS.indexOf(compiler)}`, HEAD, all.map((lines) => `{\n${lines}\n}`))
  }, 180_000)

  test.each(ACCEPTED)('compile: %s', (lines) => {
    expect(faults[all.indexOf(lines)]).toEqual([])
  })

  test.each(REFUSED)('do not compile: %s', (lines, fault) => {
    const found = faults[all.indexOf(lines)]!
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(fault)
  })
})
