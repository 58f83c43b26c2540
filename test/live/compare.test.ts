import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { answerTimes, compareOrders, exactDuration, foundQueue } from '../../src/live/compare/live-comparison.js'
import { OrderTracks } from '../../src/live/compare/order-tracks.js'
import { sideTotals } from '../../src/live/compare/side-totals.js'
import { readJournal } from '../../src/results/journal-file-reader.js'
import { openServing } from '../../src/serve/serving-server.js'
import { backtape, type CommandResult } from '../support/command.ts'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { newFolder } from '../support/new-folder.ts'

const S = 1_000_000_000n
const BEGIN = 1_782_864_000n * S

/** Lines of a client's journal. */
class Lines {
  readonly lines: string[] = []
  add(kind: string, ms: number, fields: object): this {
    this.lines.push(JSON.stringify({ account: 'a', client: 'strategy', kind, seq: this.lines.length, side: 'local', ...fields, time: String(BEGIN + BigInt(Math.round(ms * 1e6))) }))
    return this
  }
  place(ms: number, id: string, more: object = {}): this {
    return this.add('place', ms, { entries: [{ ownOrderId: id, instrumentId: 7, side: 'BID', type: 'LIMIT', totalQuantity: '2', price: '10.5', ...more }] })
  }
  answer(ms: number, id: string, error?: object): this {
    return this.add('placeResponse', ms, { results: [{ ownOrderId: id, ...(error === undefined ? { result: {} } : { error }) }] })
  }
  fill(ms: number, id: string, more: object = {}): this {
    return this.add('fill', ms, { fills: [{ ownOrderId: id, ownFillId: `${id}-${String(ms)}`, price: '10.5', quantity: '2', addedLiquidity: true, fees: '0.01', feeUnderlyingId: 1, update: false, exchangeTimestampNs: String(BEGIN + BigInt(Math.round(ms * 1e6)) - 1_000_000n), ...more }] })
  }
  get tracks(): OrderTracks {
    const tracks = new OrderTracks()
    for (const line of this.lines) tracks.line(line)
    return tracks
  }
}

const wordsOf = (live: Lines, backtest: Lines): string[] => compareOrders(live.tracks.orders, backtest.tracks.orders).differing
  .flatMap(({ number, differences }) => differences.map(({ words }) => `${String(number)}: ${words}`))

describe('orders', () => {
  const live = (): Lines => new Lines().place(0, 'x').answer(12.4, 'x').fill(50, 'x')

  test.each([
    ['the same', live(), []],
    ['other ids, as seeds differ', new Lines().place(0, 'y').answer(12.4, 'y').fill(50, 'y'), []],
    ['zeros at the end of a number', new Lines().place(0, 'x').answer(12.4, 'x').fill(50, 'x', { price: '10.50' }), []],
    ['sent later', new Lines().place(0.000001, 'x').answer(12.400001, 'x').fill(50, 'x'), ['1: sent 1 ns later in the backtest']],
    ['answered sooner', new Lines().place(0, 'x').answer(10, 'x').fill(50, 'x'), ['1: answered after 12.4 ms live, 10 ms in the backtest']],
    ['refused', new Lines().place(0, 'x').answer(12.4, 'x', { type: 'RATE_LIMIT', message: 'slow down' }), ['1: live accepted, in the backtest refused: RATE_LIMIT slow down', '1: fill 1: 2 at 10.5 as maker live, none in the backtest']],
    ['without an answer', new Lines().place(0, 'x').fill(50, 'x'), ['1: live accepted, in the backtest without an answer']],
    ['other terms', new Lines().place(0, 'x', { side: 'ASK', price: undefined, type: 'MARKET' }).answer(12.4, 'x').fill(50, 'x'), ['1: the backtest sent MARKET ASK 2 at the market of instrument 7']],
    ['filled at another price, as taker, earlier', new Lines().place(0, 'x').answer(12.4, 'x').fill(40, 'x', { price: '10.4', addedLiquidity: false }), ['1: fill 1: 2 at 10.5 as maker live, 2 at 10.4 as taker in the backtest', '1: fill 1 10 ms earlier in the backtest']],
    ['filled in two', new Lines().place(0, 'x').answer(12.4, 'x').fill(50, 'x', { quantity: '1.5' }).fill(60, 'x', { quantity: '0.5' }), ['1: fill 1: 2 at 10.5 as maker live, 1.5 at 10.5 as maker in the backtest', '1: fill 2: none live, 0.5 at 10.5 as maker in the backtest']],
    ['not sent', new Lines(), ['1: sent live at 2026-07-01T00:00:00.000000000Z, not in the backtest']],
    ['one more', live().place(70, 'z'), ['2: sent in the backtest at 2026-07-01T00:00:00.070000000Z, not live']],
  ])('%s', (_name, backtest, words) => {
    expect(wordsOf(live(), backtest)).toEqual(words)
  })

  test('replacements are orders of their own; late fees change a fill; fills of others are counted', () => {
    const { orders, foreignFillCount } = live().add('replace', 60, { entries: [{ currentOwnOrderId: 'x', newOwnOrderId: 'r', price: '11', totalQuantity: '3' }] })
      .add('replaceResponse', 61, { results: [{ ownOrderId: 'r', result: {} }] }).fill(50, 'x', { update: true, fees: '0.02' }).fill(70, 'other').tracks
    expect(orders.map(({ number, terms, replaces, instrumentId, answer }) => [number, terms, replaces, instrumentId, answer?.refusal])).toEqual([[1, 'LIMIT BID 2 at 10.5', null, 7, null], [2, 'replacement BID 3 at 11', 'x', 7, null]])
    expect([...orders[0]!.fills.values()].map(({ fees }) => fees)).toEqual(['0.02'])
    expect(foreignFillCount).toBe(1)
  })

  test('latencies are those of ranks, queues by the time of the exchange, and totals exact', () => {
    const [a, b] = [new Lines(), new Lines()]
    for (const [at, took] of [1, 3, 5, 7, 90].entries()) {
      a.place(at * 100, `o${String(at)}`).answer(at * 100 + took, `o${String(at)}`)
      b.place(at * 100, `o${String(at)}`).answer(at * 100 + 2, `o${String(at)}`)
      if (at < 4) a.fill(at * 100 + 50, `o${String(at)}`)
      if (at !== 1) b.fill(at * 100 + 50 + [0, 0, -20, 30, 0][at]!, `o${String(at)}`, { fees: '0.1' })
    }
    const [live, backtest] = [a.tracks.orders, b.tracks.orders]
    expect(answerTimes(live)).toEqual({ count: 5, medianNs: 5e6, p90Ns: 90e6 })
    expect(answerTimes([])).toEqual({ count: 0, medianNs: null, p90Ns: null })
    const { pairs } = compareOrders(live, backtest)
    expect(foundQueue(pairs)).toEqual({ sameCount: 1, earlierCount: 1, laterCount: 1, liveOnlyCount: 1, backtestOnlyCount: 1, medianEarlierNs: 20e6, medianLaterNs: 30e6 })
    const terms = { instruments: new Map(), underlyings: new Map([[1, { id: 1, code: 'USDT', name: null, type: null, fxRate: null, fxTime: null }]]) }
    const totals = sideTotals(live, backtest, terms)
    expect([totals.live.fees, totals.backtest.fees]).toEqual([[{ underlying: 'USDT', amount: '0.04' }], [{ underlying: 'USDT', amount: '0.4' }]])
    expect(totals.live.instruments).toEqual([{ instrument: '7', fillCount: 4, makerFillCount: 4, bought: '8', sold: '0', profit: null, valuedAt: '10.5', underlying: null }])
  })

  test.each([[0n, '0 ns'], [999n, '999 ns'], [1_000n, '1 us'], [-12_400_321n, '12.400321 ms'], [61_000_000_001n, '61.000000001 s']])('%s ns', (ns, text) => {
    expect(exactDuration(ns)).toBe(text)
  })
})

const folder = newFolder()
const RUN = 'flow.run.json'
const DATA = 'synthetic_coin_swap-ETHUSD-2026-07-01.txt.zst'

/** A lock-step run of the example over a served minute, its journal as lines and as records. */
beforeAll(async () => {
  const example = join(datasetsFolder, '../examples/flow-taker')
  for (const name of ['days', 'node_modules']) mkdirSync(join(folder, name))
  copyFileSync(join(datasetsFolder, DATA), join(folder, 'days', DATA))
  copyFileSync(join(example, 'flow-taker.ts'), join(folder, 'flow-taker.ts'))
  const content = JSON.parse(readFileSync(join(example, 'flow-taker.run.json'), 'utf8')) as object
  writeFileSync(join(folder, RUN), JSON.stringify({ ...content, $schema: undefined, data: [`days/${DATA}`], to: '00:01' }))
  writeFileSync(join(folder, 'slow.run.json'), JSON.stringify({ extends: RUN, assumptions: { requestLatency: '30ms', responseLatency: '5ms' } }))
  writeFileSync(join(folder, 'two.run.json'), JSON.stringify({ ...content, $schema: undefined, data: [`days/${DATA}`], account: undefined, accounts: { one: { balances: { ETH: '1' }, fees: { maker: '0', taker: '0' } }, two: { balances: { ETH: '1' }, fees: { maker: '0', taker: '0' } } } }))
  const { options: { strategy: _, parameters: _parameters, ...rest } } = await readRunFile(join(folder, RUN))
  const serving = await openServing({ ...rest, httpPort: 0, replay: { speed: 'lockstep' } })
  const played = serving.run()
  const { feeds, keys: [key = ''], http } = serving.addresses
  const { code, err } = await backtape(['live', RUN, '--feed', feeds[0]!.json, '--backend', http, '--journal', 'live.btj'], { cwd: folder, env: { BACKTAPE_FEED_KEY: key, CI: '' } })
  expect([code, err]).toEqual([0, expect.stringContaining('the data have ended')])
  await played
  await serving.close()
  const lines: string[] = []
  for await (const part of readJournal(join(folder, 'live.btj'))) lines.push(...part.lines())
  writeFileSync(join(folder, 'live.jsonl'), lines.map((line) => `${line}\n`).join(''))
}, 120_000)

const compare = (...args: string[]): Promise<CommandResult> => backtape(['live', 'compare', ...args], { cwd: folder })

describe('backtape live compare', () => {
  test.each(['live.btj', 'live.jsonl'])('a lock-step run beside its own source: no order differs (%s)', { timeout: 60_000 }, async (journal) => {
    const { code, out, err } = await compare(journal, RUN, '--data', 'days')
    expect([code, err]).toEqual([0, expect.not.stringContaining('Cannot')])
    expect(out).toContain('No order differs.')
    expect(out).toMatch(/first fills in the backtest: [1-9]\d* at the same time, 0 earlier, 0 later; filled live alone 0/)
  })

  test('the record of the run knows its run file and its span', { timeout: 60_000 }, async () => {
    const { code, out } = await compare('live.btj', '--data', 'days')
    expect([code, out]).toEqual([0, expect.stringMatching(/^2026-07-01T00:00:00.000000000Z to 2026-07-01T00:01:00.000000000Z, /)])
    const { err } = await backtape(['live', 'compare', join(folder, 'live.btj'), '--data', join(folder, 'days')], { cwd: newFolder() })
    expect(err).toMatch(/no run that is remembered here left it; name its run file/)
  })

  test('the code of the strategy must be that of the run', { timeout: 60_000 }, async () => {
    const path = join(folder, 'flow-taker.ts')
    const code = readFileSync(path, 'utf8')
    writeFileSync(path, code.replace('BID', 'ASK'))
    const { err } = await compare('live.btj', RUN)
    writeFileSync(path, code)
    expect(err).toMatch(/the strategy must be the code that ran, found another: that of run \S+ is kept in its record/)
  })

  test('other latencies are found, in words and as JSON', { timeout: 60_000 }, async () => {
    const { code, out } = await compare('live.btj', 'slow.run.json')
    expect(code).toBe(1)
    expect(out).toMatch(/answered after 10 ms live, 35 ms in the backtest/)
    expect(out).toMatch(/latency {3}live median 10 ms, 90 % within 10 ms, of \d+ answers; backtest median 35 ms/)
    const json = JSON.parse((await compare('live.btj', 'slow.run.json', '--json')).out) as { isEqual: boolean, orders: object[], latency: object, totals: { live: { instruments: { profit: string | null }[] } } }
    expect([json.isEqual, json.orders.length > 0, json.latency]).toMatchObject([false, true, { backtest: { medianNs: 35e6 } }])
    expect(json.totals.live.instruments[0]!.profit).toMatch(/^-?0\.\d+$/)
  })

  test.each([
    ['no journal is named', [], /Cannot compare: name the journal of a live run/],
    ['there is none', ['absent.jsonl', RUN], /there is no such file/],
    ['there is none of records', ['absent.btj', RUN], /there is no such file/],
    ['it is none', ['flow-taker.ts', RUN], /line 1 is no line of a journal/],
    ['it is empty', ['empty.jsonl', RUN], /it has no lines/],
    ['it is cut', ['cut.jsonl', RUN], /is no line of a journal, or is cut off/],
    ['it is cut, of records', ['cut.btj', RUN], /it is cut off or damaged/],
    ['its begin is missing', ['later.jsonl', RUN], /lines are missing before line 1/],
    ['it is of a backtest', ['backtest.jsonl', RUN], /it is the journal of a backtest/],
    ['several accounts, of which none is its own', ['live.btj', 'two.run.json'], /balances and fees of account account in accounts, found one, two/],
    ['the data are of another instrument', ['live.btj', RUN, '--data', join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')], /ETHUSD/],
    ['the data end before it', ['late.jsonl', RUN], /the data of synthetic_coin_swap:ETHUSD must cover 2026-07-01T00:00:00.000000000Z to 2026-07-01T00:1\d:.*, found /],
  ])('refuses: %s', { timeout: 60_000 }, async (_name, args, message) => {
    const lines = readFileSync(join(folder, 'live.jsonl'), 'utf8')
    writeFileSync(join(folder, 'empty.jsonl'), '')
    writeFileSync(join(folder, 'cut.jsonl'), lines.slice(0, lines.lastIndexOf('"kind"')))
    writeFileSync(join(folder, 'later.jsonl'), lines.slice(lines.indexOf('\n') + 1))
    writeFileSync(join(folder, 'backtest.jsonl'), lines.replaceAll('"side":"local"', '"side":"exchange"'))
    const [, last = ''] = /"time":"(\d+)"/.exec(lines.trim().split('\n').at(-1)!) ?? []
    writeFileSync(join(folder, 'late.jsonl'), lines.replaceAll(`"time":"${last}"`, `"time":"${String(BigInt(last) + 600n * S)}"`))
    copyFileSync(join(folder, 'live.btj'), join(folder, 'cut.btj'))
    truncateSync(join(folder, 'cut.btj'), 900)
    const { code, out, err } = await compare(...args)
    expect([code, out]).toEqual([expect.toBeOneOf([1, 2]), ''])
    expect(err).toMatch(message)
  })
})
