import fc from 'fast-check'
import type { AmendEntry, PlaceEntry, ReplaceEntry } from '../../src/venue/messages.js'
import { placeEntry } from './exchange-bench.ts'
import type { MarketLine, MarketRow } from './market-lines.ts'
import { INSTANTS_PER_HOUR, type NaiveRules } from './naive-rules.ts'

/** One instant of a program: lines of the market, or a request. */
export type AdapterStep =
  | { readonly lines: readonly MarketLine[] }
  | { readonly kind: 'place', readonly entry: PlaceEntry }
  | { readonly kind: 'amend', readonly entry: AmendEntry }
  | { readonly kind: 'replace', readonly entry: ReplaceEntry }
  | { readonly kind: 'cancel', readonly ownOrderId: string }
  | { readonly kind: 'cancelAll' }

export interface AdapterProgram {
  readonly rules: NaiveRules
  readonly steps: readonly AdapterStep[]
}

const price = fc.integer({ min: 96, max: 104 })
const quantity = fc.integer({ min: 1, max: 9 })
const code = fc.constantFrom(0, 1)

const book = fc.record({ middle: fc.integer({ min: 98, max: 102 }), sizes: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 6 }) }).map(({ middle, sizes }): MarketRow[] =>
  sizes.flatMap((size, i): MarketRow[] => (size === 0 ? [] : [[i < 3 ? 0 : 1, i < 3 ? middle - 1 - i : middle + i - 2, size]])))
const line: fc.Arbitrary<MarketLine> = fc.oneof(
  { weight: 5, arbitrary: fc.uniqueArray(fc.tuple(code, price, fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 3, selector: ([side, at]) => side * 1000 + at }).map((rows) => ({ kind: 'update' as const, timeNs: 0, rows })) },
  { weight: 5, arbitrary: fc.tuple(code, price, quantity).map((row) => ({ kind: 'trades' as const, timeNs: 0, rows: [row] })) },
  { weight: 1, arbitrary: book.map((rows) => ({ kind: 'snapshot' as const, timeNs: 0, rows })) },
  { weight: 2, arbitrary: fc.oneof(price, price, fc.integer({ min: 80, max: 120 })).map((value) => ({ kind: 'mark' as const, timeNs: 0, value })) },
  { weight: 1, arbitrary: fc.integer({ min: -300, max: 300 }).map((value) => ({ kind: 'funding' as const, timeNs: 0, value, valueScale: 4 })) },
)
const lines = fc.array(line, { minLength: 1, maxLength: 3 }).map((some) => ({ lines: some }))

type Shape = Partial<PlaceEntry>
const timeInForce = fc.constantFrom('GOOD_TILL_CANCEL', 'GOOD_TILL_CANCEL', 'GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL')
const offset = fc.integer({ min: -3, max: 4 })
const kind: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ price, timeInForce }) },
  { weight: 3, arbitrary: fc.record({ price, timeInForce, triggerPrice: price, type: fc.constant('STOP_LIMIT') }) },
  { weight: 2, arbitrary: fc.record({ price: fc.constant(null), type: fc.constantFrom('MARKET_PEGGED', 'PRIMARY_PEGGED'), pegOffsetValue: offset }) },
  { weight: 2, arbitrary: fc.record({ price: fc.constant(null), type: fc.constant('MARKET'), timeInForce: fc.constant('IMMEDIATE_OR_CANCEL') }) },
  // What the adapter refuses itself.
  { weight: 1, arbitrary: fc.record({ price: fc.option(price), type: fc.constantFrom('LIMIT', 'MARKET', 'STOP_LIMIT', 'PRIMARY_PEGGED') }) },
  { weight: 1, arbitrary: fc.record({ price, triggerPrice: price, pegOffsetValue: offset }, { requiredKeys: ['price'] }) },
  { weight: 1, arbitrary: fc.record({ price: fc.constantFrom(-1, 0, 1), triggerPrice: fc.constantFrom(-1, 0, 1), type: fc.constantFrom('LIMIT', 'STOP_LIMIT') }, { requiredKeys: ['price', 'type'] }) },
)
const attributes: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.record({ displayQuantity: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 2, arbitrary: fc.constant({ reduceOnly: true }) },
  { weight: 1, arbitrary: fc.constant({ closeOnly: true }) },
  { weight: 3, arbitrary: fc.record({ openClose: fc.constantFrom('OPEN' as const, 'CLOSE' as const) }) },
  { weight: 1, arbitrary: fc.record({ openClose: fc.constantFrom('OPEN' as const, 'CLOSE' as const), reduceOnly: fc.constant(true) }) },
)
const placeOf = (some: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> => fc.record({ kind, attributes: some, side: fc.constantFrom('BID' as const, 'ASK' as const), totalQuantity: quantity, isPostOnly: fc.integer({ min: 0, max: 3 }) })
  .map(({ kind: shape, attributes: more, side, totalQuantity, isPostOnly }): Shape => ({
    ...shape, ...more, side, totalQuantity, postOnly: isPostOnly === 0 && (shape.timeInForce ?? 'GOOD_TILL_CANCEL') === 'GOOD_TILL_CANCEL' && shape.type !== 'MARKET',
  }))
const changes = fc.record({ price, totalQuantity: quantity, triggerPrice: price, pegOffsetValue: offset }, { requiredKeys: [] })

/** Makes a request of the ids at its place in the program: its own, and an earlier one. */
type Request = (id: string, earlier: string) => AdapterStep
const requestsOf = (place: fc.Arbitrary<Shape>): fc.Arbitrary<Request> => fc.oneof(
  { weight: 8, arbitrary: place.map((shape): Request => (id) => ({ kind: 'place', entry: placeEntry(id, shape) })) },
  { weight: 3, arbitrary: changes.map((change): Request => (id, earlier) => ({ kind: 'amend', entry: { ownOrderId: earlier, currentClientOrderId: earlier, newClientOrderId: id, ...change } })) },
  { weight: 2, arbitrary: changes.map(({ pegOffsetValue: _none, ...change }): Request => (id, earlier) => ({
    kind: 'replace', entry: { currentOwnOrderId: earlier, newOwnOrderId: id, currentClientOrderId: earlier, newClientOrderId: id, ...change },
  })) },
  { weight: 1, arbitrary: fc.constant<Request>((_id, earlier) => ({ kind: 'cancel', ownOrderId: earlier })) },
  { weight: 1, arbitrary: fc.constantFrom<Request>(() => ({ kind: 'cancelAll' }), (_id, earlier) => ({ kind: 'place', entry: placeEntry(earlier, {}) })) },
)
const rules: fc.Arbitrary<NaiveRules> = fc.record({
  triggerBy: fc.constantFrom('lastTrade', 'lastTrade', 'mark'), triggersAtArrival: fc.boolean(), amendKeepsQueue: fc.constantFrom('smallerQuantity', 'never'), closeOnlyCancelsOthers: fc.boolean(),
  margin: fc.constantFrom(null, ['cross'] as const, ['isolated'] as const, ['cross', 'isolated'] as const), cash: fc.constantFrom(60, 100, 300, 100_000), coins: fc.constant(null),
})
/** The same on spot, where orders may borrow. */
const spotRules: fc.Arbitrary<NaiveRules> = rules.chain((made) => fc.constantFrom(0, 5, 40).map((coins) => ({ ...made, margin: null, coins })))

function programs(chosen: fc.Arbitrary<NaiveRules>, request: fc.Arbitrary<Request>): fc.Arbitrary<AdapterProgram> {
  return fc.tuple(chosen, book, fc.array(fc.oneof(lines, fc.record({ request, back: fc.integer({ min: 1, max: 6 }) })), { minLength: 5, maxLength: 40 })).map(([made, first, rest]) => {
    const steps: AdapterStep[] = [{ lines: [{ kind: 'snapshot', timeNs: 0, rows: first }, { kind: 'trades', timeNs: 0, rows: [[0, 100, 1]] }] }]
    for (const [at, step] of rest.entries()) {
      if ((steps.length + 1) % INSTANTS_PER_HOUR === 0) steps.push({ lines: [] })
      const nextFundingNs = (Math.floor((steps.length + 1) / INSTANTS_PER_HOUR) + 1) * INSTANTS_PER_HOUR
      steps.push('lines' in step ? { lines: step.lines.map((line) => (line.kind === 'funding' ? { ...line, nextFundingNs } : line)) } : step.request(`o${at}`, earlierId(rest, at, step.back)))
    }
    return { rules: made, steps }
  })
}

/** Programs of a few dozen instants over a market that begins with a snapshot. */
export const adapterPrograms: fc.Arbitrary<AdapterProgram> = programs(rules, requestsOf(placeOf(attributes)))
/** What opens a position at once, mostly long, and what closes all of it at other prices. */
const opening: fc.Arbitrary<Shape> = fc.record({ side: fc.constantFrom('BID' as const, 'BID' as const, 'BID' as const, 'ASK' as const), totalQuantity: fc.integer({ min: 1, max: 3 }), isolated: fc.integer({ min: 0, max: 2 }) })
  .map(({ side, totalQuantity, isolated }): Shape => ({ side, totalQuantity, price: null, type: 'MARKET', timeInForce: 'IMMEDIATE_OR_CANCEL', ...(isolated === 0 ? { openClose: 'OPEN' } : {}) }))
const closing: fc.Arbitrary<Shape> = fc.record({
  side: fc.constantFrom('ASK' as const, 'ASK' as const, 'ASK' as const, 'BID' as const), away: fc.integer({ min: 0, max: 4 }), kind: fc.constantFrom('LIMIT', 'LIMIT', 'LIMIT', 'STOP_LIMIT', 'MARKET_PEGGED', 'PRIMARY_PEGGED'),
  more: fc.record({ displayQuantity: fc.integer({ min: 0, max: 3 }), openClose: fc.constantFrom('AUTO' as const, 'CLOSE' as const), postOnly: fc.boolean() }, { requiredKeys: [] }),
}).map(({ side, away, kind: type, more }): Shape => {
  const sign = side === 'ASK' ? 1 : -1
  if (type === 'STOP_LIMIT') return { ...more, closeOnly: true, side, type, price: 100 + sign * away, triggerPrice: 100 - sign * away }
  return { ...more, closeOnly: true, side, type, ...(type === 'LIMIT' ? { price: 100 + sign * (away + 2) } : { price: null, pegOffsetValue: 1 - away }) }
})
/** The same with many orders that close all of a position, which grow with it. */
export const closingPrograms: fc.Arbitrary<AdapterProgram> = programs(rules.map((made) => ({ ...made, cash: 100_000 })), fc.oneof(
  { weight: 4, arbitrary: fc.oneof({ weight: 3, arbitrary: opening }, { weight: 2, arbitrary: closing }).map((shape): Request => (id) => ({ kind: 'place', entry: placeEntry(id, shape) })) },
  { weight: 1, arbitrary: requestsOf(placeOf(attributes)) },
))
/** The same for a spot account: no position to close, and loans. */
export const spotPrograms: fc.Arbitrary<AdapterProgram> = programs(spotRules, requestsOf(fc.record({ shape: placeOf(attributes), autoBorrow: fc.boolean(), autoRepay: fc.boolean() }).map(({ shape, ...loans }) => {
  const { reduceOnly: _reduce, closeOnly: _close, openClose: _open, ...rest } = shape
  return { ...rest, ...loans }
})))

/** The id of the n-th request before a place in the program. */
function earlierId(steps: readonly object[], at: number, back: number): string {
  let count = back
  for (let i = at - 1; i >= 0; i--) if ('request' in (steps[i] as object) && --count === 0) return `o${i}`
  return 'o0'
}
