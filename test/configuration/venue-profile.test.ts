import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BUILT_IN_PROFILES, readAccountProfiles, readVenueProfile } from '../../src/configuration/venue-profile-reader.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import { newFolder } from '../support/new-folder.ts'

const folder = new URL('../../profiles/', import.meta.url)

async function fileOf(content: unknown): Promise<string> {
  const path = join(newFolder('profile-'), 'my.profile.json')
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** Every leaf of a profile by its path; lists are one leaf. */
function leaves(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`))
}

describe('built-in profiles', () => {
  test('the files are those that are named, and generic.json is what accounts have by default', async () => {
    expect((await readdir(folder)).sort()).toEqual(BUILT_IN_PROFILES.map((name) => `${name}.json`).sort())
    expect(await readVenueProfile('generic')).toEqual({ $schema: '../schemas/venue-profile.schema.json', ...GENERIC_PROFILE })
    expect((await readAccountProfiles({}, [])).get('account')).toBe(GENERIC_PROFILE)
  })

  test.each(BUILT_IN_PROFILES)('%s is named so; every field of a named venue has a source and its date', async (name) => {
    const { $schema, name: own, kind, sources = {}, ...fields } = await readVenueProfile(name)
    expect([own, $schema]).toEqual([name, '../schemas/venue-profile.schema.json'])
    if (kind === 'generic') return
    const unsourced = leaves(fields, '').filter((path) => !Object.keys(sources).some((source) => path === source || path.startsWith(`${source}.`)))
    expect(unsourced).toEqual([])
  })
})

describe('profiles of users', () => {
  test('one that is small is read as it is', async () => {
    const mine = { name: 'mine', kind: 'spot', capabilities: { orderTypes: ['LIMIT'], timeInForces: ['GOOD_TILL_CANCEL'] } }
    expect(await readVenueProfile(await fileOf(mine))).toEqual(mine)
    expect((await readAccountProfiles({ accounts: { a: { profile: mine as never }, b: {} } }, [])).get('a')).toEqual(mine)
  })

  const base = { name: 'mine', kind: 'spot', capabilities: {} }
  test.each<[unknown, RegExp]>([
    ['{', /the file: expected a closing }, found the end of the file at line 1, column 2/],
    [[], /the file: expected an object that describes a venue/],
    [{ ...base, kind: 'bank' }, /kind: expected generic, usdtPerpetual, coinPerpetual, spot, options or prediction, found "bank"/],
    [{ ...base, capabilities: { fly: true } }, /capabilities.fly: expected one of amend, .* found the unknown field "fly"/],
    [{ ...base, orders: { triggerReferences: ['mark'], defaultTrigger: 'index' } }, /orders.defaultTrigger: expected one of orders.triggerReferences \(mark\), found "index"/],
    [{ ...base, rateLimits: [{ id: 'o', windowMs: 0, tokens: { shared: 1 } }] }, /rateLimits\[0\].windowMs: expected whole milliseconds/],
    [{ ...base, rateLimits: [{ id: 'o', windowMs: 1, tokens: {} }] }, /rateLimits\[0\].tokens: expected an object of counts/],
    [{ ...base, messages: { lateFees: 'soon' } }, /messages.lateFees: expected a duration such as 2s, found "soon"/],
    [{ ...base, messages: { lateTradeId: true } }, /messages.lateFees: expected a duration such as 2s, as lateTradeId comes with the late fees, found nothing/],
    [{ ...base, margin: { modes: ['cross'], brackets: [] } }, /margin.brackets: expected a list of at least one bracket/],
    [{ ...base, borrowRates: { USDT: 0.1 } }, /borrowRates.USDT: expected a decimal in quotes/],
    [{ ...base, borrowLimits: { USDT: -1 } }, /borrowLimits.USDT: expected a decimal in quotes/],
    [{ ...base, settlement: { index: 'average' } }, /settlement.averageMs: expected the milliseconds before expiry that the average is taken over, found nothing/],
    [{ ...base, sources: { orders: { url: 'book', date: '2026-01-01' } } }, /sources.orders.url: expected an address/],
  ])('%j is refused in words', async (content, words) => {
    await expect(readVenueProfile(await fileOf(content))).rejects.toMatchObject({ code: 'PROFILE_INVALID', message: expect.stringMatching(words) as string })
  })

  const bracket = { upTo: '1000', initialRate: '0.1', maintenanceRate: '0.05', deduction: '0' }
  const next = { upTo: null, initialRate: '0.2', maintenanceRate: '0.1', deduction: '50' }
  const margin = (...brackets: readonly object[]): object => ({ margin: { modes: ['cross'], brackets } })
  const sold = (shortOptions: object): object => ({ margin: { modes: ['cross'], brackets: [bracket], shortOptions: { initialRate: '0.15', minimumInitialRate: '0.1', maintenanceRate: '0.075', ...shortOptions } } })
  const limit = (more: object): object => ({ id: 'o', windowMs: 1, tokens: { place: 5, cancel: 3 }, ...more })
  test.each<[more: object, path: string, expected: string, found: string]>([
    [{ capabilities: { orderTypes: ['LIMIT', 'STOPLIMIT'] } }, 'capabilities.orderTypes[1]', 'LIMIT, MARKET, STOP_LIMIT, MARKET_PEGGED or PRIMARY_PEGGED', '"STOPLIMIT"'],
    [{ capabilities: { timeInForces: ['GTC'] } }, 'capabilities.timeInForces[0]', 'GOOD_TILL_CANCEL, IMMEDIATE_OR_CANCEL or FILL_OR_KILL', '"GTC"'],
    [{ capabilities: { walletTypes: ['MARGIN'] } }, 'capabilities.walletTypes[0]', 'ACCOUNT or ISOLATED', '"MARGIN"'],
    [{ ...margin({ ...bracket, upTo: null }), capabilities: { walletTypes: ['ACCOUNT', 'ISOLATED'] } }, 'margin.modes', 'a list with isolated, as capabilities.walletTypes has ISOLATED', '["cross"]'],
    [{ capabilities: { walletTypes: ['ACCOUNT', 'ISOLATED'] } }, 'margin.modes', 'a list with isolated, as capabilities.walletTypes has ISOLATED', '[]'],
    [{ capabilities: { walletTypes: [] } }, 'capabilities.walletTypes', 'a list with ACCOUNT, which every account has', '[]'],
    [margin(bracket, { ...next, upTo: '1000' }), 'margin.brackets[1].upTo', 'above 1000, where the bracket begins', '"1000"'],
    [margin({ ...bracket, upTo: '0' }), 'margin.brackets[0].upTo', 'above 0, where the bracket begins', '"0"'],
    [margin({ ...bracket, upTo: null }, { ...next, deduction: '0' }), 'margin.brackets[1]', 'no bracket after the one without end (upTo null)', '{"upTo":null,"initialRate":"0.2","maintenanceRate":"0.1","deduction":"0"}'],
    [margin(bracket, { ...next, initialRate: '0.09', maintenanceRate: '0.05', deduction: '0' }), 'margin.brackets[1].initialRate', 'at least that of the bracket before (0.1)', '"0.09"'],
    [margin(bracket, { ...next, maintenanceRate: '0.04', deduction: '0' }), 'margin.brackets[1].maintenanceRate', 'at least that of the bracket before (0.05)', '"0.04"'],
    [margin({ ...bracket, maintenanceRate: '0.11' }), 'margin.brackets[0].maintenanceRate', 'at most the initialRate (0.1): a position must not open below what it has to keep', '"0.11"'],
    [margin({ ...bracket, initialRate: '0', maintenanceRate: '0' }), 'margin.brackets[0].initialRate', 'above 0: 1 by the greatest leverage of the bracket', '"0"'],
    [margin({ ...bracket, initialRate: '10' }), 'margin.brackets[0].initialRate', 'a part of the value, at most "1"', '"10"'],
    [margin({ ...bracket, deduction: '1' }), 'margin.brackets[0].deduction', 'at most 0, with which the margin to keep does not fall where the bracket begins', '"1"'],
    [margin(bracket, { ...next, deduction: '50.01' }), 'margin.brackets[1].deduction', 'at most 50, with which the margin to keep does not fall where the bracket begins', '"50.01"'],
    [{ margin: { modes: ['cross'], brackets: [next], instruments: {} } }, 'margin.brackets[0].deduction', 'at most 0, with which the margin to keep does not fall where the bracket begins', '"50"'],
    [{ margin: { modes: ['cross'], brackets: [bracket], instruments: { 'A-B': [{ ...bracket, initialRate: '2' }] } } }, 'margin.instruments["A-B"][0].initialRate', 'a part of the value, at most "1"', '"2"'],
    [{ margin: { modes: ['cross'], brackets: [bracket], liquidationFeeRate: '1.5' } }, 'margin.liquidationFeeRate', 'a part of the value, at most "1"', '"1.5"'],
    [sold({ minimumInitialRate: '0.2' }), 'margin.shortOptions.minimumInitialRate', 'at most the initialRate (0.15)', '"0.2"'],
    [sold({ maintenanceRate: '0.11' }), 'margin.shortOptions.maintenanceRate', 'at most the minimumInitialRate (0.1): a sold option must not open below what it has to keep', '"0.11"'],
    [sold({ initialRate: '15' }), 'margin.shortOptions.initialRate', 'a part of the value, at most "1"', '"15"'],
    [{ limits: { minQuantity: '5', maxQuantity: '4.9' } }, 'limits.maxQuantity', 'at least limits.minQuantity (5)', '"4.9"'],
    [{ limits: { maxQuantity: '0.0' } }, 'limits.maxQuantity', 'a decimal above 0 (leave it out where there is no such bound)', '"0.0"'],
    [{ limits: { priceBand: '0' } }, 'limits.priceBand', 'a decimal above 0 (leave it out where there is no such bound)', '"0"'],
    [{ limits: { priceBand: '5' } }, 'limits.priceBand', 'a fraction of the mark, "0.1" for ten percent either way, at most "1"', '"5"'],
    [{ limits: { minValue: '-1' } }, 'limits.minValue', 'a decimal in quotes, not below 0', '"-1"'],
    [{ limits: { maxOpenOrders: 0 } }, 'limits.maxOpenOrders', 'a whole number from 1 to 1000000', '0'],
    [{ rateLimits: [limit({}), limit({})] }, 'rateLimits[1].id', 'an id of its own: rateLimits[0] has it already', '"o"'],
    [{ rateLimits: [limit({ tokens: { shared: 0 } })] }, 'rateLimits[0].tokens', 'an object of counts: place, amend, replace, cancel, or shared alone', '{"shared":0}'],
    [{ rateLimits: [limit({ windowMs: 0.5 })] }, 'rateLimits[0].windowMs', 'whole milliseconds from 1 to 86400000', '0.5'],
    [{ rateLimits: [limit({ blockMs: 0 })] }, 'rateLimits[0].blockMs', 'whole milliseconds from 1 to 86400000', '0'],
    [{ capabilities: { spare: true }, rateLimits: [limit({ spare: 4 })] }, 'rateLimits[0].spare', 'at most the smallest of its tokens (3), of which it is a part', '4'],
    [{ rateLimits: [limit({ spare: 1 })] }, 'capabilities.spare', 'true, as rateLimits[0].spare keeps a part of the budget that only useSpare may take', 'false'],
    [{ messages: { lateFees: '0s' } }, 'messages.lateFees', 'a duration from 1ns to 1d', '"0s"'],
    [{ borrowRates: { USDT: '10.1' } }, 'borrowRates.USDT', 'a yearly rate as a fraction, "0.05" for five percent, at most "10"', '"10.1"'],
    [{ borrowRates: { USDT: '-0.1' } }, 'borrowRates.USDT', 'a decimal in quotes, not below 0', '"-0.1"'],
    [{ borrowRates: { USDT: '0.1' }, borrowLimits: { USDTT: '5' } }, 'borrowLimits.USDTT', 'an underlying of borrowRates (USDT), as nothing is lent without a rate', '"5"'],
    [{ borrowLimits: { USDT: '5' } }, 'borrowLimits.USDT', 'an underlying of borrowRates (none), as nothing is lent without a rate', '"5"'],
    [{ settlement: { index: 'last', averageMs: 5 } }, 'settlement.index', '"average", as averageMs says over what time', '"last"'],
    [{ settlement: { feeRate: '3' } }, 'settlement.feeRate', 'a part of the value, at most "1"', '"3"'],
    [{ sources: { 'orders.amendKeepQueue': { url: 'https://x', date: '2026-01-01' } } }, 'sources["orders.amendKeepQueue"]', 'the path of a field that this profile has', '{"url":"https://x","date":"2026-01-01"}'],
  ])('%j cannot be meant', async (more, path, expected, found) => {
    const name = await fileOf({ ...base, ...more })
    await expect(readVenueProfile(name)).rejects.toMatchObject({
      code: 'PROFILE_INVALID', message: `Cannot read the venue profile ${name}: ${path}: expected ${expected}, found ${found}`, place: { file: name, field: path, expected, found: found.slice(0, 80) },
    })
  })

  test('what can be meant: steps that meet or rise, a last step with an end, bounds that are equal', async () => {
    const mine = {
      ...base, margin: { modes: ['cross', 'isolated'], brackets: [bracket, { ...next, upTo: '5000' }], instruments: { XYZ: [{ ...bracket, upTo: null }], ABC: [bracket, { ...next, deduction: '0' }] }, liquidationFeeRate: '1' },
      capabilities: { spare: true, orderTypes: [], walletTypes: ['ACCOUNT', 'ISOLATED'] }, rateLimits: [limit({ spare: 3 }), limit({ id: 'p', tokens: { shared: 1 }, spare: 0 })],
      limits: { minQuantity: '5', maxQuantity: '5.00', minValue: '0', priceBand: '1', maxOpenOrders: 1 }, borrowRates: { USDT: '0' }, borrowLimits: { USDT: '0' }, settlement: { index: 'last', feeRate: '0' },
      sources: { 'margin.brackets': { url: 'https://x', date: '2026-01-01' }, limits: { url: 'https://x', date: '2026-01-01' } },
    }
    expect(await readVenueProfile(await fileOf(mine))).toEqual(mine)
  })

  test('faults of form and of sense are told at once, in the order of form, then sense; a section that has no form is not judged', async () => {
    const mine = { ...base, kind: 'bank', limits: { minQuantity: '5', maxQuantity: '4' }, margin: { modes: ['cross'], brackets: [{ ...bracket, deduction: -1, maintenanceRate: '9' }] }, borrowRates: { USDT: 5 }, borrowLimits: { USDT: '1' } }
    await expect(readVenueProfile(await fileOf(mine))).rejects.toMatchObject({ code: 'PROFILE_INVALID', message: expect.stringMatching(/: 4 faults:\n {2}kind: .*\n {2}margin.brackets\[0\].deduction: .*\n {2}borrowRates.USDT: .*\n {2}limits.maxQuantity: .*$/) as string })
  })

  test('a name that is none, a path without a file', async () => {
    await expect(readVenueProfile('binance')).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringMatching(/must be one of .*generic, polymarket, or a path that ends with .json/) as string })
    await expect(readVenueProfile('/nowhere/x.json')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  })

  test('the file of the schema is what editors are pointed to', async () => {
    expect(JSON.parse(await readFile(new URL('../schemas/venue-profile.schema.json', folder), 'utf8'))).toMatchObject({ $id: 'urn:backtape:schemas/venue-profile.schema.json' })
  })
})
