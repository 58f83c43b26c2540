import { Integer, Parameter, Strategy, TradingInstrument, type Channel, type ChannelMessage, type Order } from 'backtape'

type Decorate = (target: object, key: string) => void

const held: unknown[] = []

function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until) held[0] = until
}

/** A maker that is in no hurry, answers messages, and keeps all that it knows in its state. */
export class Calm extends Strategy {
  instrument!: TradingInstrument
  /** Above 0: each callback takes a while. */
  slow = 0
  protected count = 0
  private heard = 0

  override onStart(): void {
    this.openChannel('desk')
    this.every(1_000, () => this.quote(), { name: 'quote' })
  }

  private quote(): void {
    const { bestBid, bestAsk, openOrders } = this.instrument
    for (const order of openOrders) if (order.state === 'CONFIRMED') order.cancel()
    if (bestBid === null || bestAsk === null) return
    const quantity = this.instrument.quantity(String(100 + (this.heard % 7)))
    this.instrument.placeOrder({ side: 'BID', quantity, price: bestBid.price })
    this.instrument.placeOrder({ side: 'ASK', quantity, price: bestAsk.price })
  }

  override onInstrumentTopOfBook(): void {
    this.count++
    if (this.slow > 0) spin(this.slow / 10)
    this.act()
  }

  protected act(): void {}

  override onOrderFill(order: Order): void { this.log(`filled ${String(order.getLastFill()?.quantity)}`) }

  override onChannelMessage(channel: Channel, { origin, message }: ChannelMessage): void {
    this.heard++
    this.log(`${origin} ${message}`)
    channel.publish(`${this.heard}`)
  }

  override saveState(): unknown { return [this.count, this.heard] }
  override restoreState(state: unknown): void { [this.count, this.heard] = state as [number, number] }
}
;(Parameter(TradingInstrument) as Decorate)(Calm.prototype, 'instrument')
;(Parameter(Integer, { optional: true }) as Decorate)(Calm.prototype, 'slow')

export class Looper extends Calm {
  protected override act(): void { if (this.count === 50) spin(Infinity) }
}

export class TimerLooper extends Calm {
  override onStart(): void { setImmediate(() => { spin(Infinity) }) }
}

export class HeapLeaker extends Calm {
  protected override act(): void { held.push(Array.from({ length: 100_000 }, (_, at) => ({ at }))) }
}

export class BufferLeaker extends Calm {
  protected override act(): void { held.push(new Uint8Array(4_194_304).fill(1)) }
}

export class BufferBurster extends Calm {
  protected override act(): void { for (;;) held.push(Buffer.alloc(16_777_216, 1)) }
}

export class Exiter extends Calm {
  protected override act(): void { if (this.count === 50) process.exit(3) }
}

export class TimerThrower extends Calm {
  override onStart(): void { setTimeout(() => { throw new Error('out of a timer') }, 1) }
  protected override act(): void { spin(2) }
}

export class Rejecter extends Calm {
  override onStart(): void { void Promise.reject(new Error('nobody catches it')) }
  protected override act(): void { spin(2) }
}

export class Promiser extends Calm {
  // eslint-disable-next-line @typescript-eslint/no-misused-promises
  override async onInstrumentTopOfBook(): Promise<void> { await Promise.resolve() }
}

export class Thrower extends Calm {
  protected override act(): void { if (this.count === 50) throw new Error('out of a callback') }
}

export class Flooder extends Calm {
  protected override act(): void { for (let at = 0; at < 10; at++) this.openChannel('flood').publish('x'.repeat(1_000)) }
}
