import type { BacktestOptions } from '../backtest/backtest-options.js'
import { inputOptions } from '../backtest/run-opening.js'
import { checkOptions } from '../configuration/run-check.js'
import { runSpan } from '../configuration/run-span.js'
import { BacktapeError } from '../model/error.js'
import { FaultsError, type Fault } from '../model/fault.js'
import { dayText, NS_PER_DAY } from '../model/time.js'
import { openReplayInput } from '../simulation/replay-input.js'
import { instrumentName } from '../model/instrument.js'
import type { RunStretch, TimePart } from './part-plan.js'

/** The days of the files of one instrument. */
export interface InstrumentDayList {
  /** `exchange:code`. */
  readonly instrument: string
  /** Days since 1970-01-01. */
  readonly days: ReadonlySet<number>
}

/** The stretch of a run and the days that its files hold. */
export interface DataStretch {
  readonly stretch: RunStretch
  readonly instruments: readonly InstrumentDayList[]
}

/** A part without the missing days at its ends, and the days of it that no file of an instrument holds, in words. */
export interface PresentPart {
  /** Null where no file holds a day of it. */
  readonly part: TimePart | null
  /** `2024-07-20`, or `binance_swap:BTCUSDT 2024-07-20` where other instruments have it. */
  readonly missing: readonly string[]
}

/**
 * The stretch of a run: from `from` or the first day of its files to `to` or 24:00 of the last one. Opens the files for
 * their line 1 alone. Throws OPTION_INVALID for options that mean nothing, for bounds outside of the data, and for
 * files whose days no name says; the errors of the files.
 */
export async function runStretch(options: BacktestOptions): Promise<DataStretch> {
  const { faults } = await checkOptions(options)
  if (faults.length > 0) throw optionFaults(faults)
  const { cache: _, ...reading } = options
  const input = await openReplayInput(options.data, inputOptions(reading))
  try {
    const instruments = input.inputs.map(({ instrument, days }) => ({
      instrument: instrumentName(instrument), days: new Set(days),
    }))
    const days = instruments.flatMap((one) => [...one.days])
    if (input.trim === 'none' || days.length === 0) throw unknownDays()
    const [epochDay, lastEpochDay] = [Math.min(...days), Math.max(...days)]
    const endNs = (lastEpochDay - epochDay + 1) * NS_PER_DAY
    const outside: Fault[] = []
    const { fromNs, latestNs } = runSpan(options, { clock: { epochDay }, startNs: 0, endNs, lastEpochDay }, outside)
    if (outside.length > 0) throw optionFaults(outside)
    return { stretch: { fromNs, toNs: latestNs, epochDay, isOpenEnded: options.to === undefined }, instruments }
  } finally {
    await input.close()
  }
}

function optionFaults(faults: readonly Fault[]): FaultsError {
  return new FaultsError('OPTION_INVALID', 'Cannot run', faults, 'the options')
}

function unknownDays(): BacktapeError {
  const [expected, found] = ['files whose names say their days', 'trim "none", or a name without a day']
  return new BacktapeError('OPTION_INVALID', `Cannot part a run: its data must be ${expected}, found ${found}`, {
    field: 'data', expected, found,
  })
}

/** A part of a stretch as its files allow it. */
export function presentPart({ fromNs, toNs }: TimePart, { stretch, instruments }: DataStretch): PresentPart {
  const { epochDay } = stretch
  const missing: string[] = []
  let begin: number | null = null
  let end = fromNs
  for (let dayNs = Math.floor(fromNs / NS_PER_DAY) * NS_PER_DAY; dayNs < toNs; dayNs += NS_PER_DAY) {
    const day = epochDay + dayNs / NS_PER_DAY
    const without = instruments.filter(({ days }) => !days.has(day))
    if (without.length === instruments.length) missing.push(dayText(day))
    else {
      missing.push(...without.map(({ instrument }) => `${instrument} ${dayText(day)}`))
      begin ??= Math.max(fromNs, dayNs)
      end = Math.min(toNs, dayNs + NS_PER_DAY)
    }
  }
  return { part: begin === null ? null : { fromNs: begin, toNs: end }, missing }
}
