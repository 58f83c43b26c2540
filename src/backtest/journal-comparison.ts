import { firstDifference } from '../model/json-difference.js'
import { journalLine, type InstrumentNames, type JournalLine } from '../results/journal-line.js'

/** A place in which two runs differ; null for what it has none of. */
export interface DifferencePlace {
  /** ISO-8601 with nanoseconds. */
  readonly time: string | null
  /** `ownOrderId` of the order that the line names, else of the last one named before it. */
  readonly order: string | null
  /** Number of the journal line, from 1. */
  readonly line: number | null
  /** Path of the field in the line, or of the figure in the golden. */
  readonly field: string | null
  /** JSON text, or the words of a line where there is no field. */
  readonly expected: string | null
  readonly found: string | null
}

/** A difference of two journals in words, and its place. */
interface JournalDifference extends DifferencePlace {
  /** A sentence that names time and order, without its beginning. */
  readonly words: string
}

/** The outcome of reading two journals side by side, to their first difference. */
export interface JournalComparison {
  /** Null where all lines are equal. */
  readonly difference: JournalDifference | null
  /**
   * The last line that both have, and the last order that any of them names: by which a difference elsewhere is
   * described.
   */
  readonly lastWords: string
  readonly lineCount: number
}

type Lines = AsyncIterator<string> | Iterator<string>

function orderWords(line: JournalLine, lastOrderId: string | null): string {
  if (line.orderId !== null) return `order ${line.orderId}`
  return lastOrderId === null ? 'before any order' : `after order ${lastOrderId}`
}

/** The words of one line beside another; where they say the same, the first field that differs. */
function pairWords(expected: JournalLine, found: JournalLine): string {
  if (expected.words !== found.words) return `expected ${expected.words}, found ${found.words}`
  const difference = firstDifference(expected.fields, found.fields)
  if (difference === null) return `expected and found ${expected.words}, but not byte for byte`
  return `${expected.words}: ${difference.path} expected ${difference.expected}, found ${difference.found}`
}

/** Two lines of which one may be missing, and what came before them. */
interface UnlikeLines {
  readonly line: number
  readonly wanted: JournalLine | null
  readonly came: JournalLine | null
  readonly before: JournalLine | null
  readonly lastOrderId: string | null
}

function differenceOf({ line, wanted, came, before, lastOrderId }: UnlikeLines): JournalDifference {
  const at = came ?? wanted
  const named = wanted?.orderId == null ? at : wanted
  const where = at === null || named === null
    ? ''
    : `at ${at.time}, ${orderWords(named, lastOrderId)} (journal line ${line})`
  const what =
    wanted === null
      ? `expected the end, found ${came?.words ?? ''}`
      : came === null
        ? `expected ${wanted.words}, found the end`
        : pairWords(wanted, came)
  const beforeIt = before === null ? 'it is the first event' : `the event before it, at ${before.time}: ${before.words}`
  const field = wanted === null || came === null ? null : firstDifference(wanted.fields, came.fields)
  return {
    words: `${where}: ${what}; ${beforeIt}`,
    time: at?.time ?? null, order: named?.orderId ?? lastOrderId, line, field: field?.path ?? null,
    expected: field?.expected ?? wanted?.words ?? null, found: field?.found ?? came?.words ?? null,
  }
}

/**
 * Reads two journals line by line, to the first difference; memory holds one line of each. `nameOf` names instruments
 * in words.
 */
export async function compareJournals(
  expectedLines: Lines, foundLines: Lines, nameOf: InstrumentNames,
): Promise<JournalComparison> {
  let last: string | null = null
  let lastOrderLine: string | null = null
  const lineOf = (text: string | null | undefined): JournalLine | null => (
    text === null || text === undefined ? null : journalLine(text, nameOf))
  for (let line = 1; ; line++) {
    const [expected, found] = [await expectedLines.next(), await foundLines.next()]
    const wanted = expected.done === true ? undefined : expected.value
    const came = found.done === true ? undefined : found.value
    if (wanted === undefined || wanted !== came) {
      const difference = wanted === came
        ? null
        : differenceOf({
            line, wanted: lineOf(wanted), came: lineOf(came), before: lineOf(last),
            lastOrderId: lineOf(lastOrderLine)?.orderId ?? null,
          })
      return { difference, lastWords: endWords(lineOf(last), lineOf(lastOrderLine)), lineCount: line - 1 }
    }
    last = wanted
    if (wanted.includes('wnOrderId"')) lastOrderLine = wanted
  }
}

function endWords(last: JournalLine | null, order: JournalLine | null): string {
  if (last === null) return 'no event'
  const ofOrder = order === null ? 'of no order' : `the latest order ${order.orderId ?? '?'} at ${order.time}`
  return `the last at ${last.time}, ${ofOrder}`
}
