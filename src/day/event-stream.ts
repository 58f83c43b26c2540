import { dayUnknownNote } from '../tickfile/archive/file-day.js'
import type { EventKind } from '../model/event-kind.js'
import type { EventBatch } from '../model/event-batch.js'
import { instrumentName } from '../model/instrument.js'
import { epochNsFromTime } from '../model/time.js'
import { checkedMargins, type Margins } from '../tickfile/days/margins.js'
import { NamedSources } from '../tickfile/named-sources.js'
import { isSkippedMember } from '../tickfile/archive/source-reader.js'
import type { StitchReport } from '../tickfile/days/stitching-report.js'
import { stitchDays, type StitchInput } from '../tickfile/days/stitching.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import { clockSentences } from '../model/clock-words.js'
import { damageSentences } from '../model/damage-words.js'
import type { ReadingSummary } from '../tickfile/lines/reading.js'
import type { EventStream, SeenEvents } from './event-reader.js'
import { windowOf, type TimeInput, type TimeWindow } from './time-input.js'
import { spanWords, timeWords, windowWords } from './window-words.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'
import { daysOfSpan, isInstrumentDays, type DataInput } from '../tickfile/data-input.js'
import { selectionLine } from '../tickfile/data-selection-reader.js'

/** Something about the events of a file that their reader should know, in a sentence. */
export interface EventNote {
  /**
   * `selected`: the files that a folder or pattern matched. `skipped`: a member of a bundle is no tick file.
   * `marginsKept`: the day of a file is unknown, so it is read whole. `inMargin`: `from` or `to` lies in a margin that
   * is left out. `leftOut`: the count of events of the neighbouring days. `damaged`: damaged lines, or what was behind
   * a cut, are left out. `clock`: adapter times of a clock jump took the time of the line before, or times of another
   * year are missing. `empty`: no event was found.
   */
  readonly code: 'selected' | 'skipped' | 'marginsKept' | 'inMargin' | 'leftOut' | 'damaged' | 'clock' | 'empty'
  /** The note in a sentence. */
  readonly sentence: string
}

/** Which events `readEvents` gives. */
export interface EventOptions<K extends EventKind = EventKind> extends ReadOptions {
  /** Kinds wanted; default all. */
  readonly kinds?: readonly K[]
  /** Part of the name of the file to take, where a folder or pattern has two of one instrument and day. */
  readonly prefer?: string
  /** First adapter time, inclusive; default the first event. A clock time is one of the first day of all inputs. */
  readonly from?: TimeInput
  /**
   * End of the adapter time, exclusive, but a bare date includes that day; default the end of the data. A clock time is
   * one of the first day of all inputs too.
   */
  readonly to?: TimeInput
  /**
   * `trim` (default): the UTC day of each file alone, opened by a made snapshot, days of one instrument stitched.
   * `keep`: each file as it stands.
   */
  readonly margins?: Margins
  /** Called with what was left out, skipped or not found. */
  readonly onNote?: (note: EventNote) => void
  /**
   * Called with a file that cannot be read, or not to its end: the files behind it follow, days of its instrument as a
   * stream of their own. Default: its error ends the reading. What it throws does too.
   */
  readonly onFailedFile?: (name: string, error: unknown) => void
}

/** A file as far as its events need it: a `TickDay` is one. */
interface EventDay extends Omit<StitchInput, 'day' | 'close'> {
  readonly epochDay: number | null
  /** Findings of its newest reading. */
  readonly summary: ReadingSummary
}

/** Where the days of a reading come from. */
export interface EventSources {
  readonly inputs: readonly (DataInput | EventDay)[]
  open(source: TickSource): Promise<EventDay & { close(): Promise<void> }>
}

/** The earliest of the known days. */
function firstDayOf(days: readonly EventDay[]): number | null {
  const known = days.flatMap(({ epochDay }) => (epochDay === null ? [] : [epochDay]))
  return known.length === 0 ? null : Math.min(...known)
}

/**
 * Days of one instrument that are one stream, in the order in which their first one was given; what is not trimmed
 * stands alone.
 */
function groupsOf(days: readonly EventDay[], margins: Margins): EventDay[][] {
  const groups: EventDay[][] = []
  const byInstrument = new Map<number, EventDay[]>()
  for (const day of days) {
    const known = byInstrument.get(day.instrument.id)
    if (margins === 'keep' || day.epochDay === null) groups.push([day])
    else if (known !== undefined) known.push(day)
    else {
      const group = [day]
      byInstrument.set(day.instrument.id, group)
      groups.push(group)
    }
  }
  return groups
}

/** Margins are minutes long (spec 4, section 1). */
const MARGIN_REACH_NS = 3_600_000_000_000n

/** The events of some days of one instrument, with what is to be said of them. */
class DayStream implements EventStream {
  readonly batches: AsyncIterator<EventBatch>
  private readonly report: StitchReport | null
  private readonly name: string
  /** First and last midnight of the days; null where the files are read whole. */
  private readonly bounds: { readonly begin: bigint; readonly end: bigint } | null
  private readonly noted = new Set<string>()
  /** Days whose reading has begun, in that order. */
  readonly #begun: EventDay[] = []
  #hasFailed = false

  constructor(
    private readonly days: readonly [EventDay, ...EventDay[]],
    private readonly window: TimeWindow,
    private readonly referenceDay: number | null,
    private readonly options: EventOptions,
  ) {
    const [first] = days
    this.name = days.length === 1 ? first.name : instrumentName(first.instrument)
    if (checkedMargins(options.margins) === 'keep' || first.epochDay === null) {
      if (options.margins !== 'keep')
        this.note('marginsKept', dayUnknownNote(first.name))
      this.report = null
      this.bounds = null
      this.#begun.push(first)
      this.batches = this.#untilFailure(first.batches())
      return
    }
    // A day ends its own reading; whoever opened the day closes it.
    const stitched = stitchDays(days.map((day) => stitchInputOf(day, () => { this.#begun.push(day) })))
    const known = days.map(({ epochDay }) => epochDay ?? 0)
    this.report = stitched.report
    this.bounds = { begin: epochNsFromTime(0, Math.min(...known)), end: epochNsFromTime(0, Math.max(...known) + 1) }
    this.batches = this.#untilFailure(stitched.batches())
  }

  /** Days that the stream did not come to, as one of those before them failed. */
  get rest(): readonly EventDay[] {
    return this.#hasFailed ? this.days.filter((day) => !this.#begun.includes(day)) : []
  }

  /** Batches up to a failure that the options take. */
  #untilFailure(batches: AsyncIterableIterator<EventBatch>): AsyncIterator<EventBatch> {
    const { onFailedFile } = this.options
    if (onFailedFile === undefined) return batches
    const failed = (error: unknown): IteratorReturnResult<undefined> => {
      this.#hasFailed = true
      onFailedFile(this.#begun.at(-1)?.name ?? this.name, error)
      return { done: true, value: undefined }
    }
    return {
      next: () => batches.next().catch(failed),
      return: async () => await batches.return?.() ?? { done: true, value: undefined },
    }
  }

  spanOf(epochDay: number): { readonly fromNs: number; readonly toNs: number } {
    const { from, to } = this.window
    const midnight = epochNsFromTime(0, epochDay)
    // Beyond 104 days the nearest double will do: no time of a batch lies there.
    return {
      fromNs: from === null ? -Infinity : Number(from - midnight), toNs: to === null ? Infinity : Number(to - midnight),
    }
  }

  begin(): void {
    const { bounds, report, window: { from, to } } = this
    if (bounds === null || report === null || report.leftOut.before === 0) return
    if (from !== null && from < bounds.begin) this.noteMargin(from)
    else if (to !== null && to <= bounds.begin) this.noteMargin(to)
  }

  end(seen: SeenEvents): void {
    this.begin()
    this.endMargins(seen.isWhole)
    for (const { name, summary } of this.days) {
      for (const sentence of damageSentences(summary, name)) this.note('damaged', sentence)
      for (const sentence of clockSentences(summary, name)) this.note('clock', sentence)
    }
    if (seen.foundCount > 0 || this.#hasFailed) return
    const { window, referenceDay } = this
    const wanted = this.options.kinds?.join(' or ') ?? 'event'
    this.note(
      'empty', `${this.name}: no ${wanted}${windowWords(window, referenceDay)}: ${spanWords(seen, referenceDay)}`,
    )
  }

  private endMargins(isWhole: boolean): void {
    const { bounds, report, window: { from, to } } = this
    if (bounds === null || report === null) return
    const { leftOut } = report
    if (isWhole && leftOut.after > 0) {
      if (from !== null && from >= bounds.end) this.noteMargin(from)
      else if (to !== null && to > bounds.end) this.noteMargin(to)
    }
    const before = from === null || from < bounds.begin ? leftOut.before : 0
    const after = isWhole && (to === null || to > bounds.end) ? leftOut.after : 0
    const count = before + after
    if (count > 0)
      this.note(
        'leftOut',
        `${this.name}: ${String(count)} event${count === 1 ? '' : 's'} of the neighbouring days left out; --margins ` +
          'keep shows them',
      )
  }

  /** Says that a time lies in a margin; one further away than margins reach is none of the file at all. */
  private noteMargin(time: bigint): void {
    const { bounds } = this
    if (bounds === null || time < bounds.begin - MARGIN_REACH_NS || time > bounds.end + MARGIN_REACH_NS) return
    this.note(
      'inMargin',
      `${timeWords(time, null)} lies in the margin of ${this.name}, which is left out: --margins keep shows it`,
    )
  }

  private note(code: EventNote['code'], sentence: string): void {
    if (this.noted.has(sentence)) return
    this.noted.add(sentence)
    this.options.onNote?.({ code, sentence })
  }
}

function stitchInputOf(day: EventDay, begun: () => void): StitchInput {
  const { name, instrument, underlyings, epochDay } = day
  return {
    name, instrument, underlyings, day: epochDay, close: () => Promise.resolve(),
    batches: () => {
      begun()
      return day.batches()
    },
  }
}

/** Inputs may be objects too: a day that was opened before. */
function isDay(input: DataInput | EventDay): input is EventDay {
  const given: unknown = input
  return typeof given === 'object' && given !== null && 'epochDay' in given
}

/**
 * The streams of the inputs: instruments in the order in which they were first given, the days of each as one stream.
 * What gives its bytes once (standard input, an iterable) cannot wait for its turn: it comes first, each member by
 * itself.
 */
export async function* eventStreams(
  { inputs, open }: EventSources, options: EventOptions,
): AsyncGenerator<EventStream, void, undefined> {
  const margins = checkedMargins(options.margins)
  const days: EventDay[] = []
  function* streamsOf(group: readonly EventDay[]): Generator<EventStream, void, undefined> {
    const referenceDay = firstDayOf(days)
    for (let left = group; ;) {
      const [first, ...others] = left
      if (first === undefined) return
      const stream = new DayStream([first, ...others], windowOf(options, referenceDay), referenceDay, options)
      yield stream
      left = stream.rest
    }
  }
  const streamed = new Set<EventDay>()
  const named = new NamedSources({
    ...options,
    days: daysOfSpan(options),
    onSelection: (note) => options.onNote?.({ code: 'selected', sentence: selectionLine(note) }),
  })
  for (const input of inputs) {
    if (isDay(input)) {
      days.push(input)
      continue
    }
    for await (const source of sourcesOf(input, named, options)) {
      const day = await open(source).catch((error: unknown) => failFile(source.name, error, options))
      if (day === null) continue
      days.push(day)
      if (source.repeatable) continue
      streamed.add(day)
      try {
        yield* streamsOf([day])
      } finally {
        await day.close()
      }
    }
  }
  for (const group of groupsOf(days.filter((day) => !streamed.has(day)), margins)) yield* streamsOf(group)
}

/** Ends the reading, unless the options take a file that fails. */
function failFile(name: string, error: unknown, { onFailedFile }: EventOptions): null {
  if (onFailedFile === undefined) throw error
  onFailedFile(name, error)
  return null
}

/** The tick files of an input; what is none is noted. */
async function* sourcesOf(
  input: DataInput, named: NamedSources, options: EventOptions,
): AsyncGenerator<TickSource, void, undefined> {
  try {
    for await (const source of named.open(input)) {
      if ('error' in source) failFile(source.name, source.error, options)
      else if (isSkippedMember(source))
        options.onNote?.({ code: 'skipped', sentence: `Skipped ${source.name}: ${source.skippedBecause}` })
      else yield source
    }
  } catch (error) {
    failFile(typeof input === 'string' ? input : isInstrumentDays(input) ? input.in : 'the input', error, options)
  }
}
