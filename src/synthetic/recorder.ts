import { EVENT_KINDS } from '../model/event-kind.js'
import { RandomNumbers } from '../model/random.js'
import { NS_PER_MS, NS_PER_SECOND } from '../model/time.js'
import type { RecordingPlan } from './calendar.js'
import { epochText, type LineSink, type MarketMessage } from './market-message.js'
import type { SyntheticEra } from './synthetic-exchange.js'

const RESYNC_NS = 1.5 * NS_PER_SECOND
const BASE_LATENCY_NS = 3.2 * NS_PER_MS
const JITTER_MEAN_NS = 0.9 * NS_PER_MS
const SPIKE_SHARE = 0.002
const SPIKE_LIMIT_NS = 60 * NS_PER_MS
const CLOCK_STEP_NS = 969 * NS_PER_MS
const UNCHAINED = '0'

/** The vendor's recorder: receives messages with latency and jitter and writes the lines of one file. */
export class Recorder {
  private readonly random: RandomNumbers
  private count = 0
  private adapterNs = -Infinity
  private started = false
  private connected = false
  private synchronized = false
  private outage = 0
  private snapshotWanted = false
  private forceReset = false
  private gapSeen = false
  private regularDue = true
  private clockDue = true
  private freshChains: Set<number> = new Set()

  /** `fileIndex` tells the recorders of consecutive days apart: each has its own latencies. */
  constructor(
    private readonly instrumentId: number,
    seed: number,
    private readonly era: SyntheticEra,
    private readonly epochDay: number,
    fileIndex: number,
    private readonly plan: RecordingPlan,
    private readonly line: LineSink,
  ) {
    this.random = new RandomNumbers(seed, `recorder ${String(fileIndex)}`, instrumentId)
  }

  /** True once the book has to be sent whole with the next depth message. */
  wantsSnapshot(timeNs: number): boolean {
    return this.connected && this.snapshotWanted && timeNs < this.plan.recording.toNs
  }

  /** Receives one message of the venue; those outside the recording are not for this file. */
  receive(message: MarketMessage): void {
    const { recording, gap } = this.plan
    if (message.timeNs < recording.fromNs || message.timeNs >= recording.toNs) return
    this.advance(message.timeNs)
    if (!this.connected) return
    const isDepth = message.kind === EVENT_KINDS.update
    if (
      message.timeNs >= gap.fromNs &&
      message.timeNs < gap.toNs &&
      (isDepth || message.kind === EVENT_KINDS.topOfBook)
    ) {
      this.gapSeen ||= isDepth
      return
    }
    if (isDepth && !this.synchronized) return
    const fresh = this.freshChains.delete(message.kind)
    this.event(message, message.kind, fresh ? UNCHAINED : message.previousId, message.body)
  }

  /** Receives the whole book right after the depth message `message`, which made it so. */
  receiveSnapshot(message: MarketMessage, body: string): void {
    const tail = this.era === '2026' ? `,${String(this.forceReset)}` : ''
    this.event(message, EVENT_KINDS.snapshot, UNCHAINED, body + tail)
    this.synchronized = true
    this.snapshotWanted = false
    this.forceReset = false
  }

  /** Ends the file: an outage that is due is still written. */
  finish(): void {
    this.advance(this.plan.recording.toNs)
  }

  private advance(timeNs: number): void {
    if (!this.started) {
      this.started = true
      this.connect(this.plan.recording.fromNs, 'ready after connect')
    }
    this.advanceOutages(timeNs)
    if (this.gapSeen && timeNs >= this.plan.gap.toNs + RESYNC_NS) {
      this.gapSeen = false
      this.snapshotWanted = true
      this.forceReset = true
    }
    if (this.regularDue && timeNs >= this.plan.snapshotNs) {
      this.regularDue = false
      this.snapshotWanted = true
    }
  }

  private advanceOutages(timeNs: number): void {
    for (;;) {
      const outage = this.plan.outages[this.outage]
      if (outage === undefined) return
      if (this.connected && timeNs >= outage.fromNs) {
        this.connected = false
        this.synchronized = false
        this.snapshotWanted = false
        this.state(outage.fromNs, 'ERROR', outage.reason)
      }
      if (this.connected || timeNs < outage.toNs) return
      this.outage += 1
      this.connect(outage.toNs, 'ready after reconnect')
    }
  }

  private connect(timeNs: number, text: string): void {
    this.connected = true
    this.snapshotWanted = true
    this.freshChains = new Set([EVENT_KINDS.trades, EVENT_KINDS.liquidations])
    this.state(timeNs, 'READY', text)
  }

  private state(timeNs: number, state: string, text: string): void {
    this.line(
      `[${String(EVENT_KINDS.state)},${String(this.instrumentId)},${this.receivedAt(timeNs)},"${state}","${text}"]`,
    )
  }

  private event(message: MarketMessage, kind: number, previousId: string, data: string): void {
    const exchange = Number.isNaN(message.exchangeTimeNs) ? '0' : epochText(message.exchangeTimeNs, this.epochDay)
    const adapter = this.receivedAt(message.timeNs)
    this.line(
      `[${String(kind)},${String(this.instrumentId)},"${previousId}","${message.id}",${adapter},${exchange},${data}]`,
    )
  }

  /** The adapter's time of a message that left at `timeNs`: one connection, so first in, first out. */
  private receivedAt(timeNs: number): string {
    this.count += 1
    const jitter = this.random.exponential(this.count) * JITTER_MEAN_NS
    const spike =
      this.random.uniform(this.count, 1) < SPIKE_SHARE ? this.random.uniform(this.count, 2) * SPIKE_LIMIT_NS : 0
    const arrival = timeNs + Math.floor(BASE_LATENCY_NS + jitter + spike)
    this.adapterNs = Math.max(arrival, this.adapterNs + 100 + this.random.below(900, this.count, 3))
    if (!this.clockDue || timeNs < this.plan.clockStepNs) return epochText(this.adapterNs, this.epochDay)
    this.clockDue = false
    return epochText(this.adapterNs - CLOCK_STEP_NS, this.epochDay)
  }
}
