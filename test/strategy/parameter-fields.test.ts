import { describe, expect, test } from 'vitest'
import { readParameters } from '../../src/strategy/parameter-values.js'
import { COMPILERS, loaded, typeFaults } from '../support/strategy-compiler.js'

/** Every type of spec 3, rule 5 in a field of its own, and fields that a type does not fit. */
const PROGRAM = `
import { Account, BigDecimal, DataInstrument, type Decimal, Double, Float, Integer, List, Long, Parameter, Price, Quantity, Strategy, TradingInstrument, TwoSides, type TwoSidesOf } from 'backtape'

export class Leg {
  @Parameter(Price) price!: Price
  @Parameter(Quantity, { optional: true }) size = Quantity.from('1')
}

export class Values {
  @Parameter(Boolean) flag!: boolean
  @Parameter(Integer) integer!: number
  @Parameter(Long) long!: bigint
  @Parameter(Float) float!: number
  @Parameter(Double) double!: number
  @Parameter(Number) number!: number
  @Parameter(String) string!: string
  @Parameter(BigDecimal) decimal!: Decimal
  @Parameter(Price) price!: Price
  @Parameter(Quantity) quantity!: Quantity
  @Parameter(TwoSides(Quantity)) sides!: TwoSidesOf<Quantity>
  @Parameter(List(Price)) list!: readonly Price[]
  @Parameter(Leg) leg!: Leg
  @Parameter(List(TwoSides(Leg))) legs!: readonly TwoSidesOf<Leg>[]
  @Parameter(String, { optional: true, name: 'label' }) text: string | null = null
}

export class Uses extends Strategy {
  @Parameter(DataInstrument) data!: DataInstrument
  @Parameter(TradingInstrument) trading!: TradingInstrument
  @Parameter(TradingInstrument) wider!: DataInstrument
  @Parameter(Account) account!: Account
}

export class Wrong {
  // @ts-expect-error a number is no text
  @Parameter(Number) text!: string
  // @ts-expect-error a price is no quantity parameter
  @Parameter(String) price!: Price
  // @ts-expect-error a bigint is no number
  @Parameter(Long) long!: number
  // @ts-expect-error an exact decimal is no number
  @Parameter(BigDecimal) decimal!: number
  // @ts-expect-error one price is no list of prices
  @Parameter(List(Price)) list!: Price
  // @ts-expect-error a field narrower than its type
  @Parameter(String) side!: 'BID' | 'ASK'
  // @ts-expect-error a flag that is always on
  @Parameter(Boolean) on!: true
  // @ts-expect-error an instrument to read cannot trade
  @Parameter(DataInstrument) trading!: TradingInstrument
  // @ts-expect-error two sides of another type
  @Parameter(TwoSides(Integer)) sides!: TwoSidesOf<string>
}
`

const CONFIG = {
  flag: true, integer: 1, long: '2', float: 0.5, double: 0.25, number: 3, string: 's', decimal: '0.1', price: '1.5', quantity: '2', sides: '3', list: ['1', '2'], leg: { price: '7' },
  legs: [{ bid: { price: '1' }, ask: { price: '2', size: '3' } }], label: 'given',
}

describe.each(COMPILERS)('%s', (compiler) => {
  test('takes a type that fits its field and refuses one that does not', () => {
    expect(typeFaults(compiler, 'parameter-fields', PROGRAM)).toEqual([])
  }, 180_000)

  test('the fields are read from a config', async () => {
    const { Values } = await loaded(compiler, 'parameter-fields', PROGRAM)
    const values = new (Values as new () => object)()
    readParameters(values, CONFIG, {} as never)
    expect(JSON.parse(JSON.stringify(values, (_key, value: unknown) => (typeof value === 'bigint' ? `${String(value)}n` : value)))).toEqual({
      flag: true, integer: 1, long: '2n', float: 0.5, double: 0.25, number: 3, string: 's', decimal: '0.1', price: '1.5', quantity: '2', sides: { bid: '3', ask: '3' }, list: ['1', '2'],
      leg: { price: '7', size: '1' }, legs: [{ bid: { price: '1', size: '1' }, ask: { price: '2', size: '3' } }], text: 'given',
    })
  })
})
