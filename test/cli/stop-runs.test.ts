import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { repeated } from '../support/repetitions.ts'
import { startCommand, STOP_SIGNALS, until } from '../support/started-command.js'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'backtape-stop-runs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// Fourteen minutes: the half of them is more than a batch.
const made = spawnSync(process.execPath, [join(root, 'bin/backtape.js'), 'synth', '--minutes', '14', '--out', folder])
const day = join(folder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const half = join(folder, 'half.zst')
if (made.status === 0) writeFileSync(half, readFileSync(day).subarray(0, 1_000_000))
const noBytes = join(folder, 'no-bytes.zst')
writeFileSync(noBytes, '')

/** Quotes; where it is to be slow, what it does at every millisecond takes so long that the whole day takes minutes. Says when it is at work. */
const STRATEGY = `import { Parameter, Strategy, TradingInstrument } from 'backtape'
export class Slow extends Strategy {
  @Parameter(TradingInstrument) instrument: TradingInstrument
  @Parameter(Number) spins: number
  #turns = 0
  onStart(): void { this.every(this.spins > 0 ? 1 : 50, () => { this.#turn() }) }
  #turn(): void {
    if (++this.#turns === 1000) console.error('at work')
    let sum = 0
    for (let i = 0; i < this.spins; i++) sum = Math.imul(sum + i, 31)
    const { bestBid, openOrders } = this.instrument
    if (sum === 0.5 || bestBid === null || openOrders.length > 0) return
    this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('10'), price: bestBid.price })
  }
}
`

interface RunWords {
  readonly data: string
  readonly spins?: number
  readonly to?: string
}

/** A folder with a strategy and its run file. */
function runFolder(name: string, { data, spins = 0, to = '00:14' }: RunWords): string {
  const at = join(folder, name)
  mkdirSync(at)
  writeFileSync(join(at, 'slow.ts'), STRATEGY)
  writeFileSync(join(at, 'slow.run.json'), JSON.stringify({
    strategy: './slow.ts#Slow', data: [data], day: '2026-07-01', from: '00:00', to,
    parameters: { instrument: 'synthetic_swap:XRPUSDT', spins }, account: { balances: { USDT: '1000' } },
  }))
  return at
}

/** The processor time of a process; null where /proc does not say it. */
function processorTicks(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return null
  }
}

/** Comes when a process that waits for input has done with what it got, on a busy machine too. */
async function atRest({ pid, exitCode }: ChildProcess): Promise<void> {
  for (let last = -1, same = 0; same < 15 && exitCode === null;) {
    await new Promise((done) => setTimeout(done, 100))
    const ticks = processorTicks(pid!) ?? 0
    // A collector or a timer may take a tick.
    same = ticks - last <= 1 ? same + 1 : 0
    last = ticks
  }
}

/** Puts a file into a named pipe and holds the pipe open; `fed` comes when all but what a pipe holds was taken. */
function holdPipe(at: string, file: string): { readonly fed: Promise<unknown>; readonly release: () => void } {
  const pipe = join(at, 'pipe')
  if (spawnSync('mkfifo', [pipe]).status !== 0) throw new Error('no named pipe can be made')
  const script = 'exec 3>"$2"; cat "$1" >&3; echo fed; sleep 120'
  const feeder = spawn('sh', ['-c', script, 'sh', file, pipe], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const fed = new Promise((done) => { feeder.stdout.once('data', done) })
  return { fed, release: () => { process.kill(-(feeder.pid as number), 'SIGKILL') } }
}

/** Names of a folder beside the strategy and its run file. */
const written = (at: string): string[] => readdirSync(at).filter((name) => !/^(?:slow\.ts|slow\.run\.json|pipe)$/.test(name)).sort()

const OUTPUTS = ['--journal', 'slow.jsonl', '--out', 'tables', '--checkpoint-every', '1h']

describe.skipIf(process.platform === 'win32').each(repeated(STOP_SIGNALS))('one %s ends with %d', { concurrent: true }, (signal, wanted) => {
  test('a backtest, which leaves its result so far and its checkpoint', async () => {
    const at = runFolder(`backtest-${signal}`, { data: day, spins: 50_000 })
    const { child, end, errors } = startCommand(['backtest', 'slow.run.json', ...OUTPUTS], at)
    await until(() => readdirSync(at).some((name) => /slow\.jsonl/.test(name)) || child.exitCode !== null)
    await until(() => errors().includes('at work'))
    child.kill(signal)
    const { code, out } = await end
    expect(errors()).toMatch(/Wrote the checkpoint of 2026-07-01T00:[01]\d.* to slow\.checkpoint\.json/)
    expect(errors()).toContain('Stopped before the data ended: this is the result so far.')
    expect(out).toContain('stopped before the data ended')
    expect(code).toBe(wanted)
    expect(written(at)).toEqual(['slow.checkpoint.json', 'slow.jsonl', 'tables'])
    expect(readFileSync(join(at, 'slow.jsonl'), 'utf8').trimEnd().split('\n').at(-1)).toBe('{"kind":"partial","reason":"the run was stopped before its data ended"}')
    const [heads = '', row = ''] = readFileSync(join(at, 'tables/runs.csv'), 'utf8').split(/\r?\n/)
    expect(row.split(',').at(heads.split(',').indexOf('is_partial') - heads.split(',').length)).toBe('true')
    expect(readFileSync(join(at, 'tables/fills.csv.json'), 'utf8')).toContain('"partial": "the run was stopped before its data ended"')
    expect(readdirSync(join(at, 'tables')).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('verify, which leaves no golden', async () => {
    const at = runFolder(`verify-${signal}`, { data: day, spins: 50_000 })
    const { child, end, errors } = startCommand(['verify', 'slow.run.json', '--update'], at)
    await until(() => errors().includes('at work') || child.exitCode !== null)
    child.kill(signal)
    const { code, out } = await end
    expect(out).toContain('Cannot verify slow.run.json: the run was stopped before its end')
    expect(code).toBe(wanted)
    expect(written(at)).toEqual([])
  })

  test('a backtest whose named pipe is held open; the whole day goes on from its checkpoint', async () => {
    const at = runFolder(`held-${signal}`, { data: './pipe', to: '00:11' })
    const { fed, release } = holdPipe(at, half)
    const { child, end } = startCommand(['backtest', 'slow.run.json', ...OUTPUTS], at)
    await fed
    await atRest(child)
    child.kill(signal)
    const { code, err } = await end
    release()
    expect(err).toMatch(/Wrote the checkpoint of 2026-07-01T00:0[1-9].* to slow\.checkpoint\.json/)
    expect(err).not.toContain('Unexpected')
    expect(code).toBe(wanted)
    expect(written(at)).toEqual(['slow.checkpoint.json', 'slow.jsonl', 'tables'])
    rmSync(join(at, 'pipe'))
    writeFileSync(join(at, 'pipe'), readFileSync(day))
    const fingerprint = async (...more: string[]): Promise<string> => {
      const { out, code: ending } = await startCommand(['backtest', 'slow.run.json', '--json', ...more], at).end
      expect(ending).toBe(0)
      return (JSON.parse(out) as { fingerprint: string }).fingerprint
    }
    expect(await fingerprint('--resume')).toBe(await fingerprint())
  })

  test.each([
    ['before its first byte', noBytes, '00:14', 'Cannot finish .*pipe: it was stopped'],
    ['behind the end of the run', half, '00:01', 'this is the result so far'],
  ])('a backtest whose named pipe is held open %s', async (name, file, to, words) => {
    const at = runFolder(`${name}-${signal}`.replaceAll(' ', '-'), { data: './pipe', to })
    const { fed, release } = holdPipe(at, file)
    const { child, end } = startCommand(['backtest', 'slow.run.json'], at)
    await fed
    await atRest(child)
    child.kill(signal)
    const { code, err } = await end
    release()
    expect(err).toMatch(new RegExp(words))
    expect(code).toBe(wanted)
    expect(written(at)).toEqual([])
  })

  test('verify whose named pipe is held open', async () => {
    const at = runFolder(`held-verify-${signal}`, { data: './pipe' })
    const { fed, release } = holdPipe(at, half)
    const { child, end } = startCommand(['verify', 'slow.run.json', '--update'], at)
    await fed
    await atRest(child)
    child.kill(signal)
    const { code, out } = await end
    release()
    expect(out).toContain('the run was stopped before its end')
    expect(code).toBe(wanted)
    expect(written(at)).toEqual([])
  })
})
