import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { backtape } from '../support/command.ts'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { FeedPeer } from '../support/feed-peer.ts'
import { SERVED_DAY } from '../support/served-days.ts'
import { startCommand, STOP_SIGNALS, until, type StartedCommand } from '../support/started-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'backtape-serve-'))
afterAll(() => { rmSync(folder, { recursive: true }) })

interface Addresses {
  readonly http: string
  readonly feeds: readonly { readonly json: string }[]
  readonly accounts: readonly string[]
  readonly keys: readonly string[]
  readonly control: { readonly url: string, readonly token: string } | null
}

let count = 0
async function started(...args: readonly string[]): Promise<{ command: StartedCommand, addresses: Addresses, path: string }> {
  const path = join(folder, `addresses-${count++}.json`)
  const command = startCommand(['serve', ...args, '--addresses', path], folder)
  let hasEnded = false
  void command.end.then(() => { hasEnded = true })
  await until(() => existsSync(path) || hasEnded)
  if (!existsSync(path)) throw new Error(command.errors())
  return { command, path, addresses: JSON.parse(readFileSync(path, 'utf8')) as Addresses }
}

describe('backtape serve', { timeout: 120_000 }, () => {
  test.each(STOP_SIGNALS)('days and an account; %s says good-bye', async (signal, code) => {
    const { command, addresses, path } = await started('--data', SERVED_DAY, '--account', 'mine', '--port', '0', '--control-port', '0')
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(addresses.accounts).toEqual(['mine'])
    const peer = await FeedPeer.connect(`${addresses.feeds[0]!.json}?apiKey=${addresses.keys[0]}`)
    peer.send('[13,"org","app","1","p"]')
    await peer.received(1)
    command.child.kill(signal)
    const end = await command.end
    expect((await peer.toEnd()).slice(-2)).toEqual(['service shutdown', 1001])
    expect(end.code).toBe(code)
    expect(end.out).toBe(`key ${addresses.keys[0]}\ntoken ${addresses.control!.token}\n`)
    expect(end.err).toContain('Account mine: synthetic_swap, profile generic, 100,000 USDT, maker 0.0002, taker 0.0005\n')
    expect(end.err).toMatch(/^2026-07-01T\d\d:\d\d:\d\d, waits for a subscription, (0 feed connections|1 feed connection), 0 order entry connections, 0 open orders$/m)
    for (const secret of [addresses.keys[0]!, addresses.control!.token]) expect(end.err).not.toContain(secret)
  })

  test('a configuration, whose keys are not printed; it ends with its data', async () => {
    writeFileSync(join(folder, 'serve.json'), JSON.stringify({
      data: [SERVED_DAY], httpPort: 0, keys: [{ key: 'k-all', markets: ['synthetic_swap'], days: 'always' }],
      account: { balances: { USDT: '5' } }, replay: { speed: 'max', start: 'now', from: '23:55', to: '23:56' },
    }))
    const { command, addresses } = await started('--config', 'serve.json')
    expect(addresses).toMatchObject({ keys: ['k-all'], accounts: ['account'], control: null })
    const { code, out, err } = await command.end
    expect([code, out]).toEqual([0, ''])
    expect(err).toMatch(/The data have ended\n$/)
    expect(err).not.toContain('k-all')
  })

  test('several exchanges, an account on each', async () => {
    const spot = join(datasetsFolder, 'synthetic_spot-XRPUSDT-2026-07-01.txt.zst')
    const { command, addresses } = await started(SERVED_DAY, spot, '--account', 'a:synthetic_swap', '--account', 'b:synthetic_spot', '--port', '0', '--speed', 'max', '--start', 'now')
    expect([addresses.accounts, addresses.feeds.length]).toEqual([['a', 'b'], 2])
    expect((await command.end).code).toBe(0)
  })

  test.each<[string, readonly string[], RegExp]>([
    ['nothing to serve', ['--port', '0'], /--data: it must be followed by tick files or folders/],
    ['data and a configuration', ['--config', 'serve.json', '--data', SERVED_DAY], /--data: it must be left out where --config is given/],
    ['an account and a configuration', ['--config', 'serve.json', '--account', 'a'], /--account: it must be left out/],
    ['a speed of 0', ['--data', SERVED_DAY, '--speed', '0'], /--speed: it must be max, lockstep or a factor above 0/],
    ['another speed', ['--data', SERVED_DAY, '--speed', 'fast'], /--speed: it must be max/],
    ['a port too high', ['--data', SERVED_DAY, '--port', '65536'], /--port: it must be a port from 0 to 65535/],
    ['a loop in lock-step', ['--data', SERVED_DAY, '--loop', '--speed', 'lockstep'], /--loop: it must be left out in lock-step/],
    ['steps without a control port', ['--data', SERVED_DAY, '--step', '--speed', 'lockstep'], /--step: it must be with --speed lockstep and --control-port/],
    ['an account of another exchange', ['--data', SERVED_DAY, '--account', 'a:binance'], /--account: it must be a name, ":" and an exchange of the data \(synthetic_swap\), found a:binance/],
    ['an account twice', ['--data', SERVED_DAY, '--account', 'a', '--account', 'a'], /a name that no other account has/],
    ['another start', ['--data', SERVED_DAY, '--start', 'later'], /first-subscription/],
  ])('%s is refused', async (_name, args, words) => {
    const { code, out, err } = await backtape(['serve', ...args], { cwd: folder })
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(words)
  })

  test('a port that is taken is named', async () => {
    const { command, addresses } = await started('--data', SERVED_DAY, '--port', '0')
    const port = new URL(addresses.http).port
    expect(await backtape(['serve', '--data', SERVED_DAY, '--port', port])).toMatchObject({ code: 2, err: `Cannot listen at 127.0.0.1:${port}: another program does\n` })
    command.child.kill('SIGTERM')
    await command.end
  })
})
