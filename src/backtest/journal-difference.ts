import { firstDifference } from '../model/json-difference.js'
import { journalLine, type JournalLine } from '../results/journal-line.js'

/** The outcome of reading two journals side by side, to their first difference. */
export interface JournalComparison {
  /** A sentence that names time and order, without its beginning; null where all lines are equal. */
  readonly difference: string | null
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

function differenceWords(
  lineNumber: number, expected: string | undefined, found: string | undefined, before: JournalLine | null,
  lastOrderId: string | null,
): string {
  const [wanted, came] = [expected, found].map((text) => (text === undefined ? null : journalLine(text)))
  const at = came ?? wanted
  const where =
    at == null
      ? ''
      : `at ${at.time}, ${orderWords(wanted?.orderId == null ? at : wanted, lastOrderId)} (journal line ${lineNumber})`
  const what =
    wanted == null
      ? `expected the end, found ${came?.words ?? ''}`
      : came == null
        ? `expected ${wanted.words}, found the end`
        : pairWords(wanted, came)
  const beforeIt = before === null ? 'it is the first event' : `the event before it, at ${before.time}: ${before.words}`
  return `${where}: ${what}; ${beforeIt}`
}

/** Reads two journals line by line, to the first difference; memory holds one line of each. */
export async function compareJournals(expectedLines: Lines, foundLines: Lines): Promise<JournalComparison> {
  let before: JournalLine | null = null
  let last: string | null = null
  let lastOrderLine: string | null = null
  for (let lineNumber = 1; ; lineNumber++) {
    const [expected, found] = [await expectedLines.next(), await foundLines.next()]
    const wanted = expected.done === true ? undefined : expected.value
    const came = found.done === true ? undefined : found.value
    if (wanted === undefined && came === undefined) {
      return { difference: null, lastWords: endWords(last, lastOrderLine), lineCount: lineNumber - 1 }
    }
    if (wanted !== came) {
      before = last === null ? null : journalLine(last)
      const lastOrderId = lastOrderLine === null ? null : journalLine(lastOrderLine).orderId
      return {
        difference: differenceWords(lineNumber, wanted, came, before, lastOrderId),
        lastWords: endWords(last, lastOrderLine), lineCount: lineNumber - 1,
      }
    }
    const line = wanted as string
    last = line
    if (line.includes('wnOrderId"')) lastOrderLine = line
  }
}

function endWords(last: string | null, lastOrderLine: string | null): string {
  if (last === null) return 'no event'
  const order = lastOrderLine === null ? null : journalLine(lastOrderLine)
  const ofOrder = order === null ? 'of no order' : `the latest order ${order.orderId ?? '?'} at ${order.time}`
  return `the last at ${journalLine(last).time}, ${ofOrder}`
}
