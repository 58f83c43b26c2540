import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { runRunFile } from '../../src/backtest/run-file.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { marketFile } from '../support/made-market-file.ts'
import { RunFolder, runContent, strategyModule, XRP_DAY } from '../support/run-folder.ts'

const folder = new RunFolder()
const path = folder.write('subject.run.json', '{}')
afterAll(() => folder.remove())

/** What a run file is refused or ended with; `RUN` stands for its path. */
async function endOf(body: string, more: object = {}): Promise<string> {
  folder.write('subject.ts', strategyModule(body))
  folder.write('subject.run.json', runContent(more))
  const error = await readRunFile(path).then((run) => runRunFile(run)).then(() => new Error('it ran'), (thrown: unknown) => thrown as Error)
  return error.message.replaceAll(path, 'RUN').replaceAll(folder.path, 'FOLDER')
}

const SPLIT = { lastPrice: '1', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: false }
const WITHIN = 'within the run (from 2026-07-01T23:55:30.000000000Z to before 2026-07-01T23:55:40.000000000Z)'
const TIMES = '12:00, 12:00:00.5, an ISO-8601 time such as 2024-08-08T12:00:00Z, or epoch nanoseconds'
const FOREIGN: readonly (readonly [kind: string, field: string, value: unknown, own: string])[] = [
  ...([['error', 'X'], ['source', 'EXCHANGE'], ['requests', ['place']], ['delay', '1s']] as const).map(([field, value]) => ['status', field, value, 'status, message'] as const),
  ...([['status', 'BANNED'], ['message', 'x'], ['delay', '1s']] as const).map(([field, value]) => ['requests', field, value, 'error, source, requests'] as const),
  ...([['status', 'BANNED'], ['message', 'x'], ['source', 'EXCHANGE'], ['requests', ['place']], ['delay', '1s']] as const).map(([field, value]) => ['replaces', field, value, 'error'] as const),
  ...([['status', 'BANNED'], ['message', 'x'], ['error', 'X'], ['source', 'EXCHANGE'], ['requests', ['place']]] as const).map(([field, value]) => ['fills', field, value, 'delay'] as const),
]

const TRADED = 'synthetic_swap:XRPUSDT (9100001)'
folder.write('backwards.csv', 'request_ts,exchange_ts,response_ts\n5,4,3\n')
folder.write('broken.profile.json', { name: 'broken', kind: 'spot', capabilities: {}, limits: { priceBand: '2' } })
/** Of every section, those that show without data first. */
const EVERYTHING = `21 faults:
  faults[0].status: expected absent, as a fault of kind fills has delay, found "BANNED"
  faults[0].for: expected a duration from 1ns to 30d, found "0s"
  faults[1]: expected at (once) or every (again and again), found {"kind":"status","for":"1s"}
  rates["USDT/USD"]: expected a decimal above 0 in quotes, found "0"
  entryStates.delayedAfter: expected a duration from 1ns to 30d, found "0s"
  entryStates.stopDelayedAfter: expected a duration from 1ns to 30d, found "0s"
  faults[0].account: expected one of a, c, found "z"
  corporateActions[0].dividend.lowPrice: expected at most highPrice (1), found "2"
  accounts.a.profile.limits.priceBand: expected a fraction of the mark, "0.1" for ten percent either way, at most "1", found "2"; see ./broken.profile.json
  to: expected a time after 2026-07-01T23:55:30.000000000Z and at most 2026-07-02T00:00:00.000000000Z, found 2026-07-01T23:50:00.000000000Z
  accounts.a.exchange: expected an exchange of the run's instruments (synthetic_swap), found "b"
  accounts.a.balances.BTC: expected an underlying of the run's instruments (XRP, USDT), found "BTC"
  accounts.c.balances.EUR: expected an underlying of the run's instruments (XRP, USDT), found "EUR"
  rates["X/USD"]: expected CODE/USD with a code of XRP, USDT, found "X/USD"
  outcomes.X: expected one instrument of the run, as exchange:code, code or id, found "X"
  corporateActions[0].at: expected within the run (from 2026-07-01T23:55:30.000000000Z to before 2026-07-02T00:00:00.000000000Z), found "12:00"
  corporateActions[0].instrument: expected an instrument of this run (${TRADED}), found "Y"
  corporateActions[0].dividend.underlying: expected one of XRP, USDT, found "Z"
  parameters[0].instrument: expected an instrument of this run (${TRADED}), found "W"
  parameters[1].instrument: expected an instrument, or { "instrument": ..., "account": ... }, found nothing
  parameters[1].size: expected one of instrument, found the unknown parameter "size"`

describe('what a run file means is judged when its data are open', () => {
  test.each<[name: string, more: object, sentence: string]>([
    ['an unknown instrument', { parameters: { instrument: 'BTCUSDT' } }, `Cannot run RUN: parameters.instrument: expected an instrument of this run (${TRADED}), found "BTCUSDT"`],
    ['an unknown exchange', { parameters: { instrument: 'binance_swap:XRPUSDT' } }, `Cannot run RUN: parameters.instrument: expected an instrument of this run (${TRADED}), found "binance_swap:XRPUSDT"`],
    ['a missing parameter', { parameters: {} }, 'Cannot run RUN: parameters.instrument: expected an instrument, or { "instrument": ..., "account": ... }, found nothing'],
    ['an unknown parameter', { parameters: { instrument: 'XRPUSDT', size: '1' } }, 'Cannot run RUN: parameters.size: expected one of instrument, found the unknown parameter "size"'],
    ['two faults', { parameters: { instrument: 5, size: '1' } }, `Cannot run RUN: 2 faults:\n  parameters.instrument: expected an instrument of this run (${TRADED}), found 5\n  parameters.size: expected one of instrument, found the unknown parameter "size"`],
    ['an unknown underlying', { account: { balances: { BTC: '1' } } }, 'Cannot run RUN: account.balances.BTC: expected an underlying of the run\'s instruments (XRP, USDT), found "BTC"'],
    ['a fee of the whole value', { account: { fees: { maker: '0.1', taker: '7' } } }, 'Cannot read the run file RUN: account.fees.taker: expected a part of the value, above -1 and below 1, found "7"'],
    ['a rebate of the whole value', { account: { fees: { maker: { buy: '0', sell: '-1' }, taker: '0' } } }, 'Cannot read the run file RUN: account.fees.maker.sell: expected a part of the value, above -1 and below 1, found "-1"'],
    ['a fee of 7 a fill', { account: { fees: { maker: '7', taker: '7', by: 'fill' } } }, 'it ran'],
    ['an exchange without instruments', { account: { exchange: 'binance' } }, 'Cannot run RUN: account.exchange: expected an exchange of the run\'s instruments (synthetic_swap), found "binance"'],
    ['data of the wrong day, from', { from: '2026-07-02T00:00:00Z', to: undefined }, 'Cannot run RUN: from: expected a time of the data (from 2026-07-01T00:00:00.000000000Z to before 2026-07-02T00:00:00.000000000Z), found 2026-07-02T00:00:00.000000000Z'],
    ['data of the wrong day, to', { from: undefined, to: '2026-07-03' }, 'Cannot run RUN: to: expected a time after 2026-07-01T00:00:00.000000000Z and at most 2026-07-02T00:00:00.000000000Z, found 2026-07-04T00:00:00.000000000Z'],
    ['a time that is none', { from: 'noon' }, 'Cannot read the run file RUN: from: expected 12:00, 12:00:00.5, an ISO-8601 time such as 2024-08-08T12:00:00Z, or epoch nanoseconds, found "noon"'],
    ['a day that the files\' names contradict', { day: '2026-07-02', from: undefined, to: undefined }, 'Cannot take synthetic_swap-XRPUSDT-2026-07-01.txt.zst for a file of 2026-07-02: its name says 2026-07-01; day is for files whose names do not say theirs'],
    ['a fault with a status that is none', { faults: [{ kind: 'status', at: '23:55:35', for: '1s', status: 'OK' }] }, 'Cannot read the run file RUN: faults[0].status: expected one of DISCONNECTED, EXCHANGE_BUSY, BLOCKED, BANNED, UNASSIGNED, MANUAL_SHUTDOWN, EMERGENCY_SHUTDOWN, found "OK"'],
    ['a corporate action of an unknown instrument', { corporateActions: [{ at: '23:55:35', instrument: 'BTCUSDT', split: SPLIT }] }, `Cannot run RUN: corporateActions[0].instrument: expected an instrument of this run (${TRADED}), found "BTCUSDT"`],
    ...['XRPUSDT', 'synthetic_swap:XRPUSDT', '9100001'].map((instrument): [string, object, string] => [`a corporate action that names ${instrument} runs`, { corporateActions: [{ at: '23:55:35', instrument, split: SPLIT }] }, 'it ran']),
    ['a fault before the run', { faults: [{ kind: 'status', at: '23:55:29', for: '1s' }] }, `Cannot run RUN: faults[0].at: expected ${WITHIN}, found "23:55:29"`],
    ['a fault that reaches into the run', { faults: [{ kind: 'status', at: '23:55:29', for: '1001ms' }] }, 'it ran'],
    ['a fault after the run', { faults: [{ kind: 'fills', at: '23:55:40', for: '1s' }] }, `Cannot run RUN: faults[0].at: expected ${WITHIN}, found "23:55:40"`],
    ['a fault at no time', { faults: [{ kind: 'fills', at: 'noon', for: '1s' }] }, `Cannot read the run file RUN: faults[0].at: expected ${TIMES}, found "noon"`],
    ['a corporate action before the run', { corporateActions: [{ at: '12:00', instrument: 'XRPUSDT', split: SPLIT }] }, `Cannot run RUN: corporateActions[0].at: expected ${WITHIN}, found "12:00"`],
    ['a corporate action after the run', { corporateActions: [{ at: '2026-07-02T00:00:00Z', instrument: 'XRPUSDT', split: SPLIT }] }, `Cannot run RUN: corporateActions[0].at: expected ${WITHIN}, found "2026-07-02T00:00:00Z"`],
    ...FOREIGN.map(([kind, field, value, own]): [string, object, string] => [`${field} of a fault of kind ${kind}`, { faults: [{ kind, every: '5s', for: '1s', [field]: value }] },
      `Cannot read the run file RUN: faults[0].${field}: expected absent, as a fault of kind ${kind} has ${own}, found ${JSON.stringify(value)}`]),
    ['a recorded latency whose answer comes first', { assumptions: { requestLatency: 'recorded backwards.csv' } },
      'Cannot read the latency recording FOLDER/backwards.csv: line 2 must be request_ts <= exchange_ts <= response_ts, found "5,4,3"'],
    ['a recorded latency that is not there', { assumptions: { requestLatency: 'recorded away/none.csv' } }, 'Cannot read the latency recording FOLDER/away/none.csv: it does not exist'],
  ])('%s', async (_name, more, sentence) => {
    expect(await endOf('', more)).toBe(sentence)
  })
})

test('faults of every section at once; a run file has those that show without data', async () => {
  const options = {
    to: '23:50', accounts: { a: { exchange: 'b', balances: { BTC: '1', USDT: '1' }, profile: './broken.profile.json' }, c: { balances: { EUR: '1' } } }, rates: { 'X/USD': '1', 'USDT/USD': '0' }, outcomes: { X: '1' },
    faults: [{ kind: 'fills', at: '23:55:35', for: '0s', account: 'z', status: 'BANNED' }, { kind: 'status', for: '1s' }], entryStates: { delayedAfter: '0s', stopDelayedAfter: '0s' },
    corporateActions: [{ at: '12:00', instrument: 'Y', dividend: { underlying: 'Z', highPrice: '1', lowPrice: '2' } }], parameters: [{ instrument: 'W' }, { size: '1' }],
  }
  const faults = EVERYTHING.replaceAll('./broken', `${folder.path}/broken`).split('\n')
  const { accounts } = options
  const absolute = { ...accounts, a: { ...accounts.a, profile: join(folder.path, accounts.a.profile) } }
  folder.write('subject.ts', strategyModule(''))
  folder.write('subject.run.json', runContent({}))
  const { options: sound } = await readRunFile(path)
  await expect(runBacktest({ ...sound, account: undefined, ...options, accounts: absolute } as never)).rejects.toMatchObject({ code: 'OPTION_INVALID', message: `Cannot run: ${faults.join('\n')}` })
  expect(await endOf('', { ...options, account: undefined })).toBe(`Cannot read the run file RUN: ${EVERYTHING.replace('21', '9').replaceAll('./broken', 'FOLDER/broken').split('\n').slice(0, 10).join('\n')}`)
})

describe('what is refused of a call is told at once, what needs the data and what does not', () => {
  class Idle extends Strategy {}
  const options = { strategy: Idle, data: [marketFile([{ kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5], [1, 102, 5]] }])], day: '2026-07-01', account: { fees: { maker: '0', taker: '0' } } }
  const messageOf = (more: object): Promise<string> => runBacktest({ ...options, ...more }).then(() => 'it ran', (error: unknown) => (error as Error).message)
  const wrong = { seed: -1, shuffleSeed: 0.5, assumptions: { fills: 'all' }, cacheLimitBytes: 0, to: '2026-07-03', account: { exchange: 'b' } }
  const SEED = 'seed: expected a whole number from 0 to 9007199254740991, found -1'

  test('in one error, in the order of asking', async () => {
    expect((await messageOf(wrong)).split('\n').map((line) => line.replace(/: expected.*/, ''))).toEqual([
      'Cannot run: 6 faults:', '  assumptions.fills', '  seed', '  shuffleSeed', '  cacheLimitBytes', '  to', '  account.exchange',
    ])
    expect(await messageOf({ parameters: [], seed: -1 })).toBe(`Cannot run: 2 faults:\n  parameters: expected an object of parameters, or a list of at least one such object, found []\n  ${SEED}`)
  })

  test('an option that there is not, and words that mean nothing', async () => {
    expect((await messageOf({ parameter: {}, trim: 'hour', tables: 'disk', day: '1', seed: -1 })).split('\n')).toEqual([
      'Cannot run: 5 faults:', expect.stringMatching(/^ {2}parameter: expected one of strategy, strategies, data, .*, resume, otherEngine, found the unknown field "parameter"$/), `  ${SEED}`, '  trim: expected day or none, found "hour"',
      '  day: expected a day as YYYY-MM-DD, found "1"', '  tables: expected memory or none, found "disk"',
    ])
  })

  test('files that cannot be trimmed, or played whole, say why', async () => {
    const unnamed = [XRP_DAY, XRP_DAY.replace('-01.txt', '-02.txt')].map((day, number) => {
      copyFileSync(day, join(folder.path, `day${number}.txt.zst`))
      return join(folder.path, `day${number}.txt.zst`)
    })
    const whole = `Cannot play ${unnamed[0]} and ${unnamed[1]} whole`
    expect(await messageOf({ data: unnamed, day: undefined })).toBe(`${whole}, as nothing says the day of ${unnamed[0]}: trim none takes one file an instrument`)
    expect(await messageOf({ data: unnamed, day: undefined, trim: 'none' })).toBe(`${whole}: trim none takes one file an instrument`)
    expect(await messageOf({ data: unnamed.slice(0, 1), day: undefined, trim: 'day' })).toBe(
      `Cannot trim ${unnamed[0]} to its day: neither its name nor an option says which; name it with --day YYYY-MM-DD, or the day of a run`)
  })

  test('a file of another day than its name says', async () => {
    const wrongDay = join(folder.path, 'x-TEST-2026-07-05.txt.zst')
    copyFileSync(XRP_DAY, wrongDay)
    const sentence = new RegExp(`^Cannot read ${wrongDay}: it has an event of 2026-07-01T.*Z, and its name or an option says 2026-07-05; correct the day there$`)
    expect(await messageOf({ data: [wrongDay], day: undefined })).toMatch(sentence)
  })

  test('a span that no run can have', async () => {
    const days = ['2026-07-01', '2026-10-09'].map((day) => {
      copyFileSync(XRP_DAY, join(folder.path, `x-TEST-${day}.txt.zst`))
      return join(folder.path, `x-TEST-${day}.txt.zst`)
    })
    expect(await messageOf({ data: days, day: undefined })).toBe('Cannot run from 2026-07-01 to 2026-10-09: a run spans at most 100 days; split it into runs of their own')
  })

  test('each faulty set of a list is told, by its place in it', async () => {
    const fine = { instrument: 'XRPUSDT' }
    const message = await endOf('', { parameters: [fine, { instrument: 'W' }, fine, { ...fine, size: 1 }] })
    expect(message).toBe(`Cannot run RUN: 2 faults:
  parameters[1].instrument: expected an instrument of this run (${TRADED}), found "W"
  parameters[3].size: expected one of instrument, found the unknown parameter "size"`)
  })

  test('data that cannot be opened leave what is refused beside them', async () => {
    expect(await messageOf({ data: ['none.txt.zst'], seed: -1 })).toBe(`Cannot run: ${SEED}`)
    expect(await messageOf({ data: ['none.txt.zst'] })).toMatch(/none\.txt\.zst/)
    expect(await messageOf({})).toBe('it ran')
  })
})

describe('accounts of a call, which has no schema', () => {
  class Idle extends Strategy {}
  const data = [marketFile([{ kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5], [1, 102, 5]] }])]
  const RATE = 'a decimal in quotes such as "0.0002", or { "buy": ..., "sell": ... }'
  const PART = 'a part of the value, above -1 and below 1'
  const MINIMUM = 'a decimal in quotes, not below 0'

  test.each<[account: unknown, refusals: readonly string[]]>([
    [{ fees: { maker: '7', taker: 0.1, minimum: '-1' } }, [`fees.maker: expected ${PART}, found "7"`, `fees.taker: expected ${RATE}, found 0.1`, `fees.minimum: expected ${MINIMUM}, found "-1"`]],
    [{ fees: { maker: { buy: '0', sell: '-3', both: '1' }, taker: { buy: '1', sell: 3 }, minimum: 4 } }, [
      `fees.maker.sell: expected ${PART}, found "-3"`, `fees.taker.buy: expected ${PART}, found "1"`,
      `fees.maker: expected ${RATE}, found {"buy":"0","sell":"-3","both":"1"}`, `fees.taker: expected ${RATE}, found {"buy":"1","sell":3}`, `fees.minimum: expected ${MINIMUM}, found 4`,
    ]],
    [{ fees: { maker: '7', taker: '7', by: 'volume', perSide: '1' } }, ['fees.perSide: expected one of maker, taker, by, minimum, maximumOfValue, found the unknown field "perSide"', 'fees.by: expected value, quantity or fill, found "volume"']],
    [{ fees: { maker: null, taker: 'abc', by: 'fill', minimum: 'x' } }, [`fees.maker: expected ${RATE}, found null`, `fees.taker: expected ${RATE}, found "abc"`, `fees.minimum: expected ${MINIMUM}, found "x"`]],
    ...['0', '-0.1', 'x', 0.1, { buy: '0.1', sell: '0.1' }].map((maximumOfValue): [unknown, string[]] => [
      { fees: { maker: '0', taker: '0', maximumOfValue } }, [`fees.maximumOfValue: expected a decimal above 0 in quotes, found ${JSON.stringify(maximumOfValue)}`],
    ]),
    [{ fees: { maker: '0', taker: '0', maximumOfValue: '12.5' } }, [`fees.maximumOfValue: expected ${PART}, found "12.5"`]],
    [{ fees: {} }, [`fees.maker: expected ${RATE}, found nothing`, `fees.taker: expected ${RATE}, found nothing`]],
    ...[null, 'none', ['0', '0']].map((fees): [unknown, string[]] => [{ fees }, [`fees: expected an object with maker and taker, found ${JSON.stringify(fees)}`]]),
    [{ fee: {}, balances: ['5'] }, ['fee: expected one of profile, exchange, balances, fees, currency, stopAtZero, requestLatency, responseLatency, found the unknown field "fee"', 'balances: expected an object of decimals in quotes by underlying, found ["5"]']],
    [5, [': expected an object with balances, fees, exchange and profile, found 5']],
  ])('%j is refused with all of its faults', async (account, refusals) => {
    const words = refusals.map((refusal) => `accounts.a${refusal.startsWith(':') ? '' : '.'}${refusal}`)
    const message = words.length === 1 ? `Cannot run: ${words[0]!}` : `Cannot run: ${words.length} faults:\n  ${words.join('\n  ')}`
    await expect(runBacktest({ strategy: Idle, data, day: '2026-07-01', accounts: { a: account } as never })).rejects.toMatchObject({ code: 'OPTION_INVALID', message })
  })

  test.each([{ maker: { buy: '-0.5', sell: '1e-5' }, taker: '-0', minimum: '0' }, { maker: '7', taker: { buy: '7', sell: '-7' }, by: 'quantity' as const, minimum: '1.5', maximumOfValue: '0.125' }])('fees of %j are none', async (fees) => {
    expect(await runBacktest({ strategy: Idle, data, day: '2026-07-01', account: { fees } })).toMatchObject({ isPartial: false })
  })

  test.each([5, null, [], {}])('accounts that are %j', async (accounts) => {
    await expect(runBacktest({ strategy: Idle, data, day: '2026-07-01', accounts: accounts as never, seed: -1 })).rejects.toThrow(
      `accounts: expected an object of accounts by name, found ${JSON.stringify(accounts)}`)
  })
})

describe('what a plan has and a run does not come to', () => {
  async function notesOf(more: object): Promise<readonly string[] | undefined> {
    folder.write('subject.ts', strategyModule(''))
    folder.write('subject.run.json', runContent(more))
    return (await runRunFile(await readRunFile(path)))[0]?.summary.planNotes
  }

  test('beyond files that are played whole, whose end nobody knows', async () => {
    const late = '2026-07-03T00:00:00Z'
    const whole = { trim: 'none', to: undefined, faults: [{ kind: 'fills', at: '23:55:35', for: '1s' }, { kind: 'fills', at: late, for: '1s' }], corporateActions: [{ at: late, instrument: 'XRPUSDT', split: SPLIT }] }
    expect(await notesOf(whole)).toEqual(['faults[1] did not happen: the run ended before its time', 'corporateActions[0] did not happen: the run ended before its time'])
  })

  test('a fault that is drawn into the rest of its interval', async () => {
    expect(await notesOf({ faults: [{ kind: 'fills', every: '20h', for: '1s' }] })).toEqual(['faults[0] did not happen: the run ended before its time'])
    expect(await notesOf({ faults: [{ kind: 'fills', every: '2s', for: '1s' }] })).toBeUndefined()
  })
})

describe('a strategy that fails ends the run with its place in market time', () => {
  const THROWS = '  override onStart(): void { this.after(1500, () => this.fall()) }\n  fall(): void {\n    throw new RangeError("too deep")\n  }'

  test('one that throws, with its stack in its own source', async () => {
    const [first, second, third] = (await endOf(THROWS)).split('\n')
    expect(first).toBe('Cannot go on with Subject at 2026-07-01T23:55:31.500000000Z: the timer made at FOLDER/subject.ts:6:35 threw RangeError: too deep')
    expect(second).toBe('RangeError: too deep')
    expect(third).toMatch(/^ {4}at _?Subject\.fall \(FOLDER\/subject\.ts:8:11\)$/)
  })

  test('one that throws in a timer of many, by the place of one like it or its own', async () => {
    const many = '  override onStart(): void {\n    this.next(40)\n    this.after(1600, () => this.fall()) }\n  next(left: number): void { if (left === FALLS) this.fall(); this.after(10, () => this.next(left - 1)) }\n  fall(): void { throw new RangeError("too deep") }'
    expect((await endOf(many.replace('FALLS', '0'))).split('\n')[0]).toMatch(/: a timer like the one made at FOLDER\/subject\.ts:9:\d+ threw RangeError: too deep$/)
    expect((await endOf(many.replace('FALLS', '35'))).split('\n')[0]).toMatch(/: the timer made at FOLDER\/subject\.ts:9:\d+ threw RangeError: too deep$/)
    expect((await endOf(many.replace('FALLS', '-999'))).split('\n')[0]).toMatch(/: the timer made at FOLDER\/subject\.ts:8:\d+ threw RangeError: too deep$/)
  })

  test('one that throws in its constructor', async () => {
    const words = await endOf('  broken = (() => { throw new Error("no luck") })()')
    expect(words.split('\n').slice(0, 2)).toEqual([expect.stringMatching(/^Cannot make Subject at 2026-07-01T23:\d\d:\d\d\.\d{9}Z: its constructor threw$/), 'Error: no luck'])
  })

  test('one that returns a promise', async () => {
    expect(await endOf('  override async onStart(): Promise<void> { await Promise.resolve() }')).toBe(
      'Cannot go on with Subject at 2026-07-01T23:55:30.000000000Z: onStart returned a promise: callbacks run in market time and must return at once; do what has to wait before the run, or use timers (every, after)')
  })

  test('one that never stops placing, or cancelling, in one callback', async () => {
    const END = 'onStart threw BacktapeError: Cannot ask for more than 10000 things in one callback: does it loop without end?'
    const order = "this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('10'), price: Price.from('0.5') })"
    for (const body of [`for (;;) ${order}`, `const order = ${order}; for (;;) order.cancel()`]) {
      expect((await endOf(`  override onStart(): void { ${body} }`)).split('\n')[0]).toBe(`Cannot go on with Subject at 2026-07-01T23:55:30.000000000Z: ${END}`)
    }
  }, 180_000)

  test('one that answers itself without end at one instant', async () => {
    const LOOP = `  override onStart(): void { this.after(1000, () => this.again()) }
  again(): void { this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('10'), price: Price.from('0.5'), timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false }) }
  override onOrderUpdate(order: Order): void { if (!order.isOpen) this.again() }`
    const words = await endOf(LOOP, { assumptions: { requestLatency: '0ns', responseLatency: '0ns' } })
    expect(words).toMatch(/^Cannot go on with Subject at 2026-07-01T23:55:31\.000000000Z: more than 100000 things happened at this one instant; does the strategy answer itself without end\?$/)
  }, 180_000)
})

describe('values of another kind in a call of runBacktest, which no compiler has seen', () => {
  const options = { strategy: Strategy as never, data: [marketFile([{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] }])], day: '2026-07-01' }
  const take = (): void => undefined
  const TIME = 'a time: 12:00, 12:00:00.5, ISO-8601 or digits of epoch nanoseconds, or epoch nanoseconds as bigint'

  test.each<readonly [field: string, value: unknown, expected: string, found: string]>([
    ['day', 5, 'a day as YYYY-MM-DD', '5'], ['from', 5, TIME, '5'], ['to', null, TIME, 'null'], ['cache', 5, 'the path of a folder', '5'],
    ['journal', 'x', 'a function that returns the sink of a world', '"x"'], ['onProgress', 5, 'a function', '5'], ['signal', {}, 'an AbortSignal', '{}'], ['signal', null, 'an AbortSignal', 'null'],
    ['checkpoints', 5, 'an object with a function take', '5'], ['checkpoints.take', { every: '1h' }, 'a function', 'nothing'], ['resume', null, 'a checkpoint', 'null'], ['resume', 'x', 'a checkpoint', '"x"'],
  ])('%s: %j', async (field, value, expected, found) => {
    await expect(runBacktest({ ...options, [field.split('.')[0]!]: value })).rejects.toThrow(`Cannot run: ${field}: expected ${expected}, found ${found}`)
  })

  test.each<readonly [value: unknown, found: string]>([[0, '0'], [-1, '-1'], [NaN, 'NaN'], [Infinity, 'Infinity'], [1.5, '1.5'], ['7', '"7"'], [null, 'null'], [2 ** 53, '9007199254740992']])('checkpoints every %s steps', async (everySteps, found) => {
    await expect(runBacktest({ ...options, checkpoints: { everySteps: everySteps as number, take } })).rejects.toThrow(`Cannot run: checkpoints.everySteps: expected a whole number from 1, found ${found}`)
  })

  test('checkpoints every 5, and all of them at once', async () => {
    await expect(runBacktest({ ...options, checkpoints: { every: 5 as never, take } })).rejects.toThrow('Cannot run: checkpoints.every: expected a duration such as 10ms, 30s or 1h, found 5')
    await expect(runBacktest({ ...options, from: 5 as never, journal: 'x' as never, tables: 'all' as never })).rejects.toThrow(/^Cannot run: 3 faults:\n {2}from: .*\n {2}journal: .*\n {2}tables: /)
  })
})

test('a balance below 0 in a call of runBacktest', async () => {
  class Idle extends Strategy {}
  const data = [marketFile([{ kind: 'snapshot', timeNs: 0, rows: [[0, 100, 5], [1, 102, 5]] }])]
  const open = (CASH: string) => runBacktest({ strategy: Idle, data, day: '2026-07-01', account: { balances: { CASH } } })
  await expect(open('-5')).rejects.toThrow('Cannot run: account.balances.CASH: expected a decimal in quotes, not below 0, found "-5"')
  expect((await open('5')).isPartial).toBe(false)
})
