import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BUILT_IN_PROFILES, readAccountProfiles, readVenueProfile } from '../../src/backtest/venue-profile-reader.js'
import { GENERIC_PROFILE } from '../../src/exchange/generic-profile.js'

const folder = new URL('../../profiles/', import.meta.url)

async function fileOf(content: unknown): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'profile-')), 'my.profile.json')
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
    expect((await readAccountProfiles({})).get('account')).toBe(GENERIC_PROFILE)
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
    expect((await readAccountProfiles({ accounts: { a: { profile: mine as never }, b: {} } })).get('a')).toEqual(mine)
  })

  const base = { name: 'mine', kind: 'spot', capabilities: {} }
  test.each<[unknown, RegExp]>([
    ['{', /expected JSON/],
    [[], /the file: expected an object that describes a venue/],
    [{ ...base, kind: 'bank' }, /kind: expected generic, usdtPerpetual, coinPerpetual, spot, options or prediction, found "bank"/],
    [{ ...base, capabilities: { fly: true } }, /capabilities.fly: expected one of amend, .* found the unknown field "fly"/],
    [{ ...base, orders: { triggerReferences: ['mark'], defaultTrigger: 'index' } }, /orders.defaultTrigger: expected one of orders.triggerReferences \(mark\), found index/],
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

  test('a name that is none, a path without a file', async () => {
    await expect(readVenueProfile('binance')).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringMatching(/must be one of .*generic, polymarket, or a path that ends with .json/) as string })
    await expect(readVenueProfile('/nowhere/x.json')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  })

  test('the file of the schema is what editors are pointed to', async () => {
    expect(JSON.parse(await readFile(new URL('../schemas/venue-profile.schema.json', folder), 'utf8'))).toMatchObject({ $id: 'https://backtape.dev/schemas/venue-profile.schema.json' })
  })
})
