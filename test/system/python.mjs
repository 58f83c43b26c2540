// Runs docs/guide/python.md: its commands, then its Python, with the packages of test/system/python/packages.txt; then the client of docs/guide/python-client.md.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'backtape-python-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: work, encoding: 'utf8', timeout: 300_000, ...options })
  if (done.status === 0) return done.stdout
  console.error(`python: ${[command, ...args].join(' ').slice(0, 200)}\n${done.stdout}\n${done.stderr}`)
  process.exit(1)
}

const python = run('bash', [join(root, 'test/system/python/environment.sh')]).trim()
for (const folder of ['datasets', 'examples', 'profiles', 'schemas', 'node_modules', 'package.json', 'dist', 'lib'])
  symlinkSync(join(root, folder), join(work, folder))
mkdirSync(join(work, 'bin'))
writeFileSync(join(work, 'bin/backtape'), `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'bin/backtape.js')}" "$@"\n`)
chmodSync(join(work, 'bin/backtape'), 0o755)
const env = { ...process.env, CI: 'true', PATH: `${join(work, 'bin')}${delimiter}${process.env.PATH ?? ''}` }
const page = readFileSync(join(root, 'docs/guide/python.md'), 'utf8')
const blocks = (language) => [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map((match) => match[1])
const commands = blocks('sh').join('').split('\n').filter((line) => line.startsWith('backtape '))
const code = blocks('py')
if (commands.length !== 2 || code.length < 4) throw new Error('python: the page has lost its commands or its code')
for (const line of commands) run('sh', ['-c', line], { env })
// The reader of records again, over a run whose fills are records of fine money and lines of text.
writeFileSync(join(work, 'coin.ts'), `
import { Parameter, Strategy, TradingInstrument } from 'backtape'
export class Coin extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  count = 0
  override onStart() {
    this.every(100, () => {
      const { bestBid, bestAsk } = this.instrument
      if (!bestBid || !bestAsk) return
      const isBuy = this.count++ % 2 === 0
      this.instrument.placeOrder({
        side: isBuy ? 'BID' : 'ASK', quantity: this.instrument.quantity('2'), price: isBuy ? bestAsk.price : bestBid.price,
        timeInForce: 'IMMEDIATE_OR_CANCEL', ...(this.count % 5 === 0 ? { context: { count: this.count } } : {}),
      })
    })
  }
}`)
writeFileSync(join(work, 'coin.run.json'), JSON.stringify({
  strategy: './coin.ts#Coin', data: ['datasets/synthetic_coin_swap-ETHUSD-2026-07-01.txt.zst'], to: '23:51',
  parameters: { instrument: 'synthetic_coin_swap:ETHUSD' },
  account: { balances: { ETH: '1000' }, fees: { maker: '0.00025', taker: '0.0005' } },
}))
run('sh', ['-c', 'backtape backtest coin.run.json --journal coin.jsonl'], { env })
const reader = code.find((block) => block.includes('hashlib'))?.replace(/^run = .*$/m, "run = 'coin.run.json'").replaceAll('run.btj', 'coin.btj')
code.push(`
journal = pd.read_json('coin.jsonl', lines=True, dtype=False)
executions = pd.json_normalize(journal.loc[journal['kind'] == 'fill', 'fills'].explode().tolist(), max_level=0)
places = executions['fees'].map(lambda fee: -Decimal(fee).as_tuple().exponent)
has_context = executions['context'].notna()
assert has_context.any() and (places[~has_context] > 18).any()
`, reader)
writeFileSync(join(work, 'page.py'), code.join('\n'))
console.log(run(python, ['page.py'], { env }).split('\n').slice(0, 12).join('\n'))
console.log(`python: ${code.length - 2} pieces of docs/guide/python.md ran`)

// The client of docs/guide/python-client.md, against the server that the page starts.
const serve = readFileSync(join(root, 'docs/guide/python-client.md'), 'utf8')
const [, command] = /^(backtape serve .*--addresses addresses\.json)$/m.exec(serve) ?? []
const [, client] = /```py\n(.*?)```/s.exec(serve) ?? []
if (command === undefined || client === undefined) throw new Error('python: docs/guide/python-client.md has lost its client')
writeFileSync(join(work, 'client.py'), client)
const server = spawn(process.execPath, [join(root, 'bin/backtape.js'), ...command.split(' ').slice(1), '--port', '0'], { cwd: work, env, stdio: ['ignore', 'ignore', 'inherit'] })
process.on('exit', () => server.kill())
for (let waited = 0; !existsSync(join(work, 'addresses.json')); waited++) {
  if (waited > 600 || server.exitCode !== null) throw new Error('python: backtape serve did not begin')
  await new Promise((done) => { setTimeout(done, 100) })
}
const traded = run(python, ['client.py'], { timeout: 120_000 })
if (!/^filled BID 100 at \d+\.\d+ fees \d+\.\d+$/m.test(traded) || !traded.endsWith("over: ['FILLED']\n")) throw new Error(`python: the client of docs/guide/python-client.md printed ${traded}`)
console.log(`python: the client of docs/guide/python-client.md: ${traded.trim().split('\n').join('; ')}`)
server.kill()
