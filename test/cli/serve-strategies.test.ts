import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { backtape } from '../support/command.ts'
import { newFolder } from '../support/new-folder.ts'
import { startCommand, until, type StartedCommand } from '../support/started-command.ts'

const DAY = 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst'
const MAKER = `
import { Parameter, Quantity, Strategy, TradingInstrument, type Channel, type ChannelMessage } from 'backtape'
export class TouchMaker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Quantity) size!: Quantity
  override onStart(): void { this.openChannel('signals') }
  override onInstrumentTopOfBook(): void {
    const { bestBid } = this.instrument
    if (bestBid && this.instrument.openOrders.length === 0) this.instrument.placeOrder({ side: 'BID', quantity: this.size, price: bestBid.price })
  }
  override onChannelMessage(channel: Channel, { message }: ChannelMessage): void { channel.publish('got ' + message) }
}
`
const BASE = '/api/v1/strategy'
const hasCurl = spawnSync('curl', ['--version']).status === 0

const started: StartedCommand[] = []
afterEach(async () => {
  for (const one of started.splice(0)) {
    one.child.kill('SIGINT')
    await one.end
  }
})

/** A folder with days and strategies. */
function project(): string {
  const folder = newFolder()
  for (const name of ['days', 'strategies']) mkdirSync(join(folder, name))
  copyFileSync(join(import.meta.dirname, '../../datasets', DAY), join(folder, 'days', DAY))
  writeFileSync(join(folder, 'strategies/maker.ts'), MAKER)
  return folder
}

async function serve(folder: string, args: readonly string[]): Promise<{ readonly url: string, readonly command: StartedCommand }> {
  const command = startCommand(['serve', ...args], folder)
  started.push(command)
  const listens = /Strategy server: (http:\S+);/
  await until(() => listens.test(command.errors()) || command.child.exitCode !== null)
  const url = listens.exec(command.errors())?.[1]
  if (url === undefined) throw new Error(command.errors())
  return { url, command }
}

/** The lines of a program that use curl, with the address and the names of this test in the place of theirs. */
function curl(line: string): unknown {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${line}: ${stderr}`)
  return stdout === '' ? null : JSON.parse(stdout)
}

const statusOf = async (url: string): Promise<{ state: string, reason: string, end?: { fingerprint: string, end: string } }[]> => (
  await (await fetch(`${url}${BASE}/instance/status`)).json() as { state: string, reason: string }[])

describe('backtape serve --strategies', () => {
  test.skipIf(!hasCurl)('the programs of the guide run as they are written', async () => {
    const folder = project()
    const { url, command } = await serve(folder, ['--data', 'days', '--account', 'paper', '--strategies', 'strategies', '--strategy-port', '0', '--port', '0', '--store', 'store', '--from', '23:58'])
    const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/strategy-server.md'), 'utf8')
    const lines = [...guide.matchAll(/^curl (?:.*\\\n)*.*$/gm)].map(([line]) => line)
    const written = (at: number, instance = ''): unknown => curl(lines[at]!.replace('localhost:8000', new URL(url).host).replace('INSTANCE', instance).replace('BTCUSDT', 'XRPUSDT').replace('0.01', '10'))
    expect(written(0)).toMatchObject([{ module: 'maker.ts', strategyName: 'TouchMaker', parameters: [{ name: 'instrument' }, { name: 'size' }] }])
    const { instanceId } = written(1) as { instanceId: string }
    const channel = startCommand(['channel', 'signals', '--origin', 'desk2', '--server', url], folder)
    started.push(channel)
    let out = ''
    channel.child.stdout!.on('data', (text) => { out += String(text) })
    expect(written(2, instanceId)).toMatchObject({ instanceName: 'maker', state: 'STARTING' })
    expect(written(3)).toMatchObject([{ instanceName: 'maker' }])
    while (!out.includes('widen 2')) {
      expect(written(4)).toBeNull()
      await new Promise((done) => setTimeout(done, 100))
    }
    const ended = async (): Promise<boolean> => ['STOPPED', 'FAILED'].includes((await statusOf(url))[0]!.state)
    while (!await ended()) await new Promise((done) => setTimeout(done, 100))
    const [status] = await statusOf(url)
    expect([status?.state, status?.end?.end]).toEqual(['STOPPED', 'whole'])
    for (const name of ['journal', 'orders']) {
      const page = await (await fetch(`${url}${BASE}/instance/${instanceId}/${name}?limit=2`)).json() as { lines: { line: number, text: string }[] }
      expect([name, page.lines.length, page.lines.every(({ text }) => typeof (JSON.parse(text) as { kind: unknown }).kind === 'string')]).toEqual([name, 2, true])
    }
    command.child.kill('SIGINT')
    expect((await command.end).code).toBe(130)
  })

  test('a configuration with a strategy server of its own venues', async () => {
    const folder = project()
    const venue = { type: 'replay', files: ['days'], from: '23:58', account: { balances: { USDT: '1000' } } }
    writeFileSync(join(folder, 'serve.json'), JSON.stringify({ data: ['days'], httpPort: 0, strategyServer: { strategies: 'strategies', store: 'store', port: 0, venues: { late: venue } }, account: { balances: { USDT: '1' } } }))
    const { url } = await serve(newFolder(), ['--config', join(folder, 'serve.json')])
    const create = async (config: object): Promise<{ status: number, body: unknown }> => {
      const response = await fetch(`${url}${BASE}/instance`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ instanceName: 'maker', strategyName: 'TouchMaker', ...config }) })
      return { status: response.status, body: await response.json() }
    }
    const faults = { error: { code: 'INVALID_FIELDS', details: { faults: [{ path: 'parameters.instrument' }, { path: 'parameters.size' }, { path: 'parameters.more' }] } } }
    expect(await create({ parameters: { instrument: 'BTCUSDT', size: 'x', more: 1 } })).toMatchObject({ status: 422, body: faults })
    const parameters = { instrument: 'XRPUSDT', size: '10' }
    const made = await create({ parameters })
    expect(made).toMatchObject({ status: 201, body: { venue: 'late', module: 'maker.ts' } })
    await fetch(`${url}${BASE}/instance/${(made.body as { instanceId: string }).instanceId}/start`, { method: 'POST' })
    const { type: _, files, ...run } = venue
    writeFileSync(join(folder, 'maker.run.json'), JSON.stringify({ ...run, strategy: './strategies/maker.ts#TouchMaker', data: files, parameters }))
    const { out, err } = await backtape(['backtest', 'maker.run.json', '--json', '--no-record'], { cwd: folder })
    const { fingerprint } = JSON.parse(out === '' ? JSON.stringify({ fingerprint: err }) : out) as { fingerprint: string }
    while ((await statusOf(url))[0]!.end === undefined) await new Promise((done) => setTimeout(done, 100))
    expect((await statusOf(url))[0]).toMatchObject({ state: 'STOPPED', end: { end: 'whole', fingerprint } })
  })

  test.each([
    [['--data', 'days', '--strategy-port', '0'], '--strategy-port'], [['--data', 'days', '--resume'], '--resume'], [['--data', 'days', '--strategies', 'none', '--strategy-port', '70000'], '--strategy-port'],
    [['--data', 'days', '--strategies', 'strategies', '--token-file', 'none'], 'tokenFile'],
  ] as const)('%j is refused: %s', async (args, words) => {
    const { code, err } = await backtape(['serve', ...args, ...args.includes('--strategies' as never) ? ['--store', 'store'] : []], { cwd: project() })
    expect([code, err]).toEqual([2, expect.stringContaining(words) as string])
  })
})
