import { isoFromEpochNs } from './time.js'

/** Where a file ends inside a zstd frame, as a download that broke off does. */
export interface ReadingCut {
  /** Number of events before the cut. */
  readonly eventCount: number
  /** Adapter time of the last of them, epoch nanoseconds in digits; null without events. */
  readonly lastAdapterTimestampNs: string | null
}

/** The damage of a reading as far as it is put in words. */
interface LeftOut {
  /** Damaged lines; a cut counts as one. */
  readonly damagedLineCount: number
  readonly cut: ReadingCut | null
}

/** The same with the first errors. */
interface LeftOutErrors extends LeftOut {
  readonly damages: readonly { readonly message: string }[]
}

/** Damaged lines beside the cut, which counts as damage too. */
function lineCountOf({ damagedLineCount, cut }: LeftOut): number {
  return cut === null ? damagedLineCount : damagedLineCount - 1
}

/** `20 damaged lines left out`. */
export function leftOutWords(count: number): string {
  return `${String(count)} damaged ${count === 1 ? 'line' : 'lines'} left out`
}

/** The same; null where there are none. */
function linesWords(damage: LeftOut): string | null {
  const count = lineCountOf(damage)
  return count === 0 ? null : leftOutWords(count)
}

function cutWords({ eventCount, lastAdapterTimestampNs: last }: ReadingCut): string {
  const place =
    last === null
      ? 'before its first event'
      : `after event ${String(eventCount)} of ${isoFromEpochNs(BigInt(last)).slice(11, 19)}`
  return `the file ends inside its last frame, ${place}; what was behind it is missing`
}

/** The data that a reading left out: damaged lines, and what was behind a cut. Empty where it left out none. */
export function damageWords(damage: LeftOut): string[] {
  const { cut } = damage
  return [linesWords(damage), cut === null ? null : cutWords(cut)].filter((words) => words !== null)
}

/** The same with the first damaged line and the advice for a cut, each behind the name of a file where one is given. */
export function damageSentences(summary: LeftOutErrors, name?: string): string[] {
  const { cut, damages } = summary
  const lines = linesWords(summary)
  const sentences = [
    ...(lines === null ? [] : [`${lines}; the first: ${damages[0]?.message ?? 'unknown'}`]),
    ...(cut === null ? [] : [`${cutWords(cut)}: download it again`]),
  ]
  return name === undefined ? sentences : sentences.map((sentence) => `${name}: ${sentence}`)
}

/** The same as metadata of a table; empty where the file is whole. */
export function damageMetadata(damage: LeftOut): (readonly [string, string])[] {
  const { cut } = damage
  const count = lineCountOf(damage)
  return [
    ...(count === 0 ? [] : [['damaged_lines_left_out', String(count)] as const]),
    ...(cut === null ? [] : [['cut', cutWords(cut)] as const]),
  ]
}
