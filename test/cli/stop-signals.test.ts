import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { isNight, repeated } from '../support/repetitions.ts'
import { startCommand, STOP_SIGNALS, until, type StartedCommand } from '../support/started-command.js'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'backtape-signals-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NAME = 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst'
const whole = readFileSync(join(root, 'datasets', NAME))
const half = whole.subarray(0, whole.length >> 1)

const start = (args: readonly string[]): StartedCommand => startCommand(args, folder)

/** Writes what holds no end, and waits until the other side has taken all but what a pipe holds. */
function fed(pipe: Writable): Promise<void> {
  return new Promise((done) => pipe.write(half, () => done()))
}

const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 500))

/** Each with an input that is held open. */
const READING: readonly (readonly [string, readonly string[]])[] = [
  ['info', ['info', '-']],
  ['audit', ['audit', '-']],
  ['events', ['events', '-', '--day', '2026-07-01']],
  ['book', ['book', '-', '--day', '2026-07-01', '--at', '23:59']],
  ['book to a file', ['book', '-', '--day', '2026-07-01', '--every', '1s', '--out', 'OUT/grid.parquet']],
  ['minutes', ['minutes', '-', '--day', '2026-07-01', '--out', 'OUT/minutes.csv']],
  ['convert', ['convert', '-', '--day', '2026-07-01', '--to', 'csv', '--out', 'OUT']],
]

// Every signal stops every command in one place (stop-signal.ts): by day each command is stopped by one of them.
describe.each(STOP_SIGNALS)('%s ends with %d', { concurrent: true }, (signal, wanted) => {
  const isFirst = signal === 'SIGINT'
  test.each(repeated(READING, (_, at) => (at % 2 === 0) === isFirst))('%s', async (name, args) => {
    const out = join(folder, `${name}-${signal}`.replaceAll(' ', '-'))
    mkdirSync(out)
    const { child, end } = start(args.map((word) => word.replace('OUT', out)))
    await fed(child.stdin)
    await settled()
    child.kill(signal)
    const { code, err, out: shown } = await end
    child.stdin.destroy()
    expect(err).toContain('Stopping; press Ctrl-C again to leave at once.')
    expect(err).not.toContain('Unexpected')
    expect(shown).not.toContain('NOT SOUND')
    expect(code).toBe(wanted)
    const left = readdirSync(out).filter((file) => !/manifest|^\./.test(file))
    expect(left).toEqual([])
  })

  if (isNight || isFirst) test('an input without a first byte', async () => {
    const { child, end } = start(['info', '-'])
    await new Promise((done) => setTimeout(done, isNight ? 4000 : 2000))
    child.kill(signal)
    expect((await end).code).toBe(wanted)
    child.stdin.destroy()
  })

  if (isNight || !isFirst) test('synth, without a part of a file left', async () => {
    const out = join(folder, `synth-${signal}`)
    const { child, end } = start(['synth', '--minutes', '1440', '--days', '2', '--out', out])
    await until(() => existsSync(out) && readdirSync(out).length > 0)
    child.kill(signal)
    const { code, err } = await end
    expect(err).toContain('it was stopped')
    expect(code).toBe(wanted)
    expect(readdirSync(out)).toEqual([])
  })
})

test('a second Ctrl-C ends the process at once', async () => {
  const { child, end } = start(['synth', '--minutes', '1440', '--days', '2', '--out', join(folder, 'twice')])
  await until(() => existsSync(join(folder, 'twice')) && readdirSync(join(folder, 'twice')).length > 0)
  child.kill('SIGINT')
  child.kill('SIGINT')
  expect((await end).code).toBe(130)
})

test('a command that fails ends while its input is held open', async () => {
  const { child, end } = start(['book', '-', '--at', '12:00'])
  await fed(child.stdin)
  const { code, err } = await end
  child.stdin.destroy()
  expect(err).toContain('the day of the file is unknown')
  expect(code).toBe(2)
})
