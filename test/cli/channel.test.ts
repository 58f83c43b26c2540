import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { backtape } from '../support/command.ts'
import { newFolder } from '../support/new-folder.ts'
import { openedStrategies, type OpenedStrategies } from '../support/opened-strategies.ts'
import { startCommand, until } from '../support/started-command.ts'

/** Addresses that hold a password. */
const SECRETS = ['http://u:S3CRET@127.0.0.1:1', 'https://S3CRET@127.0.0.1:1/', 'u:S3CRET@127.0.0.1', 'http://u:S3CRET/@127.0.0.1:1']

const opened: OpenedStrategies[] = []
afterEach(async () => { for (const { server } of opened.splice(0)) await server.close() })

async function open(config: Parameters<typeof openedStrategies>[0] = {}): Promise<OpenedStrategies> {
  const one = await openedStrategies(config)
  opened.push(one)
  return one
}

describe('backtape channel', () => {
  test('prints what comes, publishes lines of standard input, and ends with Ctrl-C', async () => {
    const { server, ask } = await open()
    const desk = new WebSocket(`${server.url.replace('http', 'ws')}/ws/v1`)
    const taken: string[] = []
    desk.on('message', (data: Buffer) => { taken.push(data.toString('utf8')) })
    await once(desk, 'open')
    for (const frame of [{ op: 'login', origin: 'other' }, { op: 'subscribe', channel: 'signals' }]) desk.send(JSON.stringify(frame))
    const command = startCommand(['channel', 'signals', '--origin', 'desk', '--server', server.url], newFolder())
    let out = ''
    command.child.stdout!.on('data', (text) => { out += String(text) })
    command.child.stdin.write('hello\nwiden 2\n')
    await until(() => taken.length >= 4)
    expect(taken.slice(2).map((text) => JSON.parse(text) as object)).toEqual(['hello', 'widen 2'].map((message) => ({ op: 'event', channel: 'signals', origin: 'desk', message })))
    await ask('POST', '/api/v1/channel/signals/send?origin=rest', 'ok\u001b[31m')
    await ask('POST', '/api/v1/channel/other/send?origin=rest', 'not this')
    desk.send(JSON.stringify({ op: 'publish', channel: 'signals', message: 'pong' }))
    await until(() => out.includes('pong'))
    command.child.kill('SIGINT')
    const { code } = await command.end
    desk.terminate()
    expect([code, out.split('\n').length, out.includes('\u001b'), out.startsWith('rest: ok')]).toEqual([130, 3, false, true])
  })

  test('refusals: of the command, of the server, and a connection that ends', async () => {
    const tokenFile = join(newFolder(), 'token')
    writeFileSync(tokenFile, 'a-token-of-16-letters', { mode: 0o600 })
    const one = await open({ tokenFile })
    const bearer = { authorization: 'Bearer a-token-of-16-letters' }
    await one.made('maker', bearer)
    const [cwd, server] = [newFolder(), one.server.url]
    for (const [args, words] of [
      [['signals'], '--origin'], [[], 'backtape channel NAME'], [['signals', '--origin', 'desk', '--server', 'localhost'], 'server must be a URL such as http://host:port'],
      [['signals', '--origin', 'desk', '--server', 'http://127.0.0.1:1'], 'Cannot keep the connection'],
      ...SECRETS.map((url) => [['signals', '--origin', 'desk', '--server', url], 'server must be a URL'] as const), [['signals', '--origin', 'desk', '--server', server], '401'],
      [['signals', '--origin', 'desk', '--server', server, '--token-file', join(cwd, 'none')], 'a file with a token'],
      [['signals', '--origin', 'maker', '--server', server, '--token-file', tokenFile], 'another client has this origin'], [['x'.repeat(250), '--origin', 'desk', '--server', server, '--token-file', tokenFile], '1 to 249 characters'],
    ] as const) {
      const { code, out, err } = await backtape(['channel', ...args], { cwd })
      expect([code === 0 && args.length > 0, args, (out + err).includes(words) && !(out + err).includes('S3CRET') ? words : out + err]).toEqual([false, args, words])
    }
    const command = startCommand(['channel', 'signals', '--origin', 'desk', '--server', server, '--token-file', tokenFile, '--json'], cwd)
    let out = ''
    command.child.stdout!.on('data', (text) => { out += String(text) })
    while (out === '') await one.ask('POST', '/api/v1/channel/signals/send?origin=rest', 'now', bearer)
    expect(JSON.parse(out.split('\n')[0]!)).toEqual({ channel: 'signals', origin: 'rest', message: 'now' })
    await one.server.close()
    const { code, err } = await command.end
    expect([code, err]).toEqual([1, expect.stringContaining('the server ends') as string])
  })
})

describe('backtape stop-all', () => {
  test('stops what runs, waits for it, and names what is left', async () => {
    const { server, made, ask, runs } = await open()
    const cwd = newFolder()
    const nothing = await backtape(['stop-all', '--server', server.url], { cwd })
    expect([nothing.code, nothing.out, nothing.err]).toEqual([0, '', expect.stringContaining('No instance runs') as string])
    for (const [name, openOrders] of [['maker', []], ['taker', ['a', 'b']]] as const) {
      const id = await made(name)
      await ask('POST', `/api/v1/strategy/instance/${id}/start`)
      const run = runs.last
      run.sink.running()
      const command = startCommand(['stop-all', '--server', server.url, ...openOrders.length === 0 ? ['--json'] : []], cwd)
      await until(() => run.asked.length > 0)
      expect(run.asked).toEqual([['stop', true]])
      run.end({ openOrders })
      const { code, out, err } = await command.end
      expect(err).toBe('')
      if (openOrders.length > 0) expect([code, out]).toEqual([1, 'taker: STOPPED, it was stopped; 2 orders are open: a, b\n'])
      else expect([code, JSON.parse(out)]).toMatchObject([0, [{ instanceName: 'maker', state: 'STOPPED' }]])
    }
  })

  test('refusals', async () => {
    const tokenFile = join(newFolder(), 'token')
    writeFileSync(tokenFile, 'a-token-of-16-letters', { mode: 0o600 })
    const { server } = await open({ tokenFile })
    const other = join(newFolder(), 'token')
    writeFileSync(other, 'another-token-of-letters', { mode: 0o600 })
    const [cwd, closed] = [newFolder(), await open()]
    const gone = closed.server.url
    await closed.server.close()
    for (const [args, words] of [
      [['--server', gone], 'ECONNREFUSED'], ...SECRETS.map((url) => [['--server', url], 'server must be a URL'] as const), [['--server', 'http://127.0.0.1:1'], 'bad port'], [['--server', 'localhost'], 'server must be a URL such as http://host:port'], [['--server', server.url], 'it needs its token (--token-file), found none'],
      [['--server', server.url, '--token-file', other], 'found another one'], [['now'], 'stop-all'], [['--server', `${server.url}/api`, '--token-file', tokenFile], 'No instance runs'],
    ] as const) {
      const { code, out, err } = await backtape(['stop-all', ...args], { cwd })
      expect([code === 0, (out + err).includes(words) && !(out + err).includes('S3CRET') ? words : out + err]).toEqual([words === 'No instance runs', words])
    }
  })
})
