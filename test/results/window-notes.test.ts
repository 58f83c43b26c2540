import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { summaryText } from '../../src/report/summary-text.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned, plannedRun } from '../support/planned-run.ts'

const S = 1_000_000_000
const at = (clock: string): number => (Date.parse(`2026-07-01T${clock}Z`) - Date.parse('2026-07-01T00:00:00Z')) / 1000 * S
const book = (clock: string): MarketLine => ({ kind: 'snapshot', timeNs: at(clock), rows: [[0, 100, 5], [1, 102, 5]] })

async function notesOf(lines: readonly MarketLine[], options: Partial<BacktestOptions>): Promise<readonly string[]> {
  const [result] = await plannedRun({ files: [lines], plans: [[]], options: { to: '24:00', ...options } })
  return result!.summary.warnings
}

describe('a window without an event is a warning of the run', () => {
  test.each<readonly [string, readonly MarketLine[], Partial<BacktestOptions>, readonly string[]]>([
    ['the data begin after it', [book('23:57:02'), book('23:59:00')], { from: '00:00', to: '00:05' }, ['no event between 00:00 and 00:05: the data begin at 23:57:02']],
    ['the data end before it', [book('00:00:01'), book('00:05:00')], { from: '12:00' }, ['no event between 12:00 and 24:00: the data end at 00:05']],
    ['the data lie on both sides', [book('00:00:01'), book('10:00:00.5')], { from: '00:01', to: '09:00:30' }, ['no event between 00:01 and 09:00:30: the data go on at 10:00:00']],
    ['an event at its begin', [book('00:01:00')], { from: '00:01', to: '00:02' }, []],
    ['an event at its end, which is not played', [book('00:02:00')], { from: '00:01', to: '00:02' }, ['no event between 00:01 and 00:02: the data begin at 00:02']],
    ['an event within', [book('00:01:30')], { from: '00:01', to: '00:02' }, []],
    ['a state alone is an event of the file', [{ kind: 'READY', timeNs: at('00:01:30') }], { from: '00:01', to: '00:02' }, []],
  ])('%s', async (_what, lines, options, expected) => {
    expect(await notesOf(lines, options)).toEqual(expected)
  })

  test('also where the data end the run, and first of all warnings', async () => {
    const options: BacktestOptions & { parameters: Record<string, unknown> } = {
      strategy: Planned, data: [marketFile([book('00:00:01'), book('00:05:00')])], day: '2026-07-01', from: '12:00', account: {}, parameters: { instrument: 'TEST1', plan: [] },
    }
    const { summary, isPartial } = await runBacktest(options)
    expect([summary.warnings, summary.start, summary.end, isPartial]).toEqual([['no event at or after 12:00: the data end at 00:05'], '2026-07-01T12:00:00.000000000Z', '2026-07-01T12:00:00.000000000Z', false])
    expect(summaryText(summary).split('\n')[2]).toBe('Warning: no event at or after 12:00: the data end at 00:05')
  })

  test('is of the instruments of the world: another one with events in it does not count', async () => {
    const [one, other] = await plannedRun({ files: [[book('23:57:02')], [book('00:01:00')]], plans: [[], { on: 2, plan: [] }], options: { to: '00:05' } })
    expect([one!.summary.warnings, other!.summary.warnings]).toEqual([['no event between 00:00 and 00:05: the data begin at 23:57:02'], []])
  })

  test('says the day where a run has several', async () => {
    const [result] = await plannedRun({ files: [[book('00:00:01')]], plans: [[]], options: { trim: 'none', to: '2026-07-03T00:00:00Z', from: '2026-07-02T00:00:00Z' } })
    expect(result!.summary.warnings).toEqual(['no event between 2026-07-02 00:00 and 2026-07-03 00:00: the data end at 2026-07-01 00:00:01'])
  })
})
