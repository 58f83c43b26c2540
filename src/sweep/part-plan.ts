import { Decimal } from '../model/decimal.js'
import { durationOf, shortDurationText } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import { epochNsFromText, isoFromTime, NS_PER_DAY, timeFromEpochNs } from '../model/time.js'

/** A stretch of market time, nanoseconds since the first midnight of the data: from `fromNs` to before `toNs`. */
export interface TimePart {
  readonly fromNs: number
  readonly toNs: number
}

/** The stretch that a run covers. */
export interface RunStretch extends TimePart {
  /** Days since 1970-01-01 of that midnight. */
  readonly epochDay: number
  /** True where the run states no `to`: a part that ends with the stretch ends with its last event. */
  readonly isOpenEnded: boolean
}

/** A window of a walk forward: the best set of `train` is run on `test`, which begins where `train` ends. */
export interface WalkWindow {
  readonly train: TimePart
  readonly test: TimePart
}

/** The lengths of a walk forward, nanoseconds; the step is that of `testNs`. */
export interface WalkLengths {
  readonly trainNs: number
  readonly testNs: number
}

const PARTS_MAX = 100
/** Windows of one walk forward; more are refused. */
const WINDOWS_MAX = 1_000
const LONGEST_NS = 100 * NS_PER_DAY
const SHARES = /^\d{1,3}(?:\.\d{1,6})?(?:\/\d{1,3}(?:\.\d{1,6})?)*$/

function refusal(field: 'split' | 'walk-forward', expected: string, found: unknown): BacktapeError {
  const words = foundText(found)
  const what = field === 'split' ? 'split a run' : 'walk forward'
  return new BacktapeError('OPTION_INVALID', `Cannot ${what}: ${field} must be ${expected}, found ${words}`, {
    field, expected, found: words,
  })
}

/**
 * The parts of a stretch, which follow each other and cover all of it. `60/40` are shares of its time in percent, which
 * add up to 100; else times after a comma each, at which the next part begins (`2024-07-19`: its midnight). Throws
 * OPTION_INVALID for another form, fewer than two parts, a time outside of the stretch and times that do not ascend.
 */
export function splitParts(text: string, span: RunStretch): TimePart[] {
  if (typeof (text as unknown) !== 'string') throw refusal('split', 'shares such as 60/40, or dates', text)
  const cuts = SHARES.test(text) ? cutsOfShares(text, span) : cutsOfTimes(text, span)
  const bounds = [span.fromNs, ...cuts, span.toNs]
  if (bounds.length > PARTS_MAX + 1) throw refusal('split', `at most ${PARTS_MAX} parts`, `${bounds.length - 1} parts`)
  return bounds.slice(1).map((toNs, at) => ({ fromNs: bounds[at] as number, toNs }))
}

function cutsOfShares(text: string, { fromNs, toNs }: TimePart): number[] {
  const shares = text.split('/').map((share) => new Decimal(share))
  if (shares.length < 2) throw refusal('split', 'two parts or more, such as 60/40', text)
  if (shares.some((share) => share.isZero())) throw refusal('split', 'shares above 0', text)
  const sum = Decimal.sum(...shares)
  if (!sum.eq(100)) throw refusal('split', 'shares in percent that add up to 100', `${text}: ${sum.toFixed()}`)
  let share = new Decimal(0)
  const cuts = shares.slice(0, -1).map((one) => {
    share = share.plus(one)
    return fromNs + share.times(toNs - fromNs).div(100).floor().toNumber()
  })
  if (new Set([fromNs, ...cuts, toNs]).size < shares.length + 1) throw refusal('split', 'parts of a nanosecond', text)
  return cuts
}

function cutsOfTimes(text: string, { fromNs, toNs, epochDay }: RunStretch): number[] {
  const bounds = `times after ${isoFromTime(fromNs, epochDay)} and before ${isoFromTime(toNs, epochDay)}`
  let last = fromNs
  return text.split(',').map((one) => {
    const cut = cutOf(one.trim(), epochDay)
    if (cut === null) throw refusal('split', 'shares such as 60/40, or dates and times such as 2024-07-19', text)
    if (!(cut > fromNs && cut < toNs)) throw refusal('split', bounds, one.trim())
    if (cut <= last) throw refusal('split', 'times that ascend', text)
    last = cut
    return cut
  })
}

function cutOf(text: string, epochDay: number): number | null {
  try {
    return timeFromEpochNs(epochNsFromText(text, epochDay), epochDay)
  } catch (error) {
    if (!(error instanceof BacktapeError) || error.code === 'VALUE_INEXACT') return NaN
    return null
  }
}

/** The lengths that `train=5d,test=1d` states. Throws OPTION_INVALID for another form. */
export function walkLengths(text: string): WalkLengths {
  const example = 'train=5d,test=1d'
  const lengths = new Map<string, number>()
  for (const one of typeof (text as unknown) === 'string' ? text.split(',') : []) {
    const [, name = '', length = ''] = /^\s*(train|test)=(.*?)\s*$/.exec(one) ?? []
    if (name === '' || lengths.has(name)) throw refusal('walk-forward', `of the form ${example}`, text)
    const ns = durationOf(length, { mostNs: LONGEST_NS })
    if (typeof ns === 'string') throw refusal('walk-forward', `${name}= and ${ns}`, text)
    lengths.set(name, ns)
  }
  const [trainNs, testNs] = [lengths.get('train'), lengths.get('test')]
  if (trainNs === undefined || testNs === undefined) throw refusal('walk-forward', `of the form ${example}`, text)
  return { trainNs, testNs }
}

/**
 * The windows of a walk forward over a stretch: the first begins with it, each next one a test later, the last is the
 * last that fits. Throws OPTION_INVALID where none fits, LIMIT_EXCEEDED above 1,000.
 */
export function walkWindows({ trainNs, testNs }: WalkLengths, { fromNs, toNs }: TimePart): WalkWindow[] {
  const lengthNs = toNs - fromNs
  const texts = `train=${shortDurationText(trainNs)},test=${shortDurationText(testNs)}`
  if (trainNs + testNs > lengthNs)
    throw refusal('walk-forward', `windows that fit into the ${shortDurationText(lengthNs)} of the run`, texts)
  const count = Math.floor((lengthNs - trainNs - testNs) / testNs) + 1
  if (count > WINDOWS_MAX) {
    const sentence = `Cannot walk forward over ${count} windows (${texts}): at most ${WINDOWS_MAX} are taken`
    throw new BacktapeError('LIMIT_EXCEEDED', sentence, {
      field: 'walk-forward', expected: `at most ${WINDOWS_MAX} windows`, found: String(count),
    })
  }
  return Array.from({ length: count }, (_, at) => {
    const beginNs = fromNs + at * testNs
    const middleNs = beginNs + trainNs
    return { train: { fromNs: beginNs, toNs: middleNs }, test: { fromNs: middleNs, toNs: middleNs + testNs } }
  })
}
