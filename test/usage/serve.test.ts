import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FeedPeer } from '../support/feed-peer.ts'
import { SERVED_DAY } from '../support/served-days.ts'
import { startCommand, until } from '../support/started-command.ts'

const root = join(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'docs/guide/serve.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'backtape-serve-'))
afterAll(() => { rmSync(folder, { recursive: true }) })

/** The lines of the page, as a user types them, at free ports and over a day that is there. */
test.each(['backtape serve --data days --account paper', 'backtape serve --config serve.json --addresses addresses.json'])('%s', { timeout: 60_000 }, async (line) => {
  expect(guide).toContain(line)
  mkdirSync(join(folder, 'days'), { recursive: true })
  copyFileSync(SERVED_DAY, join(folder, 'days', basename(SERVED_DAY)))
  const stated = JSON.parse(/```json\n([\s\S]*?)```/.exec(guide)![1]!) as { replay: object, accounts: { paper: object } }
  writeFileSync(join(folder, 'serve.json'), JSON.stringify({
    ...stated, httpPort: 0, controlPort: 0, markets: { synthetic_swap: { feedPort: 0 } }, keys: [{ key: 'k-all', markets: ['synthetic_swap'], days: 'always' }],
    accounts: { paper: { ...stated.accounts.paper, exchange: 'synthetic_swap' } }, replay: { ...stated.replay, from: '2026-07-01T23:55' },
  }))
  const addresses = join(folder, 'addresses.json')
  rmSync(addresses, { force: true })
  const more = line.includes('--config') ? [] : ['--port', '0', '--addresses', 'addresses.json']
  const command = startCommand([...line.split(' ').slice(1), ...more], folder)
  await until(() => existsSync(addresses) || command.child.exitCode !== null)
  const { http, feeds, keys } = JSON.parse(readFileSync(addresses, 'utf8')) as { http: string, feeds: { json: string }[], keys: string[] }
  const reader = await FeedPeer.connect(`${feeds[0]!.json}?apiKey=${keys[0]}`)
  reader.send('[13,"org","app","1","p"]')
  await reader.received(1)
  const lookup = await (await fetch(`${http}/api/accounts/paper/tradingservers`)).json() as { count: number }
  const directory = await (await fetch(`${http}/api/realtime/instruments?market=synthetic_swap`, { headers: { authorization: `Bearer ${keys[0]}` } })).json() as { instruments?: { instrument_id: number }[], data?: { instrument_id: number }[] }
  const [instrument] = directory.instruments ?? directory.data ?? []
  expect(lookup.count).toBe(1)
  reader.send(`[11,${instrument!.instrument_id},{}]`)
  await reader.until(() => reader.texts.some((text) => text.includes('"READY"')))
  command.child.kill('SIGINT')
  expect((await reader.toEnd()).slice(-2)).toEqual(['service shutdown', 1001])
  expect((await command.end).code).toBe(130)
})
