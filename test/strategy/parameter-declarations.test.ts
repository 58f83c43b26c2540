import { describe, expect, test } from 'vitest'
import { Account } from '../../src/strategy/account.js'
import { checkParameters } from '../../src/strategy/parameter-check.js'
import { Integer, Parameter, parametersOf, type AnyParameterType, type ParameterOptions } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { fakeEntry } from '../support/fake-market.js'
import { FakeVenue } from '../support/fake-venue.js'

/** A decorator as compilers call it: with a prototype and a key (legacy), or with a context (standard). */
type Called = (target: object | undefined, context: unknown) => unknown
const decorator = (type: AnyParameterType, options?: ParameterOptions): Called => Parameter(type, options)

/** What a compiler makes of a class with one field under standard decorators: the field takes its first value through what the decorator returns. */
function standard(name: string | symbol, options?: ParameterOptions): new () => object {
  // Deno runs no initializers that are added to a field's context.
  const initialize = decorator(Integer, options)(undefined, { kind: 'field', name, addInitializer: () => undefined }) as (this: object, value: number) => number
  return class {
    readonly depth: number
    constructor() {
      this.depth = initialize.call(this, 5)
    }
  }
}

const declared = (instance: object): unknown => parametersOf(instance).map(({ field, name, type, isOptional }) => [field, name, type, isOptional])

describe('a declared parameter', () => {
  test.each<readonly [options: ParameterOptions | undefined, name: string, isOptional: boolean]>([
    [undefined, 'depth', false], [{}, 'depth', false], [{ optional: true }, 'depth', true], [{ optional: false, name: 'levels' }, 'levels', false],
  ])('%j, under legacy and under standard decorators', (options, name, isOptional) => {
    class Legacy {
      readonly depth = 5
    }
    decorator(Integer, options)(Legacy.prototype, 'depth')
    const Standard = standard('depth', options)
    for (const instance of [new Legacy(), new Standard(), new Standard()]) expect(declared(instance)).toEqual([['depth', name, Integer, isOptional]])
  })

  test('of a base class comes first; the class itself may declare it again', () => {
    class Base {
      readonly depth = 5
    }
    class Derived extends Base {}
    for (const [owner, field, options] of [[Derived, 'own', {}], [Base, 'depth', {}], [Base, 'size', {}], [Derived, 'depth', { optional: true }]] as const) decorator(Integer, options)(owner.prototype, field)
    expect(declared(new Derived())).toEqual([['depth', 'depth', Integer, true], ['size', 'size', Integer, false], ['own', 'own', Integer, false]])
    expect(declared(new Base())).toEqual([['depth', 'depth', Integer, false], ['size', 'size', Integer, false]])
    expect(declared({})).toEqual([])
  })

  test('a field without a name is refused, one without an owner left alone', () => {
    const refusal = expect.objectContaining({ code: 'OPTION_INVALID', place: { field: 'Parameter' } }) as Error
    class Legacy {
      readonly depth = 5
    }
    expect(() => { decorator(Integer)(Legacy.prototype, Symbol('depth')) }).toThrow(refusal)
    expect(() => new (standard(Symbol('depth')))()).toThrow(refusal)
    expect(() => { decorator(Integer)(undefined, 'depth') }).not.toThrow()
  })
})

describe('parameters that are only checked', () => {
  class Quoter extends Strategy {
    declare instrument: TradingInstrument
    declare account: Account
    declare depth: number
  }
  for (const [field, type] of [['instrument', TradingInstrument], ['account', Account], ['depth', Integer]] as const) decorator(type)(Quoter.prototype, field)
  const { instruments } = new FakeVenue({ entries: [fakeEntry()] })
  const check = (strategy: new () => Strategy, config: object): string[] =>
    checkParameters(strategy, { ...config }, instruments, [{ accountId: 'main', exchangeCode: 'swap' }]).map(({ path }) => path)

  test('all that is wrong is said at once, as to a strategy that runs', () => {
    expect(check(Quoter, { instrument: 'BTCUSDT', account: 'main', depth: 5 })).toEqual([])
    expect(check(Quoter, { instrument: 'XRP', account: 'nobody', size: 1 })).toEqual(['instrument', 'account', 'depth', 'size'])
  })

  test('a strategy that cannot be made has none that are wrong', () => {
    class Broken extends Quoter {
      constructor() {
        super()
        throw new Error('no')
      }
    }
    expect(check(Broken, { instrument: 'XRP' })).toEqual([])
  })

  test('nothing runs of it', () => {
    const received: string[] = []
    class Loud extends Quoter {
      override onStart(): void {
        received.push('onStart')
      }
    }
    check(Loud, { instrument: 'BTCUSDT', account: 'main', depth: 5 })
    expect(received).toEqual([])
  })
})
