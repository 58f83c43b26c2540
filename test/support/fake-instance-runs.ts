import type { SentMessage } from '../../src/venue/channels.js'
import type { InstanceEnd, InstanceOrder, InstanceRun, InstanceSink, StartInstance } from '../../src/strategy-server/instance-run.js'

const END: InstanceEnd = {
  end: 'stopped', reason: 'it was stopped', code: null, stack: null, faults: [], fingerprint: 'bt3:0', journalLineCount: 0, openOrders: [], droppedCount: 0,
}

/** A run that does what a test says, and remembers what it is asked. */
class FakeRun implements InstanceRun {
  readonly asked: (readonly unknown[])[] = []
  /** Called as it is killed. */
  onKill: () => void = () => {}

  constructor(readonly order: InstanceOrder, readonly sink: InstanceSink) {}

  receive(channel: string, { origin, message, record }: SentMessage): void {
    this.asked.push(['receive', channel, origin, message, ...record === undefined ? [] : [record]])
  }

  stop(cancelOrders: boolean): void {
    this.asked.push(['stop', cancelOrders])
  }

  look(): void {
    this.asked.push(['look'])
  }

  unlook(): void {
    this.asked.push(['unlook'])
  }

  over(): void {}

  kill(): Promise<void> {
    this.asked.push(['kill'])
    this.onKill()
    return Promise.resolve()
  }

  end(end: Partial<InstanceEnd> = {}): void {
    this.sink.ended({ ...END, ...end })
  }
}

/** Runs that tests play: the newest is the last. */
export class FakeRuns {
  readonly all: FakeRun[] = []
  /** Thrown by the next start. */
  fault: Error | null = null

  readonly start: StartInstance = (order, sink) => {
    const { fault } = this
    this.fault = null
    if (fault !== null) throw fault
    const run = new FakeRun(order, sink)
    this.all.push(run)
    return run
  }

  get last(): FakeRun {
    return this.all.at(-1)!
  }
}
