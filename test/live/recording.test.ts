import { spawn } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { openDayRecording } from '../../src/live/day-recording-writer.js'
import type { LiveResult } from '../../src/live/live-options.js'
import { RecordedInstrument } from '../../src/live/recorded-instrument.js'
import { runLive } from '../../src/live/run-live.js'
import type { EventBatch } from '../../src/model/event-batch.js'
import { CROSSED_TEXT } from '../../src/model/crossing.js'
import { SILENCE_TEXT } from '../../src/model/silence.js'
import { epochDayFromText } from '../../src/model/time.js'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import { trimToDay } from '../../src/tickfile/days/stitching.js'
import { LineEncoder } from '../../src/tickfile/lines/line-encoder.js'
import { createTickFile } from '../../src/tickfile/tick-file-writer.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { backtestLines } from '../support/live-parity.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { newFolder } from '../support/new-folder.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'
import { linesOfBatch } from '../support/tick-lines.ts'

const DAYS = ['2026-07-01', '2026-07-02']
const DATA = DAYS.map((day) => join(datasetsFolder, `synthetic_swap-XRPUSDT-${day}.txt.zst`))
const ACCOUNT = { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } }
const ID = 9100001
const KEY = 'a-key-that-is-secret'

class Idle extends Strategy {}

let serving: Serving | null = null
afterEach(async () => {
  await serving?.close()
  serving = null
})

async function opened(more: object = {}): Promise<Serving> {
  serving = await openServing({
    data: DATA, from: '2026-07-01T23:59:50Z', to: '2026-07-02T00:00:10Z', account: ACCOUNT, httpPort: 0, replay: { speed: 'lockstep' },
    keys: [{ key: KEY, markets: ['synthetic_swap'], days: 'always' }], ...more,
  })
  return serving
}

function recordedRun(server: Serving, record: string, more: object = {}): Promise<LiveResult> {
  const { feeds, http, accounts } = server.addresses
  return runLive({ strategy: Idle, feed: feeds[0]!.json, apiKey: KEY, backend: http, accountId: accounts, watch: [ID], record, ...more })
}

/** The lines of a tick file, and whether a reader marks a gap at each. */
async function linesOf(path: string, options: object = {}): Promise<{ readonly lines: string[], readonly gaps: number[] }> {
  const reading = await readTickFile(await openSource(path), options)
  const lines: string[] = []
  const gaps: number[] = []
  for await (const batch of reading.batches()) {
    for (let i = 0; i < batch.count; i++) if ((batch.flags[i]! & 4) !== 0) gaps.push(lines.length + i)
    lines.push(...linesOfBatch(batch))
  }
  return { lines, gaps }
}

function lineOf(batch: EventBatch, index: number): string {
  const encoder = new LineEncoder()
  encoder.encodeMessage(batch, index)
  return new TextDecoder().decode(encoder.sink.slice())
}

const timeOf = (line: string): bigint => BigInt(/^\[5,\d+,(\d+)/.exec(line)?.[1] ?? /^\[\d+,\d+,"[^"]*","[^"]*",(\d+)/.exec(line)![1]!)
const midnight = (day: string): bigint => BigInt(Date.parse(`${day}T00:00:00Z`)) * 1_000_000n
const unfinished = (folder: string): string[] => readdirSync(folder).filter((name) => name.includes('.unfinished-'))
const dayOf = (folder: string, day: string): string => join(folder, `synthetic_swap-XRPUSDT-${day}.txt.zst`)

describe('what the feed sent is in the files', () => {
  test.each(['json', 'sbe'] as const)('line by line, over %s, with midnight between two of them', { timeout: 120_000 }, async (encoding) => {
    const folder = newFolder()
    const server = await opened()
    const played = server.run()
    const { recorded } = await recordedRun(server, folder, { feed: server.addresses.feeds[0]![encoding] })
    await played
    expect(recorded.map(({ path, instrument, error }) => [basename(path), instrument, error])).toEqual(DAYS.map((day) => [`synthetic_swap-XRPUSDT-${day}.txt.zst`, 'synthetic_swap:XRPUSDT', null]))
    const [begin, end] = [midnight('2026-07-02') - 10_000_000_000n, midnight('2026-07-02') + 10_000_000_000n]
    for (const [at, day] of DAYS.entries()) {
      const source = (await linesOf(DATA[at]!)).lines.filter((line) => timeOf(line) >= (at === 0 ? begin : midnight(day)) && timeOf(line) < (at === 0 ? midnight('2026-07-02') : end))
      const { lines } = await linesOf(dayOf(folder, day))
      expect(lines.slice(-source.length)).toEqual(source)
      expect(recorded[at]!.lineCount).toBe(lines.length)
      // Before them: the book, and behind a subscription the last line of each kind that it brings.
      const head = lines.slice(0, -source.length)
      expect(head[0]).toMatch(/^\[0,9100001,"0","\d+",/)
      expect(head.length).toBe(at === 0 ? 5 : 1)
    }
    expect(unfinished(folder)).toEqual([])
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name)).includes(KEY)).toBe(false)
  })

  test('so that a backtest over them does what it does over the source', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    const server = await opened()
    const played = server.run()
    await recordedRun(server, folder)
    await played
    const options = (data: readonly string[]): BacktestOptions => ({
      strategy: RestlessStrategy, data, from: '2026-07-01T23:59:52Z', to: '2026-07-02T00:00:08Z', account: ACCOUNT, parameters: { instrument: 'synthetic_swap:XRPUSDT', seed: 3, wakeNs: 5e8 },
    })
    const expected = await backtestLines(options(DATA))
    expect(await backtestLines(options(DAYS.map((day) => dayOf(folder, day))))).toEqual(expected)
    expect(expected.length).toBeGreaterThan(100)
    // The second by itself: its book is that of the file of the whole day.
    const books = await Promise.all([DATA[1]!, dayOf(folder, DAYS[1]!)].map(async (path) => {
      for await (const batch of trimToDay(await readTickFile(await openSource(path))).batches()) return linesOfBatch(batch)[0]!.replace(/"\d+",(\d+),\d+/, '')
      return ''
    }))
    expect(sortedRows(books[1]!)).toEqual(sortedRows(books[0]!))
  })

  test.each([['feed cut', 'the connection to the feed was lost'], ['ids skipped', null]] as const)('%s: a gap is in the file, until the book of the next subscription', { timeout: 120_000 }, async (name, text) => {
    const folder = newFolder()
    const server = await opened({ to: '2026-07-01T23:59:59Z', replay: { speed: 60 } })
    void server.run()
    const stop = new AbortController()
    let states = 0
    const ended = recordedRun(server, folder, {
      signal: stop.signal, strategy: class extends Strategy {
        override onStart(): void { this.after(3_000, () => {
          if (text === null) server.feed.omit(ID, { depthLineCount: 2 })
          else for (const one of server.feed.connections) one.close(null)
        }) }
      },
      onNote: (note: string) => { if (/: open$/.test(note) && ++states === 2) setTimeout(() => { stop.abort() }, 200) },
    })
    if (text === null) setTimeout(() => { stop.abort() }, 1_000)
    await ended
    const { lines, gaps } = await linesOf(dayOf(folder, DAYS[0]!))
    const at = text === null ? gaps[0]! : lines.findIndex((line) => line.startsWith('[5,') && line.endsWith(`"ERROR","${text}"]`))
    expect([name, at > 1]).toEqual([name, true])
    const books = lines.flatMap((line, index) => (line.startsWith('[0,') ? [index] : []))
    expect(books[0]).toBe(0)
    expect(books.some((index) => index > at)).toBe(true)
    // No READY of a subscription is in it, and no time of a marker steps back.
    expect(lines.filter((line) => line.startsWith('[5,') && line.includes('READY'))).toEqual([])
  })
})

/** Rows of a book in an order of their own. */
function sortedRows(line: string): string[] {
  return [...line.matchAll(/\[[01],"[^"]+","[^"]+",1\]/g)].map(([row]) => row).sort()
}

describe('a run that begins again', () => {
  test('goes on in the file of the day, behind a gap', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    const spans = [['23:59:30', '23:59:40'], ['23:59:50', '23:59:55']] as const
    const counts: number[] = []
    for (const [from, to] of spans) {
      const server = await opened({ from: `2026-07-01T${from}Z`, to: `2026-07-01T${to}Z` })
      const played = server.run()
      counts.push((await recordedRun(server, folder)).recorded[0]!.lineCount)
      await played
      await server.close()
      serving = null
    }
    const { lines } = await linesOf(dayOf(folder, DAYS[0]!))
    expect(lines.length).toBe(counts[0]! + 1 + counts[1]!)
    expect(lines[counts[0]!]).toBe(`[5,9100001,${timeOf(lines[counts[0]! - 1]!)},"ERROR","the recording was interrupted"]`)
    expect(lines[counts[0]! + 1]).toMatch(/^\[0,/)
    expect(readdirSync(folder)).toHaveLength(1)
  })

  test('after kill -9 the unfinished file is whole frames: it is read by its name, and the next run goes on in it', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    const server = await opened({ replay: { speed: 1 } })
    void server.run()
    const { feeds, http, accounts } = server.addresses
    const program = `
      import { runLive, Strategy } from 'backtape'
      await runLive({ strategy: class Idle extends Strategy {}, feed: ${JSON.stringify(feeds[0]!.json)}, apiKey: ${JSON.stringify(KEY)}, backend: ${JSON.stringify(http)}, accountId: ${JSON.stringify(accounts)}, watch: [${ID}], record: ${JSON.stringify(folder)} })`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit', cwd: resolve(import.meta.dirname, '../..') })
    await expect.poll(() => unfinished(folder).some((name) => readFileSync(join(folder, name)).length > 10_000), { timeout: 60_000 }).toBe(true)
    child.kill('SIGKILL')
    await new Promise((done) => { child.on('exit', done) })
    const [left] = unfinished(folder)
    // A frame that was being written.
    writeFileSync(join(folder, left!), Buffer.concat([readFileSync(join(folder, left!)), Buffer.from('28b52ffd640010', 'hex')]))
    const copy = join(newFolder(), `synthetic_swap-XRPUSDT-${DAYS[0]!}.txt.zst`)
    copyFileSync(join(folder, left!), copy)
    const { lines } = await linesOf(copy, { onDamage: 'skip' })
    expect(lines[0]).toMatch(/^\[0,/)
    const { recorded } = await recordedRun(server, folder, { signal: AbortSignal.timeout(1_500) })
    expect(recorded.map(({ error }) => error)).toEqual([null])
    const whole = (await linesOf(dayOf(folder, DAYS[0]!))).lines
    expect(whole.slice(0, lines.length)).toEqual(lines)
    expect(whole[lines.length]).toMatch(/"the recording was interrupted"\]$/)
    expect(unfinished(folder)).toEqual([])
  })
})

describe('refusals', () => {
  const parts = async (folder: string, notes: string[] = []): Promise<Parameters<typeof openDayRecording>[0]> => {
    const { replay: { feed: { instruments, underlyings } } } = serving ?? await opened()
    return { folder, instruments, underlyings, epochDay: epochDayFromText(DAYS[0]!)!, nowNs: () => 0, isOnWall: false, followed: [ID], onNote: (note) => { notes.push(note) } }
  }

  const made = (folder: string): string => {
    mkdirSync(join(folder, 'days'))
    return join(folder, 'days')
  }

  test.each([
    ['a file stands where the folder should be', 'OUTPUT_FAILED', (folder: string) => { writeFileSync(join(folder, 'days'), '') }],
    ['a day of the vendor stands there', 'OUTPUT_EXISTS', (folder: string) => { copyFileSync(DATA[0]!, dayOf(made(folder), DAYS[0]!)) }],
    ['no tick file stands there', 'OUTPUT_EXISTS', (folder: string) => { writeFileSync(dayOf(made(folder), DAYS[0]!), 'text') }],
    ['another process records the day', 'OUTPUT_FAILED', (folder: string) => { writeFileSync(`${dayOf(made(folder), DAYS[0]!)}.unfinished-00000000-1-1`, '') }],
  ])('%s: %s, and what stands there stays', { timeout: 60_000 }, async (_name, code, prepare) => {
    const folder = newFolder()
    prepare(folder)
    const before = readdirSync(folder, { recursive: true })
    await expect(openDayRecording(await parts(join(folder, 'days')))).rejects.toMatchObject({ code })
    await expect(recordedRun(serving!, join(folder, 'days'))).rejects.toMatchObject({ code })
    expect(readdirSync(folder, { recursive: true })).toEqual(before)
  })

  test('a file that cannot be ended: the run goes on, and its result says so', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    const server = await opened({ to: '2026-07-01T23:59:55Z' })
    const played = server.run()
    const notes: string[] = []
    const { recorded, warnings, summary, reason } = await recordedRun(server, folder, {
      onNote: (note: string) => notes.push(note),
      strategy: class extends Strategy {
        override onStop(): void { mkdirSync(dayOf(folder, DAYS[0]!)) }
      },
    })
    await played
    expect(reason).toBe('the data have ended')
    expect(recorded.map(({ error }) => error?.code)).toEqual(['OUTPUT_EXISTS'])
    expect(notes.filter((note) => note.startsWith('Not recorded any more: '))).toHaveLength(1)
    expect(summary.warnings.join('\n')).toContain('not all was recorded: ')
    expect(warnings).toEqual([])
    // What was recorded is not lost.
    expect(unfinished(folder)).toHaveLength(1)
    renameSync(join(folder, unfinished(folder)[0]!), join(folder, 'synthetic_swap-XRPUSDT-2026-07-03.txt.zst'))
    expect((await linesOf(join(folder, 'synthetic_swap-XRPUSDT-2026-07-03.txt.zst'))).lines.length).toBe(recorded[0]!.lineCount)
  })

  test('a limit on the size of files, as a full disk: what is whole gets its name', { timeout: 120_000 }, async () => {
    const folder = newFolder()
    const server = await opened({ from: '2026-07-01T23:55:00Z', to: '2026-07-01T23:59:59Z', replay: { speed: 60 } })
    const { feeds, http, accounts } = server.addresses
    const program = `
      import { runLive, Strategy } from 'backtape'
      const { recorded } = await runLive({ strategy: class Idle extends Strategy {}, feed: ${JSON.stringify(feeds[0]!.json)}, apiKey: ${JSON.stringify(KEY)}, backend: ${JSON.stringify(http)}, accountId: ${JSON.stringify(accounts)}, watch: [${ID}], record: ${JSON.stringify(folder)} })
      console.log(recorded[0].error.code, recorded[0].error.message)`
    const child = spawn('sh', ['-c', 'ulimit -f 200; exec "$0" --input-type=module --eval "$1"', process.execPath, program], { cwd: resolve(import.meta.dirname, '../..') })
    let out = ''
    child.stdout.on('data', (text) => (out += String(text)))
    child.stderr.on('data', (text) => (out += String(text)))
    const exited = new Promise((done) => { child.on('exit', done) })
    await server.run()
    await server.close()
    await exited
    expect(out).toMatch(/^OUTPUT_FAILED Cannot write .*: it is larger than the file system or the limit of the process allows/)
    const { lines } = await linesOf(dayOf(folder, DAYS[0]!))
    expect(lines.length).toBeGreaterThan(100)
  })

  test.each([
    ['a clock that is behind the feed at midnight loses nothing: the day begins by the stamps', 86_399.5, 86_400.2, 2],
    ['a stamp that runs far ahead begins no day', 72_000, 86_400.2, 1],
  ])('%s', { timeout: 60_000 }, async (_name, nowSeconds, stampSeconds, fileCount) => {
    const folder = newFolder()
    const recording = await openDayRecording({ ...await parts(folder), nowNs: () => nowSeconds * 1e9, isOnWall: true, followed: [] })
    for (const seconds of [nowSeconds, stampSeconds, stampSeconds + 0.1]) recording.receive('synthetic_swap', { instrumentId: ID, time: midnight(DAYS[0]!) + BigInt(Math.round(seconds * 1e3)) * 1_000_000n, state: 'READY', text: 'ready' })
    const files = await recording.close()
    expect(files.map(({ path, lineCount, error }) => [basename(path), lineCount, error])).toEqual([['2026-07-01', fileCount === 1 ? 3 : 1], ['2026-07-02', 2]].slice(0, fileCount).map(([day, count]) => [`synthetic_swap-XRPUSDT-${String(day)}.txt.zst`, count, null]))
  })

  test('a folder that takes nothing', { timeout: 60_000 }, async () => {
    if (process.getuid?.() === 0 || process.platform === 'win32') return
    const folder = newFolder()
    chmodSync(folder, 0o500)
    await expect(openDayRecording(await parts(folder))).rejects.toMatchObject({ code: 'OUTPUT_FAILED' })
    chmodSync(folder, 0o700)
    expect(existsSync(folder)).toBe(true)
  })
})

test('lines that the disk is too slow for are a gap, which the book behind them ends; midnight meanwhile too', async () => {
  const reading = await readTickFile(await openSource(DATA[0]!))
  const [lines, days]: [string[], number[]] = [[], []]
  let isFull = false
  let number = 0
  let one: RecordedInstrument | null = null
  const missing: string[] = []
  for await (const batch of reading.batches()) {
    one ??= new RecordedInstrument({
      entry: { instrument: batch.instrument, priceScale: batch.priceScale, quantityScale: batch.quantityScale }, epochDay: batch.epochDay, floorNs: () => -Infinity, latestDay: () => Infinity, isFull: () => isFull, fullText: 'the disk was too slow',
      nextFile: (epochDay) => {
        days.push(epochDay)
        return { epochDay, take: (of, index) => { lines.push(lineOf(of, index)) } }
      },
    })
    const texts = linesOfBatch(batch)
    for (let i = 0; i < Math.min(batch.count, 1500); i++) {
      number++
      isFull = number > 1000 && number <= 1200
      one.line(batch, i)
      if (isFull) missing.push(texts[i]!)
    }
    break
  }
  expect(one!.leftOutCount).toBe(200)
  const at = lines.findIndex((line) => line.endsWith('"ERROR","lines are missing: the disk was too slow"]'))
  expect(timeOf(lines[at]!)).toBe(timeOf(missing[0]!))
  expect(lines[at + 1]).toMatch(/^\[0,/)
  expect(lines.length).toBe(1500 - 200 + 2 + days.length - 1)
  const path = join(newFolder(), 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
  const file = await createTickFile(path, reading.masterDataText)
  await file.writeText(new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')))
  await file.close()
  // The chain of the book goes on from it; trades that are missing show in theirs.
  const { gaps } = await linesOf(path)
  expect(gaps.filter((index) => !lines[index]!.startsWith('[2,'))).toEqual([])
})

describe('states', () => {
  const at = (seconds: number): bigint => midnight(DAYS[0]!) + BigInt(seconds) * 1_000_000_000n
  const texts = (states: readonly (readonly ['READY' | 'ERROR', string] | 'subscribed' | 'gap')[]): string[] => {
    const { entries: [entry] } = serving!.replay.feed.instruments
    const lines: string[] = []
    const one = new RecordedInstrument({
      entry: entry!, epochDay: epochDayFromText(DAYS[0]!)!, floorNs: () => 0, latestDay: () => Infinity, isFull: () => false, fullText: 'the disk was too slow',
      nextFile: (epochDay) => ({ epochDay, take: (batch, index) => { lines.push(linesOfBatch(batch)[index]!.replace(/^\[5,\d+,\d+,/, '')) } }),
    })
    for (const [second, state] of states.entries()) {
      if (state === 'subscribed') one.resubscribed()
      else if (state === 'gap') one.gap('lost')
      else one.state({ instrumentId: ID, time: at(second), state: state[0], text: state[1] })
    }
    return lines
  }

  test('those of subscriptions, silences and crossed books are left out; others are as they came', async () => {
    await opened()
    expect(texts([
      ['READY', ''], ['READY', 'ready after failover'], ['ERROR', SILENCE_TEXT.textOf(0, 20_635)], ['READY', ''], ['READY', ''],
      ['ERROR', CROSSED_TEXT.textOf(0, 20_635)], 'gap', 'gap', ['READY', ''], ['ERROR', 'instrument expired'], 'subscribed', ['READY', ''],
    ])).toEqual(['"READY","ready after failover"]', '"READY",""]', '"ERROR","lost"]', '"ERROR","instrument expired"]'])
  })
})
