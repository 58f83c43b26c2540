import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { firstPassSize, nextPassSize } from '../../src/backtest/passes.js'
import { runRunFile, type RunFileExtras } from '../../src/backtest/run-file.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { expectSame } from '../support/expected-same.ts'
import { packWorkers } from '../support/packed-workers.ts'
import { isNight, repeated } from '../support/repetitions.ts'
import { runContent, RunFolder, strategyModule, XRP_DAY } from '../support/run-folder.ts'

packWorkers()
const folder = new RunFolder()
afterAll(() => folder.remove())

/** Quotes each second, as far off the touch as its parameter says. */
folder.write('subject.ts', strategyModule(`  @Parameter(Number) ticks!: number
  override onStart(): void { this.every(1000, () => this.quote()) }
  quote(): void {
    const { bestBid } = this.instrument
    if (bestBid === null) return
    for (const order of this.instrument.openOrders) order.cancel()
    let price = bestBid.price
    for (let at = 0; at < this.ticks; at++) price = price.minus(Price.from('0.0001'))
    this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('100'), price })
  }`))

const SETS = 140
const parameters = Array.from({ length: SETS }, (_, at) => ({ instrument: 'XRPUSDT', ticks: at % 7 }))
const run = { from: '23:55:30', to: '23:55:33', parameters, equity: { fills: true } }
const path = folder.write('many.run.json', JSON.stringify(runContent(run)))

/** By day every ninth set makes its report: each of the seven kinds, in both passes. */
const isReported = (at: number): boolean => isNight || at % 9 === 0

function saidOf({ fills, orders, equity, roundTrips, hours, days, summary, ...rest }: BacktestResult, hasReport: boolean): unknown {
  const { report, writeReport: _, threadCount: __, ...plain } = rest
  const tables = [fills, orders, equity, roundTrips, hours, days].map(({ rows, metadata }) => {
    const { set: ___, ...others } = Object.fromEntries(metadata)
    return [rows, others]
  })
  return { plain, summary: JSON.stringify(summary), tables, ...(hasReport ? { report: JSON.stringify(report()) } : {}) }
}

const resultsOf = async (of: string, extras: RunFileExtras = {}): Promise<BacktestResult[]> => runRunFile(await readRunFile(of), extras)

describe('more sets than one pass plays', () => {
  test('each is the same as alone, in every pass and on every thread', async () => {
    const alone: BacktestResult[] = []
    for (let at = 0; at < 7; at++) {
      const own = folder.write(`set-${at}.run.json`, JSON.stringify(runContent({ ...run, parameters: parameters[at] })))
      alone.push(...await resultsOf(own))
    }
    for (const jobs of repeated([2, 1])) {
      const results = await resultsOf(path, { jobs })
      expect(results.map(({ parameters: { ticks } }) => ticks)).toEqual(parameters.map(({ ticks }) => ticks))
      for (const [at, result] of results.entries()) expectSame(saidOf(result, isReported(at)), saidOf(alone[at % 7]!, isReported(at)), `set ${at}`)
      expect(results.map(({ fills: { metadata } }) => metadata.get('set'))).toEqual(parameters.map((_, at) => String(at)))
    }
  }, 120_000)

  test('stopped in the first pass, all have what they have so far', async () => {
    const controller = new AbortController()
    const results = await resultsOf(path, { signal: controller.signal, onProgress: () => { controller.abort() } })
    expect(results.map(({ isPartial }) => isPartial)).toEqual(parameters.map(() => true))
  })

  test('a file that changes between two passes is refused: one part of the list would have read another file', async () => {
    const name = basename(XRP_DAY)
    const day = folder.write(name, '')
    copyFileSync(XRP_DAY, day)
    const changing = folder.write('changing.run.json', JSON.stringify(runContent({ ...run, data: [name] })))
    let hasChanged = false
    const onProgress = (): void => {
      if (hasChanged) return
      hasChanged = true
      // An empty frame behind the others: what is read is the same, the file is not. The first pass has the file open.
      writeFileSync(`${day}.new`, Buffer.concat([readFileSync(day), Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0])]))
      renameSync(`${day}.new`, day)
    }
    const words = 'Cannot compare parameter sets: the file of synthetic_swap:XRPUSDT 2026-07-01 changed between two passes over it'
    await expect(resultsOf(changing, { onProgress })).rejects.toMatchObject({ code: 'FILE_UNREADABLE', message: expect.stringContaining(words) })
    // All passes read the file as it is now.
    if (isNight) await expect(resultsOf(changing)).resolves.toHaveLength(SETS)
  })

  test('a parameter of the last set that means nothing is refused before the first is played', async () => {
    const faulty = folder.write('faulty.run.json', JSON.stringify(runContent({ ...run, parameters: [...parameters.slice(1), { ticks: 'many' }] })))
    const journals: number[] = []
    const journal: NonNullable<RunFileExtras['journal']> = (number) => {
      journals.push(number)
      return { write: () => undefined }
    }
    await expect(resultsOf(faulty, { journal })).rejects.toThrow(/parameters\[139\]/)
    expect(journals).toEqual([])
  })
})

test.each([
  ['makers of minutes: few, as their orders fill the caches', { eventCount: 10_000, worldCount: 128, lineCount: 200_000 }, 872, 52],
  ['makers of a day: as few as a pass may have', { eventCount: 5_000_000, worldCount: 128, lineCount: 54_400_000 }, 900, 8],
  ['sets that rest an order: many, as reading the day is what costs', { eventCount: 5_000_000, worldCount: 128, lineCount: 400 }, 900, 450],
  ['sets without a line', { eventCount: 0, worldCount: 128, lineCount: 0 }, 40, 40],
])('%s', (_, counts, leftCount, size) => {
  expect(nextPassSize(counts, leftCount)).toBe(size)
})

test.each([
  ['minutes on one thread', 2 * 60e9, 1, 128], ['minutes on three', 2 * 60e9, 3, 43], ['a quarter of an hour', 15 * 60e9, 1, 128],
  ['a day', 24 * 3600e9, 1, 16], ['a day on two threads', 24 * 3600e9, 2, 8], ['days without an end', Infinity, 1, 16],
])('first pass: %s', (_, spanNs, threadCount, size) => {
  expect(firstPassSize(spanNs, threadCount)).toBe(size)
})
