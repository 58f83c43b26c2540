import { BacktapeError } from '../model/error.js'
import { dayText, epochDayFromText, NS_PER_DAY } from '../model/time.js'
import { calendarFor, recordingPlanFor } from './calendar.js'
import { FairValue } from './fair-value.js'
import {
  type InstrumentProfile, masterDataText, PROFILES, SYNTHETIC_KINDS, type SyntheticKind,
} from './instrument-profile.js'
import type { LineSink } from './market-message.js'
import { Market } from './market.js'
import { optionProfile, STRIKES } from './option-profile.js'
import { Recorder } from './recorder.js'
import { TruthLog } from './truth.js'
import { SYNTHETIC_ERAS, type SyntheticEra } from './synthetic-exchange.js'

/** The days to make up. */
export interface SyntheticOptions {
  /** An integer from 0 to 2^53 - 1. The same options give the same bytes, everywhere. */
  readonly seed: number
  /** Default `perpetual`. */
  readonly kind?: SyntheticKind
  /**
   * Strike of an option, a whole thousand from 40,000 to 90,000; default 68,000. Options of one seed share the path of
   * their index, and their volatilities make a smile. Of other kinds refused.
   */
  readonly strike?: number
  /** Minutes of open market a day, from 1 to 1440; default 30. The margins around midnight come on top. */
  readonly minutes?: number
  /** Consecutive days, a file each, from 1 to 60; default 1. */
  readonly days?: number
  /** The first day, `YYYY-MM-DD`; default 2026-07-01 (2025-07-01 in the era 2025). */
  readonly day?: string
  /**
   * Whose year's layout; default `2026`. Files of 2025 carry no `forceReset`, no mark tails, no predicted rates and no
   * liquidations.
   */
  readonly era?: SyntheticEra
  /** True to give the order-level truth as well, a file a day; default false. */
  readonly truth?: boolean
}

/**
 * A piece of one made-up file: whole lines, the first piece line 1 alone. Pieces of several files alternate; those of
 * one file come in order.
 */
export interface SyntheticChunk {
  /**
   * Name of the file as the shop names days, `{exchange_code}-{code}-{YYYY-MM-DD}.txt.zst`; of a truth,
   * `.truth.jsonl.zst`.
   */
  readonly fileName: string
  /** `day`: lines of the tick file; `truth`: the file beside it with what really happened. */
  readonly content: 'day' | 'truth'
  /** The text of this piece. */
  readonly text: string
  /** True in the last piece of its file. */
  readonly last: boolean
}

const CHUNK_CHARACTERS = 65_536
const EXPIRY_DAYS = 8

interface Plan extends Required<Omit<SyntheticOptions, 'strike'>> {
  readonly epochDay: number
  readonly profile: InstrumentProfile
}

function refuse(field: string, expected: string, found: unknown): never {
  const shown = String(found).slice(0, 80)
  throw new BacktapeError('OPTION_INVALID', `Cannot make up days: ${field} must be ${expected}, found ${shown}`, {
    field, expected, found: shown,
  })
}

function planOf(options: SyntheticOptions): Plan {
  const { seed, kind = 'perpetual', minutes = 30, days = 1, era = '2026', truth = false } = options
  const { day = era === '2025' ? '2025-07-01' : '2026-07-01' } = options
  if (!Number.isSafeInteger(seed) || seed < 0) refuse('seed', 'an integer from 0 to 2^53 - 1', seed)
  if (!SYNTHETIC_KINDS.includes(kind)) refuse('kind', `one of ${SYNTHETIC_KINDS.join(', ')}`, kind)
  if (!Number.isFinite(minutes) || minutes < 1 || minutes > 1440) refuse('minutes', 'from 1 to 1440', minutes)
  if (!Number.isInteger(days) || days < 1 || days > 60) refuse('days', 'an integer from 1 to 60', days)
  if (!SYNTHETIC_ERAS.includes(era)) refuse('era', '2025 or 2026', era)
  const epochDay = epochDayFromText(day)
  if (epochDay === null || epochDay < 366) refuse('day', 'a day such as 2026-07-01, from 1971 on', day)
  return { seed, kind, minutes, days, era, truth, day, epochDay, profile: profileOf(kind, options.strike) }
}

function profileOf(kind: SyntheticKind, strike: number | undefined): InstrumentProfile {
  if (strike === undefined) return PROFILES[kind]
  if (kind !== 'option') refuse('strike', 'left out of what is no option', strike)
  const { least, most, step } = STRIKES
  if (!(strike >= least && strike <= most && strike % step === 0))
    refuse('strike', `a multiple of ${String(step)} from ${String(least)} to ${String(most)}`, strike)
  return optionProfile(strike)
}

/** Collects the lines of one file into chunks. */
class ChunkedFile {
  private text = ''

  constructor(
    private readonly fileName: string,
    private readonly content: 'day' | 'truth',
    master: string,
    private readonly ready: SyntheticChunk[],
  ) {
    this.line(master)
    this.flush(false)
  }

  readonly line: LineSink = (line) => {
    this.text += `${line}\n`
    if (this.text.length >= CHUNK_CHARACTERS) this.flush(false)
  }

  /** Gives what has come since the last piece; `last` ends the file. */
  flush(last: boolean): void {
    this.ready.push({ fileName: this.fileName, content: this.content, text: this.text, last })
    this.text = ''
  }
}

/** One recorder and, where asked for, one truth a day, with the files that they fill. */
function openFiles(
  plan: Plan, profile: InstrumentProfile, ready: SyntheticChunk[],
): { files: ChunkedFile[]; recorders: Recorder[]; truths: TruthLog[] } {
  const calendar = calendarFor(plan.days, plan.minutes)
  const files: ChunkedFile[] = []
  const recorders: Recorder[] = []
  const truths: TruthLog[] = []
  const master = masterDataText(profile, plan.day, `${dayText(plan.epochDay + plan.days + EXPIRY_DAYS)}T08:00:00Z`)
  for (let index = 0; index < plan.days; index++) {
    const name = `${profile.exchangeCode}-${profile.code}-${dayText(plan.epochDay + index)}`
    const recording = recordingPlanFor(calendar, index, plan.seed, profile.id)
    const file = new ChunkedFile(`${name}.txt.zst`, 'day', master, ready)
    files.push(file)
    recorders.push(new Recorder(profile.id, plan.seed, plan.era, plan.epochDay, index, recording, file.line))
    if (!plan.truth) continue
    const truth = new ChunkedFile(`${name}.truth.jsonl.zst`, 'truth', master, ready)
    files.push(truth)
    truths.push(new TruthLog(profile, plan.epochDay, recording.recording, truth.line))
  }
  return { files, recorders, truths }
}

/**
 * Makes up consecutive days of one instrument: seeded order flow (rates of Cont, Stoikov and Talreja 2010,
 * self-exciting, around a drifting fair value) through an exact order-level book, recorded as tick files of the
 * vendor's layout with every event kind that the instrument has, one lost stretch of depth, one outage and one step
 * back of the recorder's clock a file. Nothing but the current chunks is held. Throws OPTION_INVALID.
 *
 * @example
 * ```ts
 * import { makeDays } from 'backtape/columns'
 * let lines = 0
 * for (const chunk of makeDays({ seed: 7, minutes: 1 })) lines += chunk.text.split('\n').length - 1
 * if (lines < 1000) throw new Error('a minute of a busy market')
 * ```
 */
export function* makeDays(options: SyntheticOptions): Generator<SyntheticChunk, void, undefined> {
  const plan = planOf(options)
  const { profile } = plan
  const ready: SyntheticChunk[] = []
  const { files, recorders, truths } = openFiles(plan, profile, ready)
  const expiryNs = (plan.days + EXPIRY_DAYS) * NS_PER_DAY + NS_PER_DAY / 3
  const fairValue = new FairValue(profile, plan.seed, expiryNs)
  const calendar = calendarFor(plan.days, plan.minutes)
  const market = new Market({
    profile, seed: plan.seed, era: plan.era, epochDay: plan.epochDay, calendar, fairValue, recorders, truths,
  })
  while (market.step()) {
    if (ready.length > 0) yield* ready.splice(0)
  }
  for (const recorder of recorders) recorder.finish()
  for (const file of files) file.flush(true)
  yield* ready.splice(0)
}
