import { describe, expect, test } from 'vitest'
import { Decimal } from '../../src/model/decimal.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import { Account } from '../../src/strategy/account.js'
import { DataInstrument } from '../../src/strategy/data-instrument.js'
import { InstrumentRegistry } from '../../src/strategy/instrument-registry.js'
import { foundText } from '../../src/model/fault.js'
import { readParameters } from '../../src/strategy/parameter-values.js'
import { BigDecimal, Double, Float, Integer, List, Long, Parameter, TwoSides, type AnyParameterType } from '../../src/strategy/parameter.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { fakeEntry } from '../support/fake-market.js'
import { FakeVenue } from '../support/fake-venue.js'

class Leg {
  declare price: Price
  size = Quantity.from('1')
}
Parameter(Price)(Leg.prototype, 'price')
Parameter(Quantity, { optional: true, name: 'amount' })(Leg.prototype, 'size')

class Bare {
  value = 1
}

function registry(): InstrumentRegistry {
  const venue = new FakeVenue({
    entries: [
      fakeEntry(), fakeEntry({ id: 2, exchangeCode: 'spot' }), fakeEntry({ id: 3, code: 'ETHUSDT' }), fakeEntry({ id: 4, code: '77' }), fakeEntry({ id: 77, code: 'ODD', exchangeCode: 'third' }),
      fakeEntry({ id: 812, code: 'LONG', exchangeCode: 'third' }),
    ],
  })
  const accounts = [{ accountId: 'main', exchangeCode: 'swap' }, { accountId: 'cash', exchangeCode: 'spot' }, { accountId: 'cash2', exchangeCode: 'spot' }]
  return new InstrumentRegistry(venue, accounts, { place: () => { throw new Error('no') }, tactics: { target: () => undefined, cancelAll: () => undefined }, cancelAllOrders: () => undefined, underlyingId: () => 0, equityOf: () => null, epochDay: 0 })
}

/** Reads one value of one type. */
function read(type: AnyParameterType, config: unknown): unknown {
  class Holder {
    value: unknown = 'initial'
  }
  ;(Parameter(type) as (target: object, key: string) => void)(Holder.prototype, 'value')
  const holder = new Holder()
  readParameters(holder, config, registry())
  return holder.value
}

function shown(value: unknown): unknown {
  if (value instanceof TradingInstrument) return `trades ${value.exchangeCode}:${value.code} on ${value.account.id}`
  if (value instanceof DataInstrument) return `reads ${value.exchangeCode}:${value.code}`
  if (value instanceof Account) return `account ${value.id}`
  if (value instanceof Price || value instanceof Quantity) return `${value.constructor.name} ${value.toString()}`
  if (Decimal.isDecimal(value)) return `Decimal ${value.toString()}`
  if (typeof value === 'bigint') return `${String(value)}n`
  if (Array.isArray(value)) return value.map(shown)
  if (value instanceof Leg) return { price: shown(value.price), size: shown(value.size) }
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner)]))
  return value
}

const TAKEN: readonly (readonly [type: AnyParameterType, value: unknown, held: unknown])[] = [
  [Boolean, false, false],
  [String, '', ''],
  [Number, 0.5, 0.5],
  [Double, -1e300, -1e300],
  [Float, 1, 1],
  [Integer, -2147483648, -2147483648],
  [Long, 5, '5n'],
  [Long, '9223372036854775807', '9223372036854775807n'],
  [Long, '12', '12n'],
  [Integer, 2147483647, 2147483647],
  [Number, -0.5, -0.5],
  [Long, '-9223372036854775808', '-9223372036854775808n'],
  [Long, 9223372036854775807n, '9223372036854775807n'],
  [BigDecimal, '0.1000000000000000000000000000001', 'Decimal 0.1000000000000000000000000000001'],
  [BigDecimal, 12, 'Decimal 12'],
  [BigDecimal, new Decimal('1.5'), 'Decimal 1.5'],
  [Price, '1.50', 'Price 1.5'],
  [Price, 100, 'Price 100'],
  [Quantity, '1E-3', 'Quantity 0.001'],
  [Quantity, Quantity.from('2'), 'Quantity 2'],
  [DataInstrument, 3, 'reads swap:ETHUSDT'],
  [DataInstrument, '3', 'reads swap:ETHUSDT'],
  [DataInstrument, '77', 'reads swap:77'],
  [DataInstrument, 77, 'reads third:ODD'],
  [DataInstrument, '812', 'reads third:LONG'],
  [DataInstrument, '000000000000812', 'reads third:LONG'],
  [DataInstrument, 'spot:BTCUSDT', 'reads spot:BTCUSDT'],
  [TradingInstrument, 'ETHUSDT', 'trades swap:ETHUSDT on main'],
  [TradingInstrument, { instrument: 'spot:BTCUSDT', account: 'cash2' }, 'trades spot:BTCUSDT on cash2'],
  [TradingInstrument, { instrument: 1 }, 'trades swap:BTCUSDT on main'],
  [Account, 'cash', 'account cash'],
  [List(Integer), [], []],
  [List(Price), ['1', '2.5'], ['Price 1', 'Price 2.5']],
  [List(List(Boolean)), [[true], []], [[true], []]],
  [TwoSides(Integer), { bid: 1, ask: 2 }, { bid: 1, ask: 2 }],
  [TwoSides(Quantity), '0.5', { bid: 'Quantity 0.5', ask: 'Quantity 0.5' }],
  [TwoSides(Leg), { bid: { price: '1' }, ask: { price: '2', amount: '3' } }, { bid: { price: 'Price 1', size: 'Quantity 1' }, ask: { price: 'Price 2', size: 'Quantity 3' } }],
  [TwoSides(TradingInstrument), { instrument: 'ETHUSDT' }, { bid: 'trades swap:ETHUSDT on main', ask: 'trades swap:ETHUSDT on main' }],
  [Leg, { price: '1', amount: '0.1' }, { price: 'Price 1', size: 'Quantity 0.1' }],
  [List(Leg), [{ price: '1' }], [{ price: 'Price 1', size: 'Quantity 1' }]],
]

const nameOf = (type: AnyParameterType): string => ('parameterType' in type ? type.parameterType : type.name)

const wordOf = (value: unknown): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))

describe('values that are taken', () => {
  test.each(TAKEN.map(([type, value, held]) => [nameOf(type), wordOf(value), type, value, held] as const))('%s from %s', (_name, _words, type, value, held) => {
    expect(shown(read(type, { value }))).toEqual(held)
  })
})

const REFUSED: readonly (readonly [type: AnyParameterType, value: unknown, words: string | RegExp])[] = [
  [Boolean, 'true', 'value: expected true or false, found "true"'],
  [Boolean, null, 'value: expected true or false, found null'],
  [String, 5, 'value: expected a text, found 5'],
  [Number, '5', 'value: expected a number, found "5"'],
  [Number, NaN, 'value: expected a number, found NaN'],
  [Integer, 1.5, 'value: expected a whole number from -2147483648 to 2147483647, found 1.5'],
  [Integer, 2147483648, /found 2147483648/],
  [Long, 9007199254740993, /as digits in a text where it is beyond 2\^53, found 9007199254740992/],
  [Long, '9223372036854775808', /whole number of 64 bits/],
  [Long, '1.0', /whole number of 64 bits/],
  [BigDecimal, 0.1, /expected a text such as "0.1", found the number 0.1, which is a binary float/],
  [Price, 1.5, /binary float/],
  [Price, 'abc', 'value: expected an exact price as text, such as "1.5", found "abc"'],
  [Price, '1234567890.1234567890', /at most 2\^53 - 1 without its point/],
  [Price, Quantity.from('1'), /expected an exact price/],
  [Quantity, true, /expected an exact quantity/],
  [Quantity, 1e300, /binary float/],
  [DataInstrument, 'BTCUSDT', 'value: expected an instrument that only one fits: swap:BTCUSDT (1), spot:BTCUSDT (2), found "BTCUSDT"'],
  [DataInstrument, 'XRP', /expected an instrument of this run \(swap:BTCUSDT \(1\), .*\), found "XRP"/],
  [DataInstrument, 99, /found 99/],
  [DataInstrument, { instrument: 1 }, /bare code where only one fits, found \{"instrument":1\}/],
  [TradingInstrument, 'spot:BTCUSDT', /with one of cash, cash2, found no account/],
  [TradingInstrument, 77, /expected an account of third, found main of swap/],
  [TradingInstrument, { instrument: 1, account: 'cash' }, /expected an account of swap for BTCUSDT, found "cash" of spot/],
  [TradingInstrument, { instrument: 1, account: 'nobody' }, /the name of an account \(main, cash, cash2\), found "nobody"/],
  [TradingInstrument, { instrument: 1, acount: 'main' }, /found \{"instrument":1,"acount":"main"\}/],
  [Account, 5, /the name of an account/],
  [List(Integer), 5, 'value: expected a list, each element a whole number from -2147483648 to 2147483647, found 5'],
  [List(Integer), [1, 'b'], /value\[1\]: expected a whole number/],
  [TwoSides(Integer), { bid: 1 }, /value\.ask: expected a whole number .* found nothing/],
  [TwoSides(Integer), { bid: 1, ask: 2, mid: 3 }, 'value.mid: expected bid and ask, found the unknown side "mid"'],
  [Leg, '1', 'value: expected an object of parameters, found "1"'],
  [Leg, {}, 'value.price: expected an exact price as text, such as "1.5", found nothing'],
  [Leg, { price: '1', size: '2' }, 'value.size: expected one of price, amount, found the unknown parameter "size"'],
  [List(Leg), [{ price: '1' }, { price: 2.5 }], /value\[1\]\.price: expected a text such as "2.5"/],
  [Decimal, '1', /new Decimal\(\) fails \(.*Invalid argument: undefined\), so it is no type/],
  [Bare, {}, /its type Bare is a class without @Parameter fields/],
  [{ parameterType: 'Complex' }, 1, 'Cannot read a parameter of type Complex: it must be one of Boolean, String, Number, Double, Float, Integer, Long, BigDecimal, Price, Quantity, an instrument, an account or a class with parameters'],
  [Double, '5', /expected a number, found "5"/],
  [Float, Infinity, /expected a number, found Infinity/],
  [Integer, '7', /found "7"/],
  [Integer, -2147483649, /found -2147483649/],
  [Long, true, /whole number of 64 bits/],
  [Long, 'x12', /whole number of 64 bits/],
  [Long, '12x', /whole number of 64 bits/],
  [Long, '', /whole number of 64 bits/],
  [Long, '-9223372036854775809', /whole number of 64 bits/],
  [TradingInstrument, [1], /found \[1\]/],
  [TradingInstrument, null, /found null/],
  [DataInstrument, '1x', /found "1x"/],
  [DataInstrument, '0000000000000812', /found "0000000000000812"/],
  [DataInstrument, 'x1', /found "x1"/],
  [DataInstrument, 'spot', /found "spot"/],
  [TwoSides(Integer), 'b', 'value: expected a whole number from -2147483648 to 2147483647, found "b"'],
  [TwoSides(Integer), { ask: 2 }, /value\.bid: expected a whole number .* found nothing/],
  [TwoSides(TwoSides(Integer)), { bid: 1 }, /value\.ask: expected \{ "bid": \.\.\., "ask": \.\.\. \} or one value for both: a whole number .* found nothing/],
  [TwoSides(List(Boolean)), { bid: [] }, 'value.ask: expected a list, each element true or false, found nothing'],
  [TwoSides(TradingInstrument), { bid: 1 }, 'value.ask: expected an instrument, or { "instrument": ..., "account": ... }, found nothing'],
  [TwoSides(DataInstrument), { bid: 1 }, 'value.ask: expected an instrument, found nothing'],
  [TwoSides(Account), { bid: 'cash' }, 'value.ask: expected the name of an account, found nothing'],
  [TwoSides(Leg), { bid: { price: '1' } }, 'value.ask: expected an object with the parameters of Leg, found nothing'],
  [TwoSides(Integer), { bid: 1, ask: 2, 'a b': 3 }, 'value["a b"]: expected bid and ask, found the unknown side "a b"'],
  [TwoSides(Integer), { bid: 1, ask: 2, 'b-': 3 }, 'value["b-"]: expected bid and ask'],
  [TwoSides(Integer), { bid: 1, ask: 2, '-b': 3 }, 'value["-b"]: expected bid and ask'],
]

describe('values that are refused', () => {
  test.each(REFUSED.map(([type, value, words]) => [nameOf(type), wordOf(value), type, value, words] as const))('%s from %s', (_name, _words, type, value, words) => {
    expect(() => read(type, { value })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
    expect(() => read(type, { value })).toThrow(words)
  })

  test.each([undefined, null, [], 'text'])('a config that is %j', (config) => {
    expect(() => read(Boolean, config)).toThrow('the config: expected an object of parameters')
  })
})

class Settings {
  instrument: unknown = undefined
  size: unknown = undefined
  legs: unknown = undefined
  refresh = 1000
}
for (const [field, type, options] of [['instrument', TradingInstrument, {}], ['size', Quantity, {}], ['legs', List(Leg), {}], ['refresh', Number, { optional: true, name: 'refreshMs' }]] as const) {
  (Parameter(type, options) as (target: object, key: string) => void)(Settings.prototype, field)
}

describe('what was found, in words', () => {
  const circle: { self?: unknown } = {}
  circle.self = circle
  test.each<readonly [value: unknown, words: string]>([
    [undefined, 'nothing'], [null, 'null'], [7n, '7n'], [NaN, 'NaN'], [-0.5, '-0.5'], [true, 'true'], ['a"b', '"a\\"b"'], [[1, 'x'], '[1,"x"]'], [Symbol('s'), 'Symbol(s)'], [circle, 'a value that is no JSON'], [{ toJSON: () => undefined }, 'object'],
    ['o'.repeat(100), `"${'o'.repeat(79)}`], [Object.assign(() => 1, { toString: () => 'f'.repeat(100) }), 'f'.repeat(80)],
  ])('%s', (value, words) => {
    expect(foundText(value)).toBe(words)
  })
})

describe('whole configs', () => {
  test('an optional parameter that is left out keeps its initial value; a name overrides the key', () => {
    const settings = new Settings()
    readParameters(settings, { instrument: 1, size: '1', legs: [] }, registry())
    expect(settings.refresh).toBe(1000)
    readParameters(settings, { instrument: 1, size: '1', legs: [], refreshMs: 5 }, registry())
    expect(settings.refresh).toBe(5)
  })

  test('all faults at once, in order; nothing that is faulty is set', () => {
    const settings = new Settings()
    let message = ''
    try {
      readParameters(settings, { instrument: 'XRP', legs: [{ price: 1.5 }, { amount: 'x' }], refreshMs: null, refresh: 5 }, registry())
    } catch (error) {
      message = (error as Error).message
      expect(error).toMatchObject({ code: 'OPTION_INVALID', place: { field: 'instrument', found: '"XRP"' } })
    }
    expect(message.split('\n').map((line) => line.trim().split(':')[0])).toEqual([
      'Cannot read the parameters of Settings', 'instrument', 'size', 'legs[0].price', 'legs[1].price', 'legs[1].amount', 'refreshMs', 'refresh',
    ])
    expect(settings).toEqual(new Settings())
  })

  test('an unknown parameter of a class that has none, and one whose class has none', () => {
    expect(() => { readParameters(new Bare(), { size: 1 }, registry()) }).toThrow('size: expected no parameters, found the unknown parameter "size"')
    expect(() => read(Bare, {})).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
    expect(() => read(Bare, { value: {} })).toThrow(expect.objectContaining({ place: { field: 'value' } }) as Error)
  })

  test('where the only fault is, and how many there are', () => {
    const failing = (config: object): unknown => {
      try {
        readParameters(new Settings(), config, registry())
        return null
      } catch (error) {
        return error
      }
    }
    expect(failing({ instrument: 1, size: '1', legs: 5 })).toMatchObject({
      message: 'Cannot read the parameters of Settings: legs: expected a list, each element an object with the parameters of Leg, found 5', place: { field: 'legs', expected: 'a list, each element an object with the parameters of Leg', found: '5' },
    })
    expect(failing({ instrument: 1, legs: [] })).toMatchObject({ place: { field: 'size', found: 'nothing' } })
    expect(failing({ instrument: 1 })).toMatchObject({ message: expect.stringMatching(/^Cannot read the parameters of Settings: 2 faults:\n {2}size: .*\n {2}legs: /) as string })
  })

  test('many instruments are named up to six', () => {
    const entries = Array.from({ length: 8 }, (_, i) => fakeEntry({ id: i + 1, code: `C${i}` }))
    const of = (count: number): InstrumentRegistry => new InstrumentRegistry(new FakeVenue({ entries: entries.slice(0, count) }), [], { place: () => { throw new Error('no') }, tactics: { target: () => undefined, cancelAll: () => undefined }, cancelAllOrders: () => undefined, underlyingId: () => 0, equityOf: () => null, epochDay: 0 })
    expect(() => of(6).dataInstrument('X')).toThrow(/\(swap:C0 \(1\), .*, swap:C5 \(6\)\), found "X"$/)
    expect(() => of(8).dataInstrument('X')).toThrow(/\(swap:C0 \(1\), .*, swap:C5 \(6\), 2 more\), found "X"$/)
  })

  test('one object for an instrument, however many parameters name it', () => {
    const resolver = registry()
    expect(resolver.tradingInstrument('ETHUSDT')).toBe(resolver.tradingInstrument({ instrument: 3, account: 'main' }))
    expect(resolver.dataInstrument(3)).toBe(resolver.dataInstrument('swap:ETHUSDT'))
    expect(resolver.tradingInstrument(3).account).toBe(resolver.account('main'))
  })

  test('keys of the prototype are no parameters', () => {
    const config: unknown = JSON.parse('{"instrument":1,"size":"1","legs":[],"__proto__":{"refreshMs":7}}')
    expect(() => readParameters(new Settings(), config, registry())).toThrow('unknown parameter "__proto__"')
  })
})
