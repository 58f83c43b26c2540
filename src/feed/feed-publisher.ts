import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import {
  INSTRUMENT_ERRORS, type FeedEncoding, type FeedLoginResponse, type FeedState, type FeedSubscribe,
} from '../protocol/feed-messages.js'
import { GAP_TEXT, type Subscription, type Topics } from '../venue/venue.js'
import { FEED_ENCODINGS } from './feed-encodings.js'
import type { FeedOmission, FeedSource } from './feed-source.js'
import { FrameStream } from './frame-stream.js'
import { PublishedInstrument, resetLine } from './published-instrument.js'

const KIND_COUNT = EVENT_KINDS.liquidations + 1
const TOPIC_KINDS: readonly (readonly [topic: keyof Topics, kinds: readonly number[]])[] = [
  ['depth', [EVENT_KINDS.snapshot, EVENT_KINDS.update]], ['trades', [EVENT_KINDS.trades]],
  ['topOfBook', [EVENT_KINDS.topOfBook]], ['markPrice', [EVENT_KINDS.mark]], ['indexPrice', [EVENT_KINDS.index]],
  ['fundingRate', [EVENT_KINDS.funding]], ['liquidations', [EVENT_KINDS.liquidations]],
]
const ALL_TOPICS: Topics = {
  depth: true, trades: true, topOfBook: true, indexPrice: true, markPrice: true, fundingRate: true, liquidations: true,
  states: true,
}
/** Flags of lines that end a gap which left the chain whole. */
const GAP_ENDS = EVENT_FLAGS.SILENCE_END | EVENT_FLAGS.CROSSED_END
const SUSPECT_SEAM = EVENT_FLAGS.SEAM | EVENT_FLAGS.CHAIN_GAP
const INSTRUMENT_ERROR_TEXTS: ReadonlySet<string> = new Set(Object.values(INSTRUMENT_ERRORS))

/** A connection as the publisher sees it: it takes frames of the stream of its encoding. */
export interface FeedReader {
  readonly encoding: FeedEncoding
  /** Adds a frame; true where it is the first that waits. */
  take(from: number, to: number): boolean
  /** The same for a top-of-book line, which may take the place of one that waits. */
  takeTop(instrumentId: number, from: number, to: number): boolean
  /** Hands what waits to the socket. */
  flush(): void
  /** Ends the subscription of an instrument with an instrument-level error. */
  end(instrumentId: number, text: string): void
}

/** The readers of one instrument in one encoding. */
interface Readers {
  readonly stream: FrameStream
  readonly all: Map<FeedReader, FeedSubscribe>
  /** By kind, made anew at each change: a list in turn is never touched. */
  byKind: readonly (readonly FeedReader[])[]
}

interface Publication {
  readonly published: PublishedInstrument
  readonly readers: ReadonlyMap<FeedEncoding, Readers>
  /** The same, to be walked for each line. */
  readonly readerLists: readonly Readers[]
  /** Lines that are left out; null: none. */
  omission: { depthLineCount: number; readonly untilNs: number } | null
}

/**
 * Publishes the lines of a source to connections: a line is encoded once for all of an encoding, and costs each of its
 * readers a comparison; nothing is made per event.
 */
export class FeedPublisher {
  readonly #streams: ReadonlyMap<FeedEncoding, FrameStream>
  readonly #publications: Map<number, Publication> = new Map()
  readonly #subscriptions: Subscription[] = []
  /** Blocks of messages that have been filled so far. */
  blockCount = 0
  /** Connections that have something to send. */
  #waiting: FeedReader[] = []

  constructor(
    private readonly source: FeedSource,
    /** Something waits to be sent. */
    private readonly onWaiting: () => void,
  ) {
    this.#streams = new Map(FEED_ENCODINGS.map(({ encoding, isBinary, createEncoder }) => (
      [encoding, new FrameStream(createEncoder(), isBinary, () => this.#turn(encoding))]
    )))
    for (const { instrument } of source.instruments.entries) this.#publish(instrument.id)
  }

  has(instrumentId: number): boolean {
    return this.#publications.has(instrumentId)
  }

  stream(encoding: FeedEncoding): FrameStream {
    return this.#streams.get(encoding) as FrameStream
  }

  #publish(instrumentId: number): void {
    const { source } = this
    const instrument = source.instruments.get(instrumentId)?.instrument
    if (instrument === undefined) return
    const published = new PublishedInstrument(instrument, source.market(instrumentId))
    const readers = new Map([...this.#streams].map(([encoding, stream]) => [
      encoding, { stream, all: new Map(), byKind: byKindOf(new Map()) } satisfies Readers,
    ] as const))
    const publication: Publication = {
      published, readers, readerLists: [...readers.values()], omission: null,
    }
    this.#publications.set(instrumentId, publication)
    this.#subscriptions.push(source.subscribe(instrumentId, ALL_TOPICS, {
      onEvent: (batch, index) => this.#onEvent(publication, batch, index),
      onState: (_id, state, text) => published.setState(state, text),
      onRelease: () => published.release(),
    }))
    this.#begin(publication)
  }

  /** Takes what lies before the begin of the source. */
  #begin({ published }: Publication): void {
    const past = this.source.pastLines?.(published.instrument.id)
    if (past !== undefined) published.begin(past)
  }

  /** The connection reads an instrument from now on, or other topics of it: READY, the current state, live lines. */
  subscribe(connection: FeedReader, subscribe: FeedSubscribe): void {
    const publication = this.#publications.get(subscribe.instrumentId)
    const readers = publication?.readers.get(connection.encoding)
    if (publication === undefined || readers === undefined) return
    readers.all.set(connection, subscribe)
    readers.byKind = byKindOf(readers.all)
    this.#sendCurrent(publication, readers, [connection], false)
  }

  /** The connection reads an instrument no more. */
  unsubscribe(connection: FeedReader, instrumentId: number): void {
    const readers = this.#publications.get(instrumentId)?.readers.get(connection.encoding)
    if (readers?.all.delete(connection) === true) readers.byKind = byKindOf(readers.all)
  }

  /** The answer to a login. */
  sendLoginResponse(connection: FeedReader, response: FeedLoginResponse): void {
    const stream = this.stream(connection.encoding)
    stream.loginResponse(response)
    this.#take(connection, stream)
  }

  /** A state event to one connection. */
  sendState(connection: FeedReader, instrumentId: number, state: FeedState['state'], text: string): void {
    const stream = this.stream(connection.encoding)
    stream.state({ instrumentId, time: this.source.clock.now(), state, text })
    this.#take(connection, stream)
  }

  /** A state event to all who read an instrument; one of the four instrument-level errors ends what they have. */
  sendStateToAll(instrumentId: number, state: FeedState['state'], text: string): void {
    const isEnd = state === 'ERROR' && INSTRUMENT_ERROR_TEXTS.has(text)
    for (const { all } of this.#publications.get(instrumentId)?.readerLists ?? []) {
      for (const connection of [...all.keys()]) {
        if (isEnd) connection.end(instrumentId, text)
        else this.sendState(connection, instrumentId, state, text)
      }
    }
  }

  /** The current state again, its snapshot with forceReset; where there is none yet, the next one has it. */
  resend(instrumentId?: number): void {
    for (const [id, publication] of this.#publications) {
      if (instrumentId !== undefined && id !== instrumentId) continue
      publication.published.resetsNext = !publication.published.isReady
      for (const readers of publication.readerLists)
        this.#sendCurrent(publication, readers, [...readers.all.keys()], true)
    }
  }

  /** The source begins anew. */
  beginAnew(): void {
    for (const publication of this.#publications.values()) {
      publication.published.begin({ lines: [], state: 'PENDING', text: '' })
      this.#begin(publication)
      publication.omission = null
    }
  }

  /** Leaves out lines of an instrument from now on. */
  omit(instrumentId: number, omission: FeedOmission): void {
    const publication = this.#publications.get(instrumentId)
    if (publication !== undefined) publication.omission = { depthLineCount: 0, untilNs: -Infinity, ...omission }
  }

  /** True where a line is left out. */
  #omits(publication: Publication, kind: number): boolean {
    const { omission } = publication
    if (omission === null) return false
    if (this.source.clock.nowNs() < omission.untilNs) return true
    const isDepth = kind === EVENT_KINDS.snapshot || kind === EVENT_KINDS.update
    if (omission.depthLineCount > 0) return isDepth && omission.depthLineCount-- > 0
    publication.omission = null
    return false
  }

  /** Hands what waits to the sockets. */
  flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const connection of waiting) connection.flush()
    for (const stream of this.#streams.values()) stream.clear()
  }

  /** Nothing more comes from the source. */
  close(): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe()
  }

  /** Whatever a stream holds is taken by its connections before it begins anew. */
  #turn(encoding: FeedEncoding): void {
    this.blockCount++
    const waiting = this.#waiting
    this.#waiting = waiting.filter((connection) => connection.encoding !== encoding)
    for (const connection of waiting) if (connection.encoding === encoding) connection.flush()
  }

  /** The frame that a stream has made last is sent to a connection. */
  #take(connection: FeedReader, { from, to }: FrameStream): void {
    if (connection.take(from, to)) this.wait(connection)
  }

  /** A connection has something to send. */
  wait(connection: FeedReader): void {
    this.#waiting.push(connection)
    if (this.#waiting.length === 1) this.onWaiting()
  }

  #onEvent(publication: Publication, batch: EventBatch, index: number): void {
    const { published, readerLists } = publication
    const kind = batch.kind[index] as number
    const flags = batch.flags[index] as number
    published.keep(batch, index)
    if (publication.omission !== null && this.#omits(publication, kind)) return
    if (flags !== 0 && this.#meetFlags(publication, batch, index, flags)) return
    for (let i = 0; i < readerLists.length; i++) this.#send(publication, readerLists[i] as Readers, batch, index, kind)
  }

  #send(publication: Publication, readers: Readers, batch: EventBatch, index: number, kind: number): void {
    const connections = readers.byKind[kind] as readonly FeedReader[]
    if (connections.length === 0) return
    const { stream } = readers
    if (!stream.line(batch, index)) {
      this.#endUnfit(publication, readers)
      return
    }
    const { from, to } = stream
    const isTop = kind === EVENT_KINDS.topOfBook
    for (let i = 0; i < connections.length; i++) {
      const connection = connections[i] as FeedReader
      const isFirst = isTop ? connection.takeTop(batch.instrument.id, from, to) : connection.take(from, to)
      if (isFirst) this.wait(connection)
    }
  }

  /** Lines out of the ordinary; true where the line has been sent. */
  #meetFlags(publication: Publication, batch: EventBatch, index: number, flags: number): boolean {
    const { published, readerLists } = publication
    const { id } = published.instrument
    if ((flags & GAP_ENDS) !== 0 && !published.isCrossed(this.source.clock.epochDay))
      this.sendStateToAll(id, 'READY', '')
    if (batch.kind[index] !== EVENT_KINDS.snapshot) return false
    const isSuspect = (flags & SUSPECT_SEAM) === SUSPECT_SEAM
    if (!published.resetsNext && !isSuspect) return false
    const line = published.resetsNext ? resetLine(batch, index) : batch
    published.resetsNext = false
    for (const readers of readerLists)
      this.#send(publication, readers, line, line === batch ? index : 0, EVENT_KINDS.snapshot)
    if (isSuspect) this.sendStateToAll(id, 'ERROR', GAP_TEXT)
    return true
  }

  #sendCurrent(
    publication: Publication, readers: Readers, connections: readonly FeedReader[], isReset: boolean,
  ): void {
    const { published } = publication
    const { id } = published.instrument
    const { clock } = this.source
    const { stream } = readers
    for (const connection of connections) {
      const topics = readers.all.get(connection)?.topics
      if (topics === undefined) continue
      this.sendState(connection, id, 'READY', '')
      for (const part of published.currentParts(topics, isReset, clock.nowNs(), clock.epochDay)) {
        if ('error' in part) this.sendState(connection, id, 'ERROR', part.error)
        else if (stream.line(part.batch, part.index)) this.#take(connection, stream)
        else return this.#endUnfit(publication, readers)
      }
    }
  }

  /** A value does not fit the encoding: its readers cannot have the instrument (wire decisions, "SBE"). */
  #endUnfit({ published }: Publication, { all }: Readers): void {
    for (const connection of [...all.keys()]) connection.end(published.instrument.id, INSTRUMENT_ERRORS.NOT_AVAILABLE)
  }
}

/** Readers by kind; states go to all of an instrument. */
function byKindOf(all: ReadonlyMap<FeedReader, FeedSubscribe>): FeedReader[][] {
  const byKind: FeedReader[][] = Array.from({ length: KIND_COUNT }, () => [])
  byKind[EVENT_KINDS.state] = [...all.keys()]
  for (const [connection, { topics }] of all) {
    for (const [topic, kinds] of TOPIC_KINDS)
      if (topics[topic] === true) for (const kind of kinds) byKind[kind]?.push(connection)
  }
  return byKind
}
