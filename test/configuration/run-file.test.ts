import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assumptionNames, assumptionsFromOptions } from '../../src/configuration/assumptions.js'
import { entryStateRules } from '../../src/configuration/run-options.js'
import { passedOver } from '../../src/configuration/exact-json-reader.js'
import { plannedFaults } from '../../src/configuration/fault-options.js'
import { checkOptions, checkRunFile } from '../../src/configuration/run-check.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { plainDecimal } from '../../src/model/decimal.js'
import { type SchemaPart, readSchema } from '../../src/configuration/schema-reader.js'
import { BacktapeError } from '../../src/model/error.js'
import type { Fault } from '../../src/model/fault.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { packageFolder, RunFolder, runContent, strategyModule, XRP_DAY } from '../support/run-folder.ts'
import { timeLimitMs } from '../support/time-limit.ts'

const folder = new RunFolder()
beforeAll(() => {
  folder.write('subject.ts', strategyModule(''))
})
afterAll(() => folder.remove())

async function refusalOf(content: string | object): Promise<string> {
  const path = folder.write('subject.run.json', content)
  const prefix = `Cannot read the run file ${path}: `
  return readRunFile(path).then(() => 'accepted', (error: unknown) => {
    if (!(error instanceof BacktapeError)) throw error
    expect(error.place.file ?? path).toBe(path)
    return error.message.replace(prefix, '')
  })
}

const DURATION = 'a duration such as 10ms, or "uniform 5ms 15ms", "exponential 2ms 8ms", "lognormal 10ms 0.5", "1.5 x feed + 1ms" or "recorded FILE.csv"'
const RATE = 'a decimal in quotes such as "0.0002", or { "buy": ..., "sell": ... }'
const TIMES = '12:00, 12:00:00.5, an ISO-8601 time such as 2024-08-08T12:00:00Z, or epoch nanoseconds'
const SEED = 'a whole number from 0 to 9007199254740991'
const PARAMETERS = 'an object of parameters, or a list of at least one such object'
const STRATEGY = 'a module and a class such as ./maker.ts#Maker'
const account = (more: object): object => ({ account: { balances: { USDT: '1' }, ...more } })
const assume = (more: object): object => ({ assumptions: more })

describe('one fault', () => {
  test.each<[more: object, refusal: string]>([
    [{ strategy: undefined }, `strategy: expected ${STRATEGY}, found nothing`],
    [{ strategy: 'subject.ts' }, `strategy: expected ${STRATEGY}, found "subject.ts"`],
    [{ strategy: 5 }, `strategy: expected ${STRATEGY}, found 5`],
    [{ data: undefined }, 'data: expected a list of at least one tick file, found nothing'],
    [{ data: XRP_DAY.slice(-20) }, `data: expected a list of at least one tick file, found "${XRP_DAY.slice(-20)}"`],
    [{ data: [] }, 'data: expected a list of at least one tick file, found []'],
    [{ data: [7] }, 'data[0]: expected the path of a tick file, a bundle, bundle.tar#MEMBER, a folder or a pattern, or days of an instrument, found 7'],
    [{ data: [{ instrument: 'XRPUSDT' }] }, 'data[0].in: expected the path of a folder, a pattern, a tick file or a bundle, found nothing'],
    [{ data: [{ instrument: 'XRPUSDT', in: '.', from: '12:00' }] }, 'data[0].from: expected a day such as 2024-07-18, found "12:00"'],
    [{ data: [{ instrument: 'XRPUSDT', in: '.', until: '2026-07-01' }] }, 'data[0].until: expected one of instrument, from, to, in, found the unknown field "until"'],
    [{ data: ['away.txt.zst'] }, `data[0]: expected a file that exists, found "away.txt.zst", which is no file in ${folder.path}`],
    [{ parameters: 'XRPUSDT' }, `parameters: expected ${PARAMETERS}, found "XRPUSDT"`],
    [{ parameters: [] }, `parameters: expected ${PARAMETERS}, found []`],
    [{ parameters: [1] }, `parameters: expected ${PARAMETERS}, found [1]`],
    [{ parameter: {} }, 'parameter: expected one of $schema, extends, strategy, strategies, data, prefer, parameters, account, accounts, assumptions, faults, corporateActions, rates, outcomes, signals, live, entryStates, equity, seed, shuffleSeed, trim, masterChanges, day, from, to, found the unknown field "parameter"'],
    [account({ balances: { USDT: 5 } }), 'account.balances.USDT: expected a decimal in quotes, not below 0, found 5'],
    [account({ balances: { USDT: '-5' } }), 'account.balances.USDT: expected a decimal in quotes, not below 0, found "-5"'],
    [account({ balances: { 'US DT': '1e' } }), 'account.balances["US DT"]: expected a decimal in quotes, not below 0, found "1e"'],
    [account({ money: 1 }), 'account.money: expected one of profile, exchange, balances, fees, currency, stopAtZero, requestLatency, responseLatency, found the unknown field "money"'],
    [account({ fees: { maker: '0' } }), `account.fees.taker: expected ${RATE}, found nothing`],
    [account({ fees: { maker: 0.1, taker: '0' } }), `account.fees.maker: expected ${RATE}, found 0.1`],
    [account({ fees: { maker: { buy: '0' }, taker: '0' } }), `account.fees.maker: expected ${RATE}, found {"buy":"0"}`],
    [account({ fees: { maker: '0', taker: '0', by: 'volume' } }), 'account.fees.by: expected value, quantity or fill, found "volume"'],
    [account({ fees: { maker: '0', taker: '0', minimum: '-1' } }), 'account.fees.minimum: expected a decimal in quotes, not below 0, found "-1"'],
    [{ account: {}, accounts: { a: {} } }, 'accounts: expected account (one exchange) or accounts (several), not both, found {"a":{}}'],
    [{ accounts: {} }, 'accounts: expected an object of accounts by name, found {}'],
    [{ accounts: { a: { exchange: '' } } }, 'accounts.a.exchange: expected the code of an exchange, found ""'],
    [assume({ queue: 'fast' }), 'assumptions.queue: expected riskAverse, power, power2, power3, log, log2, or { "model": a power form, "exponent": 1 to 64 }, found "fast"'],
    [assume({ queue: { model: 'log', exponent: 2 } }), 'assumptions.queue: expected riskAverse, power, power2, power3, log, log2, or { "model": a power form, "exponent": 1 to 64 }, found {"model":"log","exponent":2}'],
    [assume({ fills: 'all' }), 'assumptions.fills: expected partial or whole, found "all"'],
    [assume({ exchangeTop: 'bbo' }), 'assumptions.exchangeTop: expected fused or depth, found "bbo"'],
    [assume({ sameStamp: 'books' }), 'assumptions.sameStamp: expected trades or file, found "books"'],
    [assume({ gaps: 'forget' }), 'assumptions.gaps: expected assumeWorst, cancelAndWait, freeze, halt or ignore, found "forget"'],
    [assume({ feedLatency: 'constant 5' }), 'assumptions.feedLatency: expected recorded, recorded+2ms, constant 5ms, "uniform 1ms 3ms", "exponential 1ms 2ms" or "lognormal 2ms 0.5", found "constant 5"'],
    [assume({ requestLatency: 10 }), `assumptions.requestLatency: expected ${DURATION}, found 10`],
    [assume({ responseLatency: '-1ms' }), `assumptions.responseLatency: expected ${DURATION}, found "-1ms"`],
    [{ seed: -1 }, `seed: expected ${SEED}, found -1`],
    [{ seed: 1.5 }, `seed: expected ${SEED}, found 1.5`],
    [{ seed: '1' }, `seed: expected ${SEED}, found "1"`],
    [{ seed: 2 ** 53 }, `seed: expected ${SEED}, found 9007199254740992`],
    [{ shuffleSeed: null }, `shuffleSeed: expected ${SEED}, found null`],
    [{ trim: 'hour' }, 'trim: expected day or none, found "hour"'],
    [{ day: '2026-7-1' }, 'day: expected a day as YYYY-MM-DD, found "2026-7-1"'],
    [{ from: 12 }, 'from: expected a time: 12:00, 12:00:00.5, ISO-8601 or digits of epoch nanoseconds, found 12'],
  ])('%j', async (more, refusal) => {
    expect(await refusalOf(runContent(more))).toBe(refusal)
  })

  test('a list, a number and half an object are no run file', async () => {
    expect(await refusalOf([])).toBe('the file: expected an object that describes a run, found []')
    expect(await refusalOf('7')).toBe('the file: expected an object that describes a run, found 7')
    expect(await refusalOf('{ "data": ')).toBe('the file: expected a value, found the end of the file at line 1, column 11')
    await expect(readRunFile(join(folder.path, 'away.run.json'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND', message: `Cannot read the run file ${join(folder.path, 'away.run.json')}: it does not exist` })
  })

  test('of the strategy alone is its own', async () => {
    expect(await refusalOf(runContent({ strategy: './subject.ts#Maker' }))).toBe('Cannot load the strategy ./subject.ts#Maker: subject.ts exports no Maker; it exports Subject')
  })
})

test('all faults at once', async () => {
  const refusal = await refusalOf(runContent({ strategy: './away.ts#A', data: ['away.txt.zst', XRP_DAY], assumptions: { gaps: 1, nap: 2 }, seed: -1, account: { profile: './none' },
    faults: [{ kind: 'fills', at: 'noon', for: '0s', status: 'OK', account: 'z' }, { kind: 'replaces', for: '1s' }], corporateActions: [{ at: 'noon', instrument: 'X' }], entryStates: { delayedAfter: '0s' } }))
  expect(refusal.split('\n')).toEqual([
    '14 faults:',
    '  assumptions.nap: expected one of queue, fills, exchangeTop, sameStamp, gaps, staleAfter, crossedAfter, preset, snapshots, selfTrade, crossingPostOnly, notShown, feedLatency, requestLatency, responseLatency, found the unknown field "nap"',
    '  assumptions.gaps: expected assumeWorst, cancelAndWait, freeze, halt or ignore, found 1',
    '  faults[0].status: expected absent, as a fault of kind fills has delay, found "OK"',
    `  faults[0].at: expected ${TIMES}, found "noon"`,
    '  faults[0].for: expected a duration from 1ns to 30d, found "0s"',
    '  faults[1]: expected at (once) or every (again and again), found {"kind":"replaces","for":"1s"}',
    '  corporateActions[0]: expected a split or a dividend, found {"at":"noon","instrument":"X"}',
    `  corporateActions[0].at: expected ${TIMES}, found "noon"`,
    '  entryStates.delayedAfter: expected a duration from 1ns to 30d, found "0s"',
    `  seed: expected ${SEED}, found -1`,
    '  faults[0].account: expected one of account, found "z"',
    `  data[0]: expected a file that exists, found "away.txt.zst", which is no file in ${folder.path}`,
    '  account.profile: expected one of binance-coin-perpetual, binance-usdt-perpetual, bybit-spot, deribit-options, generic, polymarket, or a path that ends with .json, found "./none"',
    `  strategy: expected a strategy that can be loaded, found "./away.ts#A": Cannot load the strategy ./away.ts#A: there is no file ${join(folder.path, 'away.ts')}`,
  ])
})

test.each([
  ['{"parameters":{"size":50.00000000000000000001}}', ['parameters.size: expected a number that can be held exactly; write decimals in quotes, found 50.00000000000000000001']],
  ['{"seed":9007199254740993,"data":[1,[2],1e400]}', ['seed: expected a number that can be held exactly; write decimals in quotes, found 9007199254740993', 'data[2]: expected a number that can be held exactly; write decimals in quotes, found 1e400']],
  ['{"parameters":{"a b":{"x":"\\"x\\":1","x":2}},"seed":1}', ['parameters["a b"].x: expected one value, found another value of the same name']],
  ['{"seed":1,"data":[{"seed":0.1},{"seed":1.50}],"\\u0073eed":2}', ['seed: expected one value, found another value of the same name']],
  ['{"seed":-0,"data":[1.0,1E2,-12.5e-3,true,null,"1.00000000000000000000000001"]}', []],
])('what JSON itself passes over without a word is told: %s', (text, expected) => {
  expect(passedOver(text).map(({ path, expected: wanted, found }) => `${path}: expected ${wanted}, found ${found}`)).toEqual(expected)
})

test('a run file that says a thing twice, or in more digits than are held, is refused', async () => {
  expect(await refusalOf('{"seed":1,"seed":2}')).toBe('seed: expected one value, found another value of the same name')
})

test('all faults of assumptions at once, those of a form and those of what a form means', async () => {
  const refusal = await refusalOf(runContent({ assumptions: { queue: 'x', requestLatency: 'uniform 9ms 2ms' } }))
  expect(refusal.split('\n').map((line) => line.trim().split(':')[0])).toEqual(['2 faults', 'assumptions.queue', 'assumptions.requestLatency'])
  expect(await refusalOf(runContent({ assumptions: { queue: 'x', requestLatency: 'recorded none.csv' } }))).toMatch(/^assumptions\.queue: /)
  const kinds = await refusalOf(runContent({ assumptions: { queue: 7, requestLatency: {}, feedLatency: [] } }))
  expect(kinds.split('\n').map((line) => line.trim().split(':')[0])).toEqual(['3 faults', 'assumptions.queue', 'assumptions.feedLatency', 'assumptions.requestLatency'])
})

test('all faults of fees at once, their form and what their numbers mean', async () => {
  const PART = 'a part of the value, above -1 and below 1'
  const accounts = {
    'a b': { fees: { maker: '7', taker: 0.1, minimum: '-1' } }, c: { fees: { maker: { buy: '0', sell: '-3', both: '1' }, taker: '0' } }, d: { fees: { maker: '7', taker: '7', by: 'fill' } },
    e: { fees: { maker: '-1', taker: '1' } }, f: { fees: 5 }, g: 6,
  }
  expect((await refusalOf(runContent({ accounts, rates: { 'USDT/USD': '0', X: '0.0', 'BTC/USD': '1' } }))).split('\n')).toEqual([
    '11 faults:',
    `  accounts["a b"].fees.maker: expected ${PART}, found "7"`,
    `  accounts["a b"].fees.taker: expected ${RATE}, found 0.1`,
    '  accounts["a b"].fees.minimum: expected a decimal in quotes, not below 0, found "-1"',
    `  accounts.c.fees.maker.sell: expected ${PART}, found "-3"`,
    `  accounts.c.fees.maker: expected ${RATE}, found {"buy":"0","sell":"-3","both":"1"}`,
    `  accounts.e.fees.maker: expected ${PART}, found "-1"`,
    `  accounts.e.fees.taker: expected ${PART}, found "1"`,
    '  accounts.f.fees: expected an object with maker and taker, found 5',
    '  accounts.g: expected an object with balances, fees, exchange and profile, found 6',
    '  rates["USDT/USD"]: expected a decimal above 0 in quotes, found "0"',
    '  rates.X: expected a decimal above 0 in quotes, found "0.0"',
  ])
  expect(await refusalOf(runContent({ account: { fees: { maker: '7', taker: null } } }))).toBe(
    `2 faults:\n  account.fees.maker: expected ${PART}, found "7"\n  account.fees.taker: expected ${RATE}, found null`)
})

test('paths count from the run file, and $schema is nobody\'s', async () => {
  folder.write('deep/days/day.txt.zst', '')
  folder.write('deep/days/bundle.tar', '')
  const content = { $schema: 'x', strategy: '../subject.ts#Subject', data: ['days/day.txt.zst', './days/bundle.tar#member.txt.zst', XRP_DAY], account: { fees: { maker: { buy: '-0.1', sell: '0' }, taker: '0', minimum: '0' } } }
  const run = await readRunFile(folder.write('deep/subject.run.json', content))
  expect(run.name).toBe('subject')
  expect(run.options.strategy?.name).toBe('Subject')
  expect(run.options.data).toEqual([join(folder.path, 'deep/days/day.txt.zst'), join(folder.path, 'deep/days/bundle.tar#member.txt.zst'), XRP_DAY])
  expect(run.options).not.toHaveProperty('$schema')
})

describe('the published schema', () => {
  const schema = JSON.parse(readFileSync(join(packageFolder, 'schemas/run.schema.json'), 'utf8')) as { properties: Record<string, object>; definitions: Record<string, { properties: Record<string, object> }> }
  const duration = fc.oneof(fc.tuple(fc.nat(999_999_999), fc.constantFrom('ns', 'us', 'ms', 's')).map(([count, unit]) => `${count}${unit}`), fc.string({ maxLength: 6 }), fc.nat())
  const word = (...words: readonly string[]): fc.Arbitrary<unknown> => fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, fc.string({ maxLength: 4 }), fc.constant(null))
  const queue = fc.oneof(
    word('riskAverse', 'power', 'power2', 'power3', 'log', 'log2', 'toString'),
    fc.record({ model: word('power', 'power3', 'log'), exponent: fc.integer({ min: -2, max: 70 }) }, { requiredKeys: ['model'] }),
  )
  const feed = fc.oneof(word('recorded'), duration.map((text) => `recorded+${text}`), duration.map((text) => `constant ${text}`), fc.tuple(duration, duration).map(([low, high]) => `uniform ${low} ${high}`))
  const latency = fc.oneof({ weight: 2, arbitrary: duration }, fc.tuple(word('uniform', 'exponential', 'lognormal'), duration, fc.oneof(duration, fc.nat(99))).map((words) => words.join(' ')))
  const assumptions = fc.record({
    queue, fills: word('partial', 'whole'), exchangeTop: word('fused', 'depth'), sameStamp: word('trades', 'file'), gaps: word('assumeWorst', 'cancelAndWait', 'freeze', 'halt', 'ignore'),
    preset: word('hftbacktest'), snapshots: word('difference', 'rows'), selfTrade: word('reject', 'ignore'), crossingPostOnly: word('reject', 'expire'), notShown: word('unknown', 'zero'),
    feedLatency: feed, requestLatency: latency, responseLatency: latency,
  }, { requiredKeys: [] })

  const decimal = fc.oneof(word('0', '0.5', '-1', '1e-3', '7', '.5', '1e', 'x'), fc.double().map(String))
  const account = fc.record({
    balances: fc.dictionary(fc.constantFrom('USDT', 'a b'), decimal, { maxKeys: 2 }), stopAtZero: fc.oneof(fc.boolean(), fc.constant('no')), exchange: word('x'), profile: word('generic'),
    fees: fc.record({ maker: fc.oneof(decimal, fc.record({ buy: decimal, sell: decimal }, { requiredKeys: [] })), taker: decimal, by: word('value', 'quantity', 'fill'), minimum: decimal }, { requiredKeys: ['taker'] }),
  }, { requiredKeys: [] })
  const planned = fc.record({
    kind: word('status', 'requests', 'replaces', 'fills'), at: word('12:00', 'noon'), every: duration, for: duration, account: word('a', 'account'), status: word('BANNED', 'OK'), error: word('X'), delay: duration,
  }, { requiredKeys: ['kind', 'for'] })
  const amounts = fc.record({ lastPrice: decimal, buyVolume: decimal, sellVolume: decimal, liquidateFractionalShares: fc.boolean() }, { requiredKeys: ['lastPrice'] })
  const action = fc.record({ at: word('12:00'), instrument: word('X'), split: amounts, dividend: fc.record({ underlying: word('X'), highPrice: decimal, lowPrice: decimal }) }, { requiredKeys: ['at', 'instrument'] })
  const more = fc.record({
    assumptions, account, accounts: fc.dictionary(fc.constantFrom('a', 'b'), account, { maxKeys: 2 }), faults: fc.array(planned, { maxLength: 3 }), corporateActions: fc.array(action, { maxLength: 2 }),
    rates: fc.dictionary(fc.constantFrom('BTC/USD', 'X'), decimal, { maxKeys: 2 }), entryStates: fc.record({ delayedAfter: duration, stopDelayedAfter: duration }, { requiredKeys: [] }), seed: fc.oneof(fc.integer(), fc.double()),
    from: word('12:00', '2026-07-01', 'noon'), trim: word('day', 'none'), day: word('2026-07-01'),
  }, { requiredKeys: [] })
  const pathsOf = ({ faults }: { readonly faults: readonly Fault[] }): string[] => faults.map(({ path }) => path).sort()

  test('refuses of a run file what it refuses of a program, and nothing that it takes cannot be read', async () => {
    await fc.assert(fc.asyncProperty(more, async (content) => {
      const inFile = pathsOf(await checkRunFile({ strategy: './a.ts#A', data: ['x'], ...content }))
      expect(pathsOf(await checkOptions({ strategy: Strategy, data: ['x'], ...content }))).toEqual(inFile)
      expect(new Set(inFile).size).toBe(inFile.length)
      const isSound = (section: string): boolean => !inFile.some((path) => path.startsWith(section))
      if (isSound('assumptions')) expect(Object.values(assumptionNames(assumptionsFromOptions(content.assumptions as never)))).not.toContain('')
      if (isSound('entryStates')) for (const ns of Object.values(entryStateRules((content.entryStates ?? {}) as never))) expect(ns).toBeGreaterThan(0)
      const outside: Fault[] = []
      const span = { fromNs: 0, toNs: Infinity, latestNs: 86_400e9 }
      if (isSound('faults')) for (const one of plannedFaults((content.faults ?? []) as never, { epochDay: 20_635, span }, outside)) expect(one.forNs).toBeGreaterThan(0)
      expect(outside).toEqual([])
      if (isSound('rates')) for (const rate of Object.values(content.rates ?? {})) expect(Number(plainDecimal(rate as string))).toBeGreaterThan(0)
    }), { numRuns: 1500 })
  }, timeLimitMs(60_000))

  test('is a schema of its draft, as editors read it; so is that of profiles', () => {
    for (const name of ['run', 'venue-profile']) {
      const ajv = new Ajv({ strict: false })
      expect(ajv.validateSchema(JSON.parse(readFileSync(join(packageFolder, `schemas/${name}.schema.json`), 'utf8')) as object)).toBe(true)
    }
  })

  test('describes every field, and so does that of profiles', async () => {
    const bare = (part: SchemaPart, path: string): string[] => {
      const { properties = {}, items, additionalProperties, anyOf = [] } = part as SchemaPart & { readonly items?: SchemaPart; readonly additionalProperties?: SchemaPart | false; readonly anyOf?: readonly SchemaPart[] }
      const own = Object.entries(properties).flatMap(([name, field]) => [...('description' in field ? [] : [`${path}.${name}`]), ...bare(field, `${path}.${name}`)])
      return [...own, ...[items, additionalProperties, ...anyOf].flatMap((inner) => (typeof inner === 'object' ? bare(inner, `${path}[]`) : []))]
    }
    expect(bare(await readSchema('run'), 'run')).toEqual([])
    expect(bare(await readSchema('venue-profile'), 'profile')).toEqual([])
  })

  test('names every field that the reader knows, each with its title or its definition', () => {
    expect(Object.keys(schema.properties)).toEqual(['$schema', 'extends', 'strategy', 'strategies', 'data', 'prefer', 'parameters', 'account', 'accounts', 'assumptions', 'faults', 'corporateActions', 'rates', 'outcomes', 'signals', 'live', 'entryStates', 'equity', 'seed', 'shuffleSeed', 'trim', 'masterChanges', 'day', 'from', 'to'])
    expect(Object.keys(schema.definitions['assumptions']!.properties)).toEqual([
      'queue', 'fills', 'exchangeTop', 'sameStamp', 'gaps', 'staleAfter', 'crossedAfter', 'preset', 'snapshots', 'selfTrade', 'crossingPostOnly', 'notShown', 'feedLatency', 'requestLatency', 'responseLatency',
    ])
    for (const part of Object.values(schema.properties)) expect('title' in part || '$ref' in part).toBe(true)
  })
})
