import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Output } from '../../src/cli/terminal/output.js'
import { backtape } from '../support/command.ts'
import { dayBytes, masterData, time, type Line } from '../support/hand-made-day.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())

/** Clears a screen, recolours, rings, turns text around. */
const EVIL = 'E\u001b[2J\u009b31m\u0007\u007f\u202eL'
const SHOWN = 'E\\u001b[2J\\u009b31m\\u0007\\u007f\\u202eL'
const evil = join(folder.path, `made-${EVIL}`)
const day = join(evil, `made-${EVIL}-2026-07-01.txt.zst`)
const LINES: Line[] = [
  [
    0,
    '0',
    'a',
    time('11:59:59'),
    0,
    [
      [0, '100', '2', 1],
      [1, '101', '4', 1],
    ],
  ],
  [2, '0', 't1', time('12:00:01'), 0, [[0, '101', '1', EVIL, time('12:00:00')]]],
]
const RAW = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]/

beforeAll(() => {
  mkdirSync(evil)
  writeFileSync(day, dayBytes(masterData({ code: EVIL }), LINES))
  writeFileSync(join(evil, 'bad.txt.zst'), dayBytes(masterData({ code: EVIL }), [...LINES, [EVIL, 'x']]))
  folder.write(
    `made-${EVIL}/subject.ts`,
    strategyModule(`  override onStart(): void { this.log(${JSON.stringify(EVIL)}) }`),
  )
  folder.write(
    `made-${EVIL}/subject.run.json`,
    runContent({ data: [day], from: '12:00', to: '12:01', parameters: { instrument: EVIL } }),
  )
  folder.write(`made-${EVIL}/wrong.run.json`, runContent({ data: [day], parameters: { [EVIL]: EVIL } }))
})

describe('nothing of a file or a name reaches a terminal raw', { timeout: 180_000 }, () => {
  test.each<[string, string[], boolean]>([
    ['info', ['info', day], true],
    ['info as JSON', ['info', day, '--json'], true],
    ['audit', ['audit', day, join(evil, 'bad.txt.zst')], true],
    ['audit as JSON', ['audit', day, '--json'], true],
    ['events', ['events', day], true],
    ['book', ['book', day, '--at', '12:00'], true],
    ['a grid', ['book', day, '--every', '1h', '--json'], false],
    ['minutes', ['minutes', day, '--out', join(evil, 'minutes.csv')], true],
    ['convert', ['convert', day, '--out', join(evil, 'out')], true],
    ['backtest', ['backtest', join(evil, 'subject.run.json'), '--journal', join(evil, 'j.jsonl')], true],
    ['a run file that is refused', ['backtest', join(evil, 'wrong.run.json')], true],
    ['verify', ['verify', evil], true],
    ['synth', ['synth', '--minutes', '1', '--out', join(evil, 'made')], true],
    ['a file that is not there', ['info', join(evil, 'none')], true],
    ['an option', ['info', day, `--${EVIL}`], false],
    ['a command', [EVIL], true],
  ])('%s', async (_, words, isNamed) => {
    const { out, err } = await backtape(words)
    expect(out).not.toMatch(RAW)
    expect(err).not.toMatch(RAW)
    if (isNamed) expect(out + err).toContain(SHOWN)
  })

  test('a name with line ends stays within its sentence', async () => {
    const { err } = await backtape(['info', join(folder.path, 'a\nall is well')])
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })

  test('JSON has the value that it had', async () => {
    const { out } = await backtape(['info', day, '--json'])
    expect(JSON.parse(out)).toMatchObject([{ file: day, instrument: { code: EVIL } }])
  })
})

describe('standard output', () => {
  const written = async (isTTY: boolean, work: (output: Output) => Promise<void>): Promise<string> => {
    let text = ''
    const stream = Object.assign(
      new Writable({
        write: (chunk, _, done) => {
          text += String(chunk)
          done()
        },
      }),
      { isTTY },
    )
    const output = new Output(stream, stream)
    await work(output)
    await output.flush()
    return text
  }
  const cells = new TextEncoder().encode('a,\u001b[31m\u009b,ü\r\n')

  test('has data as they are where no terminal is, and escaped on one, however they are cut', async () => {
    expect(await written(false, (output) => output.bytes(cells))).toBe('a,\u001b[31m\u009b,ü\r\n')
    const shown = await written(true, async (output) => {
      for (const byte of cells) await output.bytes(Uint8Array.of(byte))
    })
    expect(shown).toBe('a,\\u001b[31m\\u009b,ü\\u000d\n')
    expect(await written(true, (output) => output.bytes(cells))).toBe('a,\\u001b[31m\\u009b,ü\r\n')
  })

  test('moves the cursor for progress alone', async () => {
    expect(
      await written(true, (output) => {
        output.noteOver('a\rb\nc\u001b')
        return Promise.resolve()
      }),
    ).toBe('\ra\\u000db\\u000ac\\u001b\r')
  })
})
