import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The names that modules take of packages as they need them: of those that are packed, the file of `lib`. */
const taken = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts')).flatMap((path) => (
  [...readFileSync(join(root, 'src', path), 'utf8').matchAll(/(?:\{ ([^=\n]+) \} = )?(?:await |\()+import\('([a-z@][^':]*)'\)\)?(?:\.(\w+))?/g)]
    .flatMap(([, names, name = '', member]) => {
      const piece = readdirSync(join(root, 'lib/chunks')).find((one) => new RegExp(`^${name}-[A-Z0-9]{8}\\.js$`).test(one))
      return piece === undefined ? [] : [[path, name, piece, names?.replaceAll(/: (?:\{[^}]*\}|\w+)/g, '').split(', ') ?? [member!]] as const]
    })))

test('packages that are packed are found', () => {
  expect(taken.map(([, name]) => name).sort()).toEqual(['open', 'picomatch', 'prom-client', 'undici'])
})

test.each(taken)('%s takes of %s what %s exports: %j', async (_path, _name, piece, names) => {
  const exported = await import(pathToFileURL(join(root, 'lib/chunks', piece)).href) as object
  expect(Object.keys(exported)).toEqual(expect.arrayContaining([...names]))
})

test('what ships answers GET /metrics of its control port', async () => {
  const { openServing } = await import(pathToFileURL(join(root, 'lib/serve.js')).href) as typeof import('../../src/serve.js')
  await using serving = await openServing({
    data: [join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')], replay: { start: 'paused' }, httpPort: 0, controlPort: 0,
    account: { exchange: 'synthetic_swap', balances: { USDT: '1' }, fees: { maker: '0', taker: '0' } },
  })
  const { url, token } = serving.addresses.control!
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('\nbacktape_serve_paused 1\n')])
})
