import { beforeAll, describe, expect, test } from 'vitest'
import { COMPILERS, faultsOfParts } from '../support/strategy-compiler.ts'

const HEAD = `import { Quantity, Strategy, type Order, type DataInstrument, type TradingInstrument } from 'backtape'
declare const instrument: TradingInstrument`

const subject = (body: string, number: number): string => `export class Subject${number} extends Strategy {
  count = 0
  async work(): Promise<void> { await null }
  quote(): void { this.count++ }
  bid(): Order { return instrument.placeOrder({ side: 'BID', quantity: Quantity.from('1') }) }
${body}
}`

/** Callbacks and timers that return nothing. */
const ACCEPTED: readonly string[] = [
  'override onStart() {}',
  'override onStop(): void {}',
  'override onStart(): undefined { return undefined }',
  'override onOrderUpdate(order: Order) { if (order.isOpen) return; this.quote() }',
  'override onOrderUpdate(_order: Order) { return this.quote() }',
  'override onOrderFill(order: Order) { return order.cancel() }',
  'override onInstrumentTrades(): never { throw new Error() }',
  'override onStart() { this.every(1000, () => this.quote()) }',
  "override onStart() { this.after(1000, () => { this.bid() }, { name: 'bid' }) }",
  'override onStart() { this.every(1000, () => undefined) }',
  'override onStart() { this.every(1000, this.quote.bind(this)) }',
  'override onStart() { const tick = (): void => { this.count++ }; this.every(1, tick) }',
]

/** Callbacks and timers that wait, or return something. */
const REFUSED: readonly (readonly [body: string, fault: RegExp])[] = [
  ['override async onStart() {}', /Promise<void>/],
  ['override async onOrderFill(order: Order) { await null; order.cancel() }', /Promise<void>/],
  ['override async onInstrumentTopOfBook(_instrument: DataInstrument): Promise<void> { await null }', /Promise<void>/],
  ['override onStop() { return this.work() }', /Promise<void>/],
  ['override onOrderUpdate(order: Order) { return order }', /Order/],
  ['override onInstrumentTrades() { return this.count }', /number/],
  ['override onOrderError(): boolean { return true }', /boolean/],
  ['override restoreState() { return 1 }', /number/],
  ['override onStart() { this.every(1000, async () => { await this.work() }) }', /Promise<void>/],
  ['override onStart() { this.every(1000, () => this.work()) }', /Promise<void>/],
  ['override onStart() { this.after(1000, () => this.bid()) }', /Order/],
  ['override onStart() { this.every(1000, () => this.count++) }', /number/],
  ['override onStart() { this.after(1, () => true) }', /boolean/],
]

describe.each(COMPILERS)('callbacks under %s', (compiler) => {
  const bodies = [...ACCEPTED, ...REFUSED.map(([body]) => body)]
  let faults: readonly string[][] = []
  beforeAll(() => {
    faults = faultsOfParts(compiler, `callbacks-${COMPILERS.indexOf(compiler)}`, HEAD, bodies.map(subject))
  }, 180_000)

  test.each(ACCEPTED)('compile: %s', (body) => {
    expect(faults[bodies.indexOf(body)]).toEqual([])
  })

  test.each(REFUSED)('do not compile: %s', (body, fault) => {
    const found = faults[bodies.indexOf(body)]!
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(fault)
  })
})
