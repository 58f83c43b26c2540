import type { Side } from '../model/side.js'
import type { Stretch } from './calendar.js'
import { type InstrumentProfile, priceText, quantityText } from './instrument-profile.js'
import { epochText, type LineSink } from './market-message.js'
import type { RestingOrder } from './order-level-book.js'

/**
 * Writes what really happened to every order of one day's recording, one JSON array a line behind the day's master data
 * in line 1, times in epoch nanoseconds:
 *
 * - `["R", time, orderId, "BID" | "ASK", price, quantity]` an order that rests already as the recording begins; best
 *   price first, then first come;
 * - `["A", time, orderId, side, price, quantity]` a limit order joins the back of its price;
 * - `["C", time, orderId, quantity]` a resting order is cancelled, with what it still had;
 * - `["M", time, orderId, side, quantity, "market" | "liquidation"]` a market order arrives; its executions follow;
 * - `["X", time, restingOrderId, aggressorOrderId, price, quantity, tradeId]` an execution, in the order of the trade
 *   rows;
 * - `["P", time, eventId]` the venue publishes the depth update `eventId`: a book that has applied it equals the
 *   orders above.
 *
 * The queue position of an order is the sum of what stands before it at its price.
 */
export class TruthLog {
  private begun = false

  constructor(
    private readonly profile: InstrumentProfile,
    private readonly epochDay: number,
    private readonly recording: Stretch,
    private readonly line: LineSink,
  ) {}

  /** True where the recording runs at a time. */
  covers(timeNs: number): boolean {
    return timeNs >= this.recording.fromNs && timeNs < this.recording.toNs
  }

  /** Before the first event that the recording covers: the orders that rest already, by priority. */
  begin(resting: () => Iterable<RestingOrder>): void {
    if (this.begun) return
    this.begun = true
    for (const order of resting())
      this.order('R', this.recording.fromNs, order.id, order.side, order.tick, order.lots)
  }

  added(timeNs: number, id: number, side: Side, tick: number, lots: number): void {
    this.order('A', timeNs, id, side, tick, lots)
  }

  canceled(timeNs: number, id: number, lots: number): void {
    this.line(`["C",${this.time(timeNs)},${String(id)},"${quantityText(this.profile, lots)}"]`)
  }

  arrived(timeNs: number, id: number, side: Side, lots: number, liquidation: boolean): void {
    const quantity = quantityText(this.profile, lots)
    this.line(
      `["M",${this.time(timeNs)},${String(id)},"${side}","${quantity}","${liquidation ? 'liquidation' : 'market'}"]`,
    )
  }

  executed(timeNs: number, restingId: number, aggressorId: number, tick: number, lots: number, tradeId: string): void {
    const price = priceText(this.profile, tick)
    this.line(
      `["X",${this.time(timeNs)},${String(restingId)},${String(aggressorId)},` +
        `"${price}","${quantityText(this.profile, lots)}",${tradeId}]`,
    )
  }

  published(timeNs: number, eventId: string): void {
    this.line(`["P",${this.time(timeNs)},"${eventId}"]`)
  }

  private order(letter: 'A' | 'R', timeNs: number, id: number, side: Side, tick: number, lots: number): void {
    const price = priceText(this.profile, tick)
    this.line(
      `["${letter}",${this.time(timeNs)},${String(id)},"${side}","${price}","${quantityText(this.profile, lots)}"]`,
    )
  }

  private time(timeNs: number): string {
    return epochText(timeNs, this.epochDay)
  }
}
