import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openServing, type ServedDays } from '../../src/serve.js'
import { ALONE_ACTIONS } from '../../src/serve/shop-actions.js'
import { readServeConfig } from '../../src/serve/serve-config-reader.js'
import type { ServeOptions } from '../../src/serve/serve-options.js'
import { refusalOf } from '../support/collected.ts'
import { backtape } from '../support/command.ts'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { newFolder } from '../support/new-folder.ts'
import { startCommand, until } from '../support/started-command.ts'

const open: ServedDays[] = []
afterEach(async () => { for (const one of open.splice(0)) await one.close() })
const CLOCK = '2026-07-08T00:00:00Z'

/** Days of six exchanges over a year. */
async function opened(more: Partial<ServeOptions> = {}): Promise<ServedDays> {
  const served = await openServing({
    data: [datasetsFolder], replay: false, httpPort: 0, shop: { stateFolder: newFolder(), now: CLOCK }, ...more,
  })
  open.push(served)
  return served
}

describe('a shop alone', () => {
  test('sells days that no replay could hold, and has no feed, directory or order entry', async () => {
    const served = await opened()
    const { http, ...rest } = served.addresses
    expect(rest).toEqual({ feeds: [], domainSocket: null, accounts: [], keys: [], control: null })
    const { results } = await (await fetch(`${http}/api/search`)).json() as { results: { exchange: { code: string }, data: { first_day: string } }[] }
    expect(new Set(results.map(({ exchange }) => exchange.code)).size).toBeGreaterThan(3)
    expect(results.map(({ data }) => data.first_day).sort()[0]).toBe('2025-07-01')
    const statuses = await Promise.all(['/shop', '/api/realtime/instruments?market=synthetic_swap', '/api/accounts/paper/tradingservers', '/nothing'].map(async (path) => (await fetch(http + path)).status))
    expect([statuses, served.lateRequestCount]).toEqual([[200, 404, 404, 404], 0])
  })

  test('its control port has the actions of a shop, on its clock; shutdown ends it', async () => {
    const served = await opened({ controlPort: 0 })
    const { url, token } = served.addresses.control!
    const act = async (action: string, fields?: object): Promise<[number, Record<string, unknown>]> => {
      const answer = await fetch(`${url}/${action}`, { headers: { authorization: `Bearer ${token}` }, ...fields === undefined ? {} : { method: 'POST', body: JSON.stringify(fields) } })
      return [answer.status, await answer.json() as Record<string, unknown>]
    }
    expect(((await act(''))[1]['actions'] as { name: string }[]).map(({ name }) => name)).toEqual(Object.keys(ALONE_ACTIONS))
    const [status, { time }] = await act('hide', { goods: 9_100_001 })
    expect([status, String(time).slice(0, 10)]).toEqual([200, String(Date.parse(CLOCK)).slice(0, 10)])
    expect((await fetch(`${served.addresses.http}/api/instrument/9100001/coverage`)).status).toBe(404)
    expect([(await act('pause', {}))[0], (await act('hide', { instrument: 1 }))[0], (await act('constructor', {}))[0]]).toEqual([404, 400, 404])
    const end = served.run()
    expect([(await act('shutdown', {}))[0], await end]).toEqual([200, 'stopped'])
    await served.close()
    await served.close()
  })

  test('close ends run', async () => {
    const served = await opened()
    const end = served.run()
    await served.close()
    expect(await end).toBe('stopped')
  })

  test('a configuration', async () => {
    const path = join(newFolder(), 'serve.json')
    for (const replay of [false, true]) {
      writeFileSync(path, JSON.stringify({ data: [datasetsFolder], replay, shop: true }))
      expect((await readServeConfig(path)).options.replay).toBe(replay)
    }
  })

  test.each<[string, Partial<ServeOptions>, RegExp]>([
    ['no shop', { shop: false }, /shop: expected a shop, as replay is false, found none/],
    ['no data', { data: [] }, /data: expected tick files or folders, found nothing/],
    ['the clock of a replay', { shop: { stateFolder: newFolder(), now: 'replay' } }, /now must be a time in UTC such as .*, found "replay"/],
    ['an account', { account: { balances: {} } }, /account: expected nothing, as replay is false, found an object/],
    ['keys, which are secrets', { keys: [{ key: 'a-secret', markets: ['a'], days: 'always' }] }, /keys: expected nothing, as replay is false, found a list$/],
    ['a begin and a plan', { from: '12:00', controlPlan: [] }, /2 faults:\n.*from: expected nothing.*\n.*controlPlan: expected nothing/],
    ['a port that is none', { httpPort: 70_000 }, /httpPort: expected a port/],
    ['settings of the shop that are none', { shop: { stateFolder: '' } }, /shop\.stateFolder: expected a folder/],
  ])('%s is refused', async (_name, more, words) => {
    const { code, message } = await refusalOf(() => opened(more))
    expect([code, message]).toEqual(['OPTION_INVALID', expect.stringMatching(words)])
  })
})

describe('backtape serve --shop', { timeout: 60_000 }, () => {
  const shop = (): string[] => ['serve', '--data', datasetsFolder, '--shop', '--state', newFolder(), '--port', '0']

  test('is of a shop alone where the days make no replay', async () => {
    const command = startCommand([...shop(), '--control-port', '0'], newFolder())
    let hasEnded = false
    void command.end.then(() => { hasEnded = true })
    await until(() => hasEnded || /Control: /.test(command.errors()))
    const [, http] = /^Shop: (\S+)$/m.exec(command.errors())!
    expect((await fetch(http!)).status).toBe(200)
    command.child.kill('SIGTERM')
    const { code, err, out } = await command.end
    expect([code, /^The shop is served alone, without feed and adapter: Cannot run from 2025-07-01 to 2026-07-02/.test(err), /^token \w+\n$/.test(out)]).toEqual([143, true, true])
  })

  test.each<[string, readonly string[], RegExp]>([
    ['what is of a replay', ['--speed', '2'], /^Cannot run from 2025-07-01 to 2026-07-02: a run spans at most 100 days/],
    ['an account', ['--account', 'paper:synthetic_swap'], /^Cannot run from 2025-07-01/],
  ])('%s wants a replay', async (_name, words, sentence) => {
    const { code, err } = await backtape([...shop(), ...words])
    expect([code, err]).toEqual([1, expect.stringMatching(sentence)])
  })

  test('what is of a replay is refused where the configuration has none', async () => {
    const path = join(newFolder(), 'serve.json')
    writeFileSync(path, JSON.stringify({ data: [datasetsFolder], replay: false, shop: true }))
    const { code, err } = await backtape(['serve', '--config', path, '--loop'])
    expect([code, err]).toEqual([2, expect.stringMatching(/^Cannot use --loop: it must be left out where replay is false, found both/)])
  })
})
