import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { Output } from '../../src/cli/terminal/output.js'
import { ReadProgress } from '../../src/cli/read-progress.js'
import { RunProgress } from '../../src/cli/run-progress.js'
import { alignedLines } from '../../src/cli/terminal/text-table.js'
import type { TickSource } from '../../src/tickfile/archive/tick-source.js'
import { backtape } from '../support/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'backtape-comfort-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

class Sink extends Writable {
  text = ''
  constructor(readonly isTTY: boolean, readonly columns?: number) {
    super()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += String(chunk)
    done()
  }
}

describe('colours', () => {
  const RED = '\u001b[31mno\u001b[39m\n'
  test.each<readonly [terminal: boolean, env: Record<string, string>, text: string]>([
    [true, {}, RED], [false, {}, 'no\n'],
    [true, { NO_COLOR: '1' }, 'no\n'], [true, { NO_COLOR: '' }, RED], [true, { TERM: 'dumb' }, 'no\n'],
    [false, { FORCE_COLOR: '1' }, RED], [true, { FORCE_COLOR: '0' }, 'no\n'], [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, 'no\n'],
  ])('terminal %s, %j', (terminal, env, text) => {
    const notes = new Sink(terminal)
    new Output(new Sink(false), notes, env).fail('no')
    expect(notes.text).toBe(text)
  })

  test('warnings are yellow, other notes plain, and no text colours itself', () => {
    const notes = new Sink(true)
    const output = new Output(new Sink(true), notes, {})
    output.note('Warning: \u001b[32mgreen')
    output.note('done')
    expect(notes.text).toBe('\u001b[33mWarning: \\u001b[32mgreen\u001b[39m\ndone\n')
  })
})

describe('tables that fit', () => {
  const rows = [['run', 'note', 'profit'], ['a1', 'a long note on this run', '-123456.78901'], ['b2', 'short', '1']]
  test('texts are cut, numbers are not', () => {
    const lines = alignedLines(rows, new Set([2]), 32)
    expect(lines).toEqual([
      'run  note                 profit', 'a1   a long note…  -123456.78901', 'b2   short                     1',
    ].map((line) => line))
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(32)
  })

  test('nothing is cut without a width, or where it fits; columns keep ten cells', () => {
    expect(alignedLines(rows, new Set([2]))).toEqual(alignedLines(rows, new Set([2]), 80))
    expect(alignedLines(rows, new Set([2]), 1)[1]).toBe('a1   a long no…  -123456.78901')
  })

  test('standard output that is no terminal has no width', () => {
    expect(new Output(new Sink(true, 70), new Sink(false)).width).toBe(70)
    expect(new Output(new Sink(true), new Sink(false)).width).toBe(80)
    expect(new Output(new Sink(false, 70), new Sink(false)).width).toBeNull()
  })
})

describe('progress of reading', () => {
  const source = (pauseMs: number): TickSource => ({
    name: 'a.zst', fileName: 'a.zst', sizeBytes: 4, repeatable: true,
    async *open() {
      for (let i = 0; i < 4; i++) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        yield Uint8Array.of(i)
      }
    },
  })
  async function shown(output: Output, pauseMs: number): Promise<void> {
    const progress = new ReadProgress(output)
    const bytes: number[] = []
    for await (const chunk of progress.counted(source(pauseMs), 'reading').open()) bytes.push(...chunk)
    expect(bytes).toEqual([0, 1, 2, 3])
    progress.end('a.zst')
  }

  test('is there after a second, and gone at the end', async () => {
    const notes = new Sink(true, 100)
    await shown(new Output(new Sink(true), notes, {}), 400)
    expect(notes.text).toMatch(/\ra\.zst: reading ###############\.\.\.\.\. 75 %, [\d.]+ B\/s, 1 s left/)
    expect(notes.text).toMatch(/\r +\r\r\r$/)
  })

  test('is not there before, nor without a terminal', async () => {
    const [quick, plain] = [new Sink(true), new Sink(false)]
    await shown(new Output(new Sink(true), quick, {}), 1)
    await shown(new Output(new Sink(true), plain, {}), 400)
    expect(quick.text + plain.text).toBe('')
  })
})

describe('progress of a run', () => {
  const step = { timeNs: 150n, fromNs: 100n, toNs: 200n, runCount: 1, doneCount: 0, playingCount: 1, share: 0.5 }
  test.each<[string, Partial<Omit<typeof step, 'toNs'>> & { readonly toNs?: null }, RegExp]>([
    ['of one its market time', {}, /\rx: 1970-01-01T00:00:00Z \(50 %\), 0 s/],
    ['before its begin no part of it', { timeNs: 50n, share: 0 }, /\rx: 1970-01-01T00:00:00Z, 0 s/],
    ['where nothing states the end no part of it', { toNs: null, share: 0 }, /\rx: 1970-01-01T00:00:00Z, 0 s/],
    ['of several how many have ended, and the part of all', { runCount: 1512, doneCount: 1128, playingCount: 52, share: 0.7599 }, /\rx: 1,128 of 1,512 runs \(75 %\), 0 s/],
  ])('%s', async (_what, more, wanted) => {
    const notes = new Sink(true, 100)
    const progress = new RunProgress(new Output(new Sink(true), notes, {}), 'x')
    await new Promise((resolve) => setTimeout(resolve, 120))
    progress.show({ ...step, ...more })
    expect(notes.text).toMatch(wanted)
  })
})

describe('completion', () => {
  const words = async (...typed: string[]): Promise<string[]> =>
    (await backtape(['--get-yargs-completions', 'backtape', ...typed], { env: { SHELL: '/bin/bash' } })).out.split('\n').filter((line) => line !== '')

  test('commands, options, their values, and nothing where a file may stand', async () => {
    expect(await words('""')).toEqual(expect.arrayContaining(['info', 'sql']))
    const [commands, options, values, zsh, unknown] = await Promise.all([
      words('in'), words('convert', 'x', '--on'), words('convert', '--on-damage', ''),
      backtape(['--get-yargs-completions', 'backtape', 'info', '--j'], { env: { SHELL: '/bin/zsh' } }), words('nothing', '--'),
    ])
    expect(commands).toEqual(expect.arrayContaining(['info', 'init', 'import', 'backtest', 'completion']))
    expect(options).toEqual(expect.arrayContaining(['--on-damage', '--out']))
    expect(values).toEqual(['stop', 'count', 'skip'])
    expect(zsh.out).toMatch(/^--json:one JSON array/m)
    expect(unknown).toEqual([])
  })

  test('the script of bash completes a line in bash', async () => {
    const [bash, zsh, other] = await Promise.all([backtape(['completion', 'bash']), backtape(['completion', 'zsh']), backtape(['completion', 'csh'])])
    expect(bash).toMatchObject({ code: 0, err: '' })
    expect(zsh.out).toMatch(/^#compdef backtape/)
    expect(other).toMatchObject({ code: 2, out: '' })
    for (const shell of ['fish', 'powershell']) expect((await backtape(['completion', shell])).out).toContain('backtape --get-yargs-completions')
    if (process.platform === 'win32') return
    const program = join(import.meta.dirname, '../../bin/backtape.js')
    const script = join(folder, 'completion.bash')
    writeFileSync(script, `backtape() { "${process.execPath}" "${program}" "$@"; }\n${bash.out}
COMP_WORDS=(backtape synth --era 20); COMP_CWORD=3\n_backtape_yargs_completions\necho "\${COMPREPLY[@]}"\n`)
    const done = spawnSync('bash', [script], { encoding: 'utf8', env: { ...process.env, SHELL: '/bin/bash' } })
    expect(done.stdout.trim().split(' ')).toEqual(expect.arrayContaining(['2025', '2026']))
  })
})
