import { scaledFromText } from '../../src/model/decimal.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import type { OrderEntry } from '../../src/venue/venue.js'
import type { DayWindow } from './day-windows.ts'
import { placeEntry, type BenchCommand } from './exchange-bench.ts'
import type { FaultDraws } from './fault-draws.ts'
import type { Heard } from './fault-run.ts'

type Shape = Partial<PlaceEntry>

/** What the orders of a program are made of, on the grid of its instrument. */
class Shapes {
  readonly #draws: FaultDraws
  readonly #tick: number
  readonly #lot: number
  readonly #touch: { readonly BID: number, readonly ASK: number }
  readonly #isSpot: boolean

  constructor({ instrument, priceScale, quantityScale, lines }: DayWindow, draws: FaultDraws) {
    this.#draws = draws
    this.#tick = scaledFromText(instrument.tickSize ?? '1', priceScale) ?? 1
    this.#lot = instrument.lotSize === null ? 1 : (scaledFromText(instrument.lotSize, quantityScale) ?? 1)
    const [bid, ask] = [0, 1].map((code) => lines[0]!.rows!.find(([side]) => side === code)![1]) as [number, number]
    this.#touch = { BID: bid, ASK: ask }
    this.#isSpot = instrument.type === 'spot'
  }

  near(side: 'BID' | 'ASK', ticks: number): number {
    return Math.max(this.#tick, Math.round(this.#touch[side] / this.#tick + this.#draws.below(2 * ticks + 1) - ticks) * this.#tick)
  }

  quantity(): number {
    return this.#lot * (1 + this.#draws.below(30))
  }

  offset(): number {
    return (this.#draws.below(5) - 2) * this.#tick
  }

  order(): Shape {
    const draws = this.#draws
    const side = draws.of(['BID', 'ASK'] as const)
    const base: Shape = { side, totalQuantity: this.quantity(), useSpare: draws.below(6) === 0, price: this.near(side, 4) }
    return { ...base, ...this.#kind(side), ...(this.#isSpot ? {} : { openClose: draws.of([undefined, undefined, undefined, 'OPEN', 'CLOSE'] as const) }) } as Shape
  }

  #kind(side: 'BID' | 'ASK'): Shape {
    const draws = this.#draws
    switch (draws.below(14)) {
      case 0: return { type: 'MARKET', price: null, timeInForce: 'IMMEDIATE_OR_CANCEL' }
      case 1: return { timeInForce: 'IMMEDIATE_OR_CANCEL' }
      case 2: return { timeInForce: 'FILL_OR_KILL' }
      case 3: return { postOnly: true }
      case 4: case 5: return { type: 'STOP_LIMIT', triggerPrice: this.near(side, 2), postOnly: draws.below(4) === 0 }
      case 6: return { type: draws.of(['MARKET_PEGGED', 'PRIMARY_PEGGED']), price: null, pegOffsetValue: this.offset() }
      case 7: return { displayQuantity: this.#lot * draws.below(4) }
      case 8: return { reduceOnly: true }
      case 9: return { closeOnly: true }
      default: return {}
    }
  }
}

/** Two clients of one account, each with a random program of its own: their orders have ids of their own, and each may name the other's. */
export function faultProgram(window: DayWindow, draws: FaultDraws, received: ReadonlyMap<string, Heard>, endNs: number): BenchCommand[] {
  const shapes = new Shapes(window, draws)
  const ids: string[] = []
  const anyId = (): string => (ids.length === 0 || draws.below(12) === 0 ? 'nobody' : draws.of(ids))
  const newId = (): string => {
    ids.push(`o${ids.length}`)
    return ids[ids.length - 1]!
  }
  const change = (): object => {
    const what = draws.below(6)
    if (what < 2) return { price: shapes.near('BID', 6) }
    if (what < 4) return { totalQuantity: shapes.quantity() }
    return what === 4 ? { triggerPrice: shapes.near('ASK', 3) } : { pegOffsetValue: shapes.offset() }
  }
  const act = (entry: OrderEntry, number: number, { sent }: Heard): void => {
    const what = draws.below(11)
    const id = anyId()
    if (what < 6) {
      const entries = Array.from({ length: 1 + (draws.below(4) === 0 ? 2 : 0) }, () => placeEntry(newId(), { instrumentId: window.instrument.id, ...shapes.order() }))
      for (const { ownOrderId } of entries) sent.push({ kind: 'place', id: String(ownOrderId) })
      entry.place(entries)
    } else if (what === 6) {
      sent.push({ kind: 'amend', id: `${id} v${number}` })
      entry.amend([{ ownOrderId: id, currentClientOrderId: id, newClientOrderId: `${id} v${number}`, ...change() }])
    } else if (what === 7) {
      const newOwnOrderId = newId()
      sent.push({ kind: 'replace', id: newOwnOrderId, from: id })
      const { pegOffsetValue: _none, ...terms } = change() as { pegOffsetValue?: number }
      entry.replace([{ currentOwnOrderId: id, newOwnOrderId, currentClientOrderId: id, newClientOrderId: newOwnOrderId, ...terms }])
    } else if (what < 10) {
      sent.push({ kind: 'cancel', id })
      entry.cancel([{ ownOrderId: id }])
    } else {
      sent.push({ kind: 'cancelAll', id: `r${number}` })
      entry.cancelAll({ requestId: `r${number}`, createTimeNs: 0 })
    }
  }
  return Array.from({ length: 30 }, (_, number) => {
    const clientId = number % 3 === 2 ? 'd' : 'c'
    return { timeNs: draws.below(endNs), clientId, send: (entry) => { act(entry, number, received.get(clientId)!) } }
  })
}
