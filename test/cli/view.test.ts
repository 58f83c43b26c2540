import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { servePage } from '../../src/cli/view-server.js'
import type { StretchColumns } from '../../src/panels/stretch-columns.js'
import { unpackedStretch } from '../../src/report/view/stretch-packing.js'
import { readRunRecords } from '../../src/results/run-records-reader.js'
import { backtape, type CommandResult } from '../support/command.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => { folder.remove() })

const body = (words: string): string => strategyModule(`  override onStart(): void {
    this.log('${words}')
    this.every(1_000, () => {
      const { bestBid } = this.instrument
      if (bestBid !== null) this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('100'), price: bestBid.price })
    })
  }
`)
const run = (...args: readonly string[]): Promise<CommandResult> => backtape(args, { cwd: folder.path, env: { CI: '' } })
const view = (...args: readonly string[]): Promise<CommandResult> => run('view', ...args)

function shown(name: string): StretchColumns {
  const data = /id="stretch">([A-Za-z0-9+/=]+)<\/script>/.exec(readFileSync(join(folder.path, name), 'utf8'))?.[1] ?? ''
  return unpackedStretch(gunzipSync(Buffer.from(data, 'base64')).toString())
}

describe('backtape view', { timeout: 180_000 }, () => {
  beforeAll(async () => {
    folder.write('subject.ts', body('first'))
    folder.write('subject.run.json', runContent({ account: { balances: { USDT: '1000' } } }))
    folder.write('two.run.json', runContent({ account: { balances: { USDT: '1000' } }, parameters: [{ instrument: 'XRPUSDT' }, { instrument: 'XRPUSDT' }] }))
    expect((await run('backtest', 'subject.run.json')).code).toBe(0)
  }, 180_000)

  test('writes one page of a run file, and never over another one', async () => {
    const first = await view('subject.run.json', '--from', '23:55:32', '--for', '3s')
    expect([first.code, first.out]).toEqual([0, ''])
    expect(first.err).toMatch(/^Wrote \d+ events and \d+ own fills? to view\.html\n$/)
    const { lines, name, orders } = shown('view.html')
    expect([name, orders.length >= 3, lines.text.length > 3]).toEqual(['subject', true, true])
    expect(await view('subject.run.json', '--from', '23:55:32')).toMatchObject({ code: 2, err: expect.stringContaining('view.html') })
    expect(readFileSync(join(folder.path, 'view.html'), 'utf8')).not.toContain(folder.path)
    expect((await view('subject.run.json', '--from', '23:55:32', '--for', '3s', '--out', 'subject.ts', '--force')).code).not.toBe(0)
    expect(statSync(join(folder.path, 'subject.ts')).size).toBeLessThan(2_000)
  })

  test('replays a remembered run from its resolved configuration, and says that the strategy has changed since', async () => {
    const [record] = (await readRunRecords(folder.path)).records
    const same = await view('last', '--from', '23:55:30', '--to', '23:55:40', '--out', 'last.html')
    expect(same.err).toMatch(/^Wrote [^\n]+\n$/)
    expect(shown('last.html').name).toBe(`subject, run ${record!.id}`)
    expect(shown('last.html').lines.text[0]).toContain('first')
    folder.write('subject.ts', body('second'))
    const changed = await view(record!.id.slice(0, 20), '--from', '23:55:30', '--to', '23:55:40', '--out', 'changed.html')
    folder.write('subject.ts', body('first'))
    expect(changed.code).toBe(0)
    expect(changed.err).toContain('Warning: the strategy has changed since that run; it is played as it is now')
    expect(changed.err).toContain('Warning: this is not the run that was recorded: its journal is another one')
  })

  test.each([
    [['subject.run.json'], 2, '--from: it must be a time of the run, such as 12:30:00, found nothing'],
    [['subject.run.json', '--from', '23:55:31', '--for', '5'], 2, '--for: it must be a duration such as 10ms, 30s or 1h, found "5"'],
    [['subject.run.json', '--from', '23:55:31', '--for', '5s', '--to', '23:55:33'], 2, '--for: it must be left out where --to is given, found 5s'],
    [['subject.run.json', '--from', '23:55:31', '--serve=70000'], 2, '--serve: it must be a port from 0 to 65535, found 70000'],
    [['two.run.json', '--from', '23:55:31'], 2, '--show: it must be the number of a set, below 2, found none'],
    [['nothing', '--from', '23:55:31'], 2, 'Cannot find the run: expected last, best, the beginning of an id or a name, found "nothing"'],
  ])('%j is refused', async (args, code, why) => {
    const found = await view(...args, '--out', 'refused.html')
    expect([found.code, found.err]).toEqual([code, expect.stringContaining(why)])
    expect(existsSync(join(folder.path, 'refused.html'))).toBe(false)
  })
})

describe('a page that is served', () => {
  test('goes to this machine alone: one path, two methods, no other host; and it ends', async () => {
    const stop = new AbortController()
    const { url, ended } = await servePage('<p>page</p>', { port: 0, policy: 'default-src \'none\'', signal: stop.signal })
    const ask = async (path: string, init: RequestInit = {}): Promise<readonly [number, string]> => {
      const response = await fetch(`${url}${path}`, init)
      return [response.status, await response.text()]
    }
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    expect(await ask('')).toEqual([200, '<p>page</p>'])
    expect(await ask('?a=b')).toEqual([200, '<p>page</p>'])
    for (const path of ['favicon.ico', 'package.json', '%2e%2e/etc/passwd', '/']) expect((await ask(path))[0]).toBe(404)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await ask('', { method }))[0]).toBe(405)
    const { headers } = await fetch(url, { method: 'HEAD' })
    expect([headers.get('content-security-policy'), headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['default-src \'none\'; frame-ancestors \'none\'', 'no-store', 'nosniff'])
    await expect(servePage('', { port: Number(new URL(url).port), policy: '', signal: stop.signal })).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    stop.abort()
    await ended
    await expect(fetch(url)).rejects.toThrow()
  })

  test('refuses a request that names another host, as a page elsewhere would make it', async () => {
    const stop = new AbortController()
    const { url, ended } = await servePage('<p>page</p>', { port: 0, policy: '', signal: stop.signal })
    const { request } = await import('node:http')
    const status = await new Promise((resolve) => {
      request(url, { headers: { host: 'evil.example' } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).end()
    })
    expect(status).toBe(403)
    stop.abort()
    await ended
  })
})
