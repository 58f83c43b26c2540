import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import type { SignalRow, SignalValue } from '../../src/model/signal-row.js'
import { DataInstrument } from '../../src/strategy/data-instrument.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { expectSame } from '../support/expected-same.ts'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { fewest, isNight, repeated } from '../support/repetitions.ts'
import { isUntyped, nsOf, SIGNAL_FORMATS, SignalFolder, type SignalTypes, type TextRow } from '../support/signal-files.ts'

type Decorate = (target: object, key: string) => void

const folder = new SignalFolder()
afterAll(() => { folder.remove() })

const cellText = (value: SignalValue): string => `${typeof value === 'object' ? value === null ? 'null' : 'decimal' : typeof value} ${value === null ? '' : String(value)}`

/** Logs everything that it receives, in the order in which it does. */
class Listener extends Strategy {
  instrument!: DataInstrument
  rowCount = 0

  override onStart(): void {
    this.every(7e-6, () => { this.log('timer') }, { name: 'timer' })
  }

  override onSignal(name: string, row: SignalRow): void {
    this.rowCount++
    this.log(`${name} ${this.rowCount} at ${this.nowNs()}: ${Object.entries(row).map(([key, value]) => `${key}=${cellText(value)}`).join(' ')}`)
  }

  override onInstrumentTrades(): void {
    this.log(`trades at ${this.nowNs()}`)
  }

  override saveState(): unknown {
    return this.rowCount
  }

  override restoreState(state: unknown): void {
    this.rowCount = state as number
  }
}
;(Parameter(DataInstrument) as Decorate)(Listener.prototype, 'instrument')

const TYPES: SignalTypes = { ts: 'timestamp', known: 'timestamp', score: 'double', size: 'decimal', count: 'integer', isOn: 'boolean', words: 'text' }
const isoAt = (ns: number | bigint): string => {
  const time = MADE_MIDNIGHT_NS + BigInt(ns)
  return `${new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19)}.${String(time % 1_000_000_000n).padStart(9, '0')}Z`
}

const cells = fc.record({
  score: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)),
  size: fc.option(fc.tuple(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 999_999_999 }), fc.constantFrom('', '-')).map(([whole, part, sign]) => `${sign}${whole}.${String(part).padStart(9, '0')}001`)),
  count: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
  isOn: fc.option(fc.boolean().map(String)),
  words: fc.option(fc.string({ unit: fc.constantFrom('a', ' ', '"', ',', '\n', 'é', '5', '\r') })),
})

/** Rows whose times ascend, in nanoseconds since midnight; several may have one time. */
const rowsOf = (most = 12): fc.Arbitrary<(TextRow & { readonly at: string })[]> => fc.array(fc.tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 5 }), cells), { minLength: 1, maxLength: most }).map((all) => {
  let timeNs = -20
  return all.map(([step, age, row]) => {
    timeNs += step
    return { ...row, ts: isoAt(timeNs), known: isoAt(timeNs - age), at: String(timeNs) }
  })
})

const signalOf = (file: string, more: object = {}): NonNullable<Parameters<typeof runBacktest>[0]['signals']>[number] => ({ name: 'model', file, time: 'ts', known: 'known', delay: '5ns', ...(isUntyped(file) ? { types: TYPES } : {}), ...more })

interface Played {
  readonly journal: readonly string[]
  readonly result: BacktestResult
}

const options = (lines: readonly MarketLine[], signals: Parameters<typeof runBacktest>[0]['signals']): Parameters<typeof runBacktest>[0] => ({
  strategy: Listener, data: [marketFile(lines)], day: '2026-07-01', parameters: { instrument: 'TEST1' }, to: MADE_MIDNIGHT_NS + 120n,
  account: { balances: { CASH: '1000' } }, ...(signals === undefined ? {} : { signals }),
})

async function played(lines: readonly MarketLine[], signals: Parameters<typeof runBacktest>[0]['signals'], more: object = {}): Promise<Played> {
  const journal: string[] = []
  const result = await runBacktest({ ...options(lines, signals), ...more, parameters: { instrument: 'TEST1' }, journal: () => ({ write: (line) => void journal.push(line) }) })
  return { journal, result }
}

const logsOf = ({ journal }: Played): string[] => journal.flatMap((line) => {
  const one = JSON.parse(line) as { text?: string }
  return typeof one.text === 'string' ? [one.text] : []
})

/** A cell as {@link cellText} shows it, from its text alone. */
function wantedCell(column: string, text: string | null): string {
  if (text === null) return 'null '
  const type = TYPES[column]
  if (type === 'timestamp') return `bigint ${nsOf(text)}`
  if (type === 'integer') return `${Number.isSafeInteger(Number(text)) ? 'number' : 'bigint'} ${text}`
  if (type === 'decimal') return `decimal ${text}`
  return `${type === 'double' ? 'number' : type === 'boolean' ? 'boolean' : 'string'} ${text}`
}

const wantedLog = (name: string, count: number, atNs: number, row: TextRow): string =>
  `${name} ${count} at ${atNs}: ${Object.keys(TYPES).map((column) => `${column}=${wantedCell(column, row[column] ?? null)}`).join(' ')}`

/** Log lines up to a time; those of timers have none of their own. */
const timed = (logs: readonly string[]): string[] => logs.filter((text) => text !== 'timer')
const END_NS = 120
const allowed = { numRuns: 40 }

describe('signals of a run', () => {
  test('come at their time and delay, row by row, equal in every format', async () => {
    let count = 0
    await fc.assert(fc.asyncProperty(rowsOf(), marketLines(true), fc.integer({ min: 0, max: 30 }), async (rows, lines, delayNs) => {
      const due = rows.map((row) => ({ row, atNs: Number(row.at) + delayNs }))
      const inRun = due.filter(({ atNs }) => atNs >= 0 && atNs < END_NS)
      const wanted = inRun.map(({ row, atNs }, at) => wantedLog('model', at + 1, atNs, row))
      const all: Played[] = []
      // By day CSV, and another format each time.
      const formats = repeated(SIGNAL_FORMATS, (_, at) => at === 0 || at === 1 + (delayNs % (SIGNAL_FORMATS.length - 1)))
      for (const format of formats) all.push(await played(lines, [signalOf(await folder.rows(format, rows, TYPES), { delay: `${delayNs}ns` })]))
      for (const one of all) {
        expect(timed(logsOf(one)).filter((text) => text.startsWith('model'))).toEqual(wanted)
        expectSame(one.journal, all[0]!.journal)
        expect(one.result.summary.signals).toMatchObject([{ name: 'model', playedCount: inRun.length, skippedCount: due.filter(({ atNs }) => atNs < 0).length, isCut: due.some(({ atNs }) => atNs >= END_NS) }])
        const { signals, ...rest } = one.result.configuration as { readonly signals: readonly [{ readonly sha256: string, readonly types?: object }] }
        const { signals: [first], ...others } = all[0]!.result.configuration as { readonly signals: readonly [{ readonly sha256: string, readonly types?: object }] }
        expect(rest).toEqual(others)
        expect({ ...signals[0], types: 0 }).toEqual({ ...first, types: 0, sha256: signals[0].sha256 })
        expect(signals[0].sha256).toMatch(/^[0-9a-f]{64}$/)
      }
      expect(new Set(all.map(({ result }) => result.fingerprint)).size).toBe(formats.length)
      count += wanted.length
    }), allowed)
    expect(count).toBeGreaterThan(fewest(60))
  }, 180_000)

  test('come after the lines of their instant and before its timers, by the order of the list', async () => {
    const lines: MarketLine[] = []
    const rows = [3, 7, 7, 14].map((at) => ({ ts: isoAt(at), known: isoAt(at), score: String(at) }))
    const [a, b] = [await folder.rows('csv', rows, TYPES), await folder.rows('parquet', rows, TYPES)]
    const logs = (await played(lines, [{ ...signalOf(b), name: 'b', delay: '0ns' }, { ...signalOf(a), name: 'a', delay: '0ns' }])).journal
    const order = logs.flatMap((line) => /"(b|a|timer)[ "]/.exec(line)?.[1] ?? [])
    expect(order.slice(0, 10)).toEqual(['b', 'a', 'b', 'b', 'a', 'a', 'timer', 'b', 'a', 'timer'])
    expect((await played(lines, [{ ...signalOf(a), name: 'a', delay: '0ns' }, { ...signalOf(b), name: 'b', delay: '0ns' }])).journal.flatMap((line) => /"(b|a|timer)[ "]/.exec(line)?.[1] ?? []).slice(0, 3)).toEqual(['a', 'b', 'a'])
  })

  test('come after every trade that was received by then, and before every later one', async () => {
    let met = 0
    await fc.assert(fc.asyncProperty(rowsOf(), marketLines(true), async (rows, lines) => {
      const one = await played(lines, [signalOf(await folder.rows('csv', rows, TYPES))])
      const times = timed(logsOf(one)).filter((text) => / at -?\d+/.test(text)).map((text) => [Number(/ at (-?\d+)/.exec(text)?.[1]), text.startsWith('trades') ? 0 : 1] as const)
      met += times.filter(([, kind], at) => kind === 1 && times[at - 1]?.[1] === 0).length
      expect([...times].sort(([x, k], [y, l]) => x - y || k - l)).toEqual(times)
    }), allowed)
    expect(met).toBeGreaterThan(fewest(20))
  }, 180_000)

  test('a file that is cut, or goes on in another way, changes no line of the journal before the cut', async () => {
    let count = 0
    await fc.assert(fc.asyncProperty(rowsOf(), rowsOf(), marketLines(true), fc.integer({ min: 0, max: 80 }), fc.constantFrom(...SIGNAL_FORMATS), async (rows, others, lines, atNs, format) => {
      const known = rows.filter(({ at }) => Number(at) + 5 <= atNs)
      const future = others.filter(({ at }) => Number(at) + 5 > atNs && Number(at) >= Number(known.at(-1)?.at ?? -Infinity))
      const changed = [...known, ...future]
      if (changed.length === 0) return
      const more = (file: string): object => (isUntyped(file) ? { types: { ts: 'timestamp', known: 'timestamp', words: 'text' } } : {})
      const [whole, cut] = [await folder.rows(format, rows, TYPES), await folder.rows(format, changed, TYPES)]
      // Numbers of CSV have the kind of the first value here, which no later row may change.
      const [one, two] = [await played(lines, [signalOf(whole, more(whole))]), await played(lines, [signalOf(cut, more(cut))])]
      const before = ({ journal }: Played): string[] => journal.filter((line) => BigInt((JSON.parse(line) as { time: string }).time) <= MADE_MIDNIGHT_NS + BigInt(atNs))
      count += before(one).length
      expect(before(two)).toEqual(before(one))
    }), allowed)
    expect(count).toBeGreaterThan(fewest(200))
  }, 180_000)

  test('several sets share one reading, and a run that goes on from any step ends the same', async () => {
    let resumed = 0
    await fc.assert(fc.asyncProperty(rowsOf(), rowsOf(), marketLines(true), fc.integer({ min: 1, max: 40 }), fc.constantFrom(...SIGNAL_FORMATS), async (rows, others, lines, everySteps, format) => {
      const signals = [signalOf(await folder.rows(format, rows, TYPES)), { ...signalOf(await folder.rows('parquet', others, TYPES)), name: 'other', delay: '0ns' }]
      const both = { ...options(lines, signals), parameters: [{ instrument: 'TEST1' }, { instrument: 'TEST1' }] }
      const alone = await played(lines, signals)
      const results = await runBacktest(both)
      expect(results.map(({ fingerprint }) => fingerprint)).toEqual([alone.result.fingerprint, alone.result.fingerprint])
      let taken = ''
      await runBacktest({ ...both, checkpoints: { everySteps, take: (checkpoint) => {
        taken = JSON.stringify(checkpoint)
        return false
      } } })
      if (taken === '') return
      resumed++
      const rest = await runBacktest({ ...both, resume: JSON.parse(taken) as Checkpoint })
      expect(rest.map(({ fingerprint, summary }) => [fingerprint, summary])).toEqual(results.map(({ fingerprint, summary }) => [fingerprint, summary]))
    }), { numRuns: 15 })
    expect(resumed).toBeGreaterThan(5)
  }, 180_000)

  test('a run that goes on refuses another file by name of the field', async () => {
    const rows = [1, 50].map((at) => ({ ts: isoAt(at), known: isoAt(at) }))
    let taken = ''
    await runBacktest({ ...options([], [signalOf(await folder.rows('csv', rows, TYPES))]), checkpoints: { everySteps: 3, take: (checkpoint) => {
      taken = JSON.stringify(checkpoint)
      return false
    } } })
    const other = signalOf(await folder.rows('csv', [...rows, { ts: isoAt(60), known: isoAt(60) }], TYPES))
    await expect(runBacktest({ ...options([], [other]), resume: JSON.parse(taken) as Checkpoint })).rejects.toThrow(/Cannot go on from the checkpoint: signals was .* and is /)
  })
})

/** Keeps what it is given, and tries to change it. */
class Prying extends Strategy {
  static rows: SignalRow[] = []
  static refused = 0

  override onSignal(_name: string, row: SignalRow): void {
    Prying.rows.push(row)
    try {
      (row as Record<string, unknown>)['score'] = 1
    } catch {
      Prying.refused++
    }
  }
}

/** Keeps what it is given. */
class Keeping extends Strategy {
  static rows: SignalRow[] = []

  override onSignal(_name: string, row: SignalRow): void {
    Keeping.rows.push(row)
  }
}

class Deaf extends Strategy {}

describe('a strategy', () => {
  test('sees nothing but its row, and cannot change it for others', async () => {
    Object.assign(Prying, { rows: [], refused: 0 })
    const file = await folder.rows('parquet', [1, 2, 3].map((at) => ({ ts: isoAt(at), known: isoAt(at), score: String(at) })), TYPES)
    await runBacktest({ ...options([], [signalOf(file)]), strategy: Prying, parameters: [{}, {}] })
    expect(Prying.refused).toBe(6)
    for (const row of Prying.rows) {
      expect(Object.isFrozen(row)).toBe(true)
      expect(Reflect.ownKeys(row)).toEqual(Object.keys(TYPES))
      expect(Object.getPrototypeOf(row)).toBe(Object.prototype)
      expect(Object.values(row).filter((value) => typeof value === 'object' && value !== null)).toEqual([])
    }
    expect(Prying.rows.map(({ score }) => score)).toEqual([1, 1, 2, 2, 3, 3])
  })

  test('without onSignal is warned of signals', async () => {
    const file = await folder.rows('csv', [{ ts: isoAt(1), known: isoAt(1) }], TYPES)
    const result = await runBacktest({ ...options([], [signalOf(file)]), strategy: Deaf, parameters: {} })
    expect(result.summary.warnings).toContain('Deaf has no onSignal, so it receives no row of model')
  })

  test('with onSignal and a run without signals has the journal that it had', async () => {
    const { result } = await played([], undefined)
    expect(result.configuration).not.toHaveProperty('signals')
    expect(result.summary).not.toHaveProperty('signals')
  })
})

describe('many rows', () => {
  test.each(SIGNAL_FORMATS)('of %s come through batches in order, and those before the run are counted', async (format) => {
    const [all, before] = isNight ? [30_000, 9_000] : [15_000, 5_000]
    const rows = Array.from({ length: all }, (_, at) => ({ ts: isoAt((at - before) * 1_000), known: isoAt((at - before) * 1_000 - 1), count: String(at), words: `row ${at}` }))
    const file = await folder.rows(format, rows, { ts: 'timestamp', known: 'timestamp', count: 'integer', words: 'text' })
    Keeping.rows = []
    const more = isUntyped(file) ? { types: { count: 'integer' } } : { types: undefined }
    const { types, ...signal } = { ...signalOf(file), ...more }
    const result = await runBacktest({ ...options([], [{ ...signal, delay: '0ns', ...(types === undefined ? {} : { types }) } as never]), to: MADE_MIDNIGHT_NS + BigInt(all - before - 1_000) * 1_000n + 500n, strategy: Keeping, parameters: {} })
    expectSame(Keeping.rows.map(({ count, words }) => [count, words]), rows.slice(before, all - 999).map(({ count, words }) => [Number(count), words]))
    expect(result.summary.signals).toMatchObject([{ playedCount: all - 999 - before, skippedCount: before, isCut: true }])
  }, 180_000)
})
