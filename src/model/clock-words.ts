import { damageMetadata, leftOutWords } from './damage-words.js'
import { isoFromEpochNs } from './time.js'

/** A stretch of lines whose adapter times jumped (spec 4, section 4). */
export interface ClockJump {
  /** Ordinal of its first event in the file. */
  readonly eventIndex: number
  /** Number of its lines. */
  readonly lineCount: number
  /** Adapter time that its first line states, epoch nanoseconds in digits. */
  readonly recordedTimestampNs: string
  /** Adapter time that its lines took, that of the line before them: epoch nanoseconds in digits. */
  readonly takenTimestampNs: string
}

/** The times of a reading that were not taken as they stand. */
interface ChangedTimes {
  readonly jumpedLineCount: number
  readonly clockJumps: { readonly first: readonly ClockJump[] }
  readonly farTimeCount: number
}

/** A stamp of another year may have more digits than a year of four. */
function stampText(digits: string): string {
  return /^\d{17,19}$/.test(digits) ? isoFromEpochNs(BigInt(digits)) : digits
}

function jumpedWords(lines: number): string {
  return `the adapter clock jumped: ${String(lines)} ${lines === 1 ? 'line' : 'lines'} took the time of the line before`
}

function farWords(far: number): string {
  return `${String(far)} ${far === 1 ? 'time' : 'times'} of the venue more than 104 days from the day of the file: ` +
    'taken as missing'
}

/** A sentence on lines of clock jumps with the first place, and one on times of another year; none where all fit. */
export function clockWords({ jumpedLineCount: lines, clockJumps, farTimeCount: far }: ChangedTimes): string[] {
  const [jump] = clockJumps.first
  const jumped = jump === undefined
    ? []
    : [
        `${jumpedWords(lines)}; the first: event ${String(jump.eventIndex)}, ` +
          `stamped ${stampText(jump.recordedTimestampNs)}, taken at ${stampText(jump.takenTimestampNs)}`,
      ]
  return far === 0 ? jumped : [...jumped, farWords(far)]
}

/** The same, each behind the name of a file. */
export function clockSentences(summary: ChangedTimes, name: string): string[] {
  return clockWords(summary).map((words) => `${name}: ${words}`)
}

/** A warning where lines that a run or a server has received were of clock jumps; none where there were none. */
export function jumpWarnings(instrument: string, lineCount: number): string[] {
  if (lineCount === 0) return []
  return [
    `${instrument}: the adapter clock jumped, and ${String(lineCount)} ${lineCount === 1 ? 'line' : 'lines'} ` +
      'took the time of the line before; `backtape audit` names the first',
  ]
}

/** Names of metadata. */
const [JUMPED, FAR] = ['clock_jumped_lines', 'times_of_another_year_left_out']

/** Metadata of a table: what its reading left out as damage, and the times it did not take as they stand. */
export function readingMetadata(summary: Parameters<typeof damageMetadata>[0] & ChangedTimes): [string, string][] {
  const { jumpedLineCount, farTimeCount } = summary
  const counts: [string, number][] = [
    [JUMPED, jumpedLineCount], [FAR, farTimeCount],
  ]
  return [
    ...damageMetadata(summary).map(([name, value]): [string, string] => [name, value]),
    ...counts.flatMap(([name, count]): [string, string][] => (count === 0 ? [] : [[name, String(count)]])),
  ]
}

/** The names of what {@link readingMetadata} states. */
export const READING_METADATA: readonly string[] = ['damaged_lines_left_out', 'cut', JUMPED, FAR]

/** The sentences that stand for what {@link readingMetadata} states in a table. */
export function readingNotes(metadata: ReadonlyMap<string, string>): string[] {
  const [lines, cut, jumped, far] = READING_METADATA.map((name) => metadata.get(name))
  return [
    ...(lines === undefined ? [] : [leftOutWords(Number(lines))]),
    ...(cut === undefined ? [] : [cut]),
    ...(jumped === undefined ? [] : [`${jumpedWords(Number(jumped))}; \`backtape audit\` names the first`]),
    ...(far === undefined ? [] : [farWords(Number(far))]),
  ]
}
