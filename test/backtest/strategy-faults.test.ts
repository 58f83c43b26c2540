import { afterAll, describe, expect, test } from 'vitest'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { runRunFile } from '../../src/backtest/run-file.js'
import { packageFolder, RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => { folder.remove() })

/** What a run file over a strategy with this body is refused or ended with. */
async function failureOf(module: string, parameters: object = {}): Promise<string> {
  folder.write('subject.ts', module)
  const path = folder.write('subject.run.json', runContent({ parameters: { instrument: 'XRPUSDT', ...parameters } }))
  try {
    await runRunFile(await readRunFile(path))
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

describe('a strategy that throws', () => {
  test.each<readonly [what: string, body: string, at: string, line: number]>([
    ['in a callback', '  override onInstrumentTopOfBook(): void {\n    this.fail()\n  }\n  fail(): void { throw new Error("broken") }', 'onInstrumentTopOfBook threw Error: broken', 9],
    ['in a timer with a name', '  override onStart(): void {\n    this.after(1, () => { throw new Error("broken") }, { name: "quote" })\n  }', 'timer "quote" threw Error: broken', 7],
    ['in a timer without one', '  override onStart(): void {\n    this.every(1, () => { throw new Error("broken") })\n  }', 'subject.ts:7:10 threw Error: broken', 7],
    ['what this package threw', '  override onStart(): void {\n    Price.from("x")\n  }', 'onStart threw BacktapeError', 7],
    ['in its constructor', '  constructor() { super()\n    throw new Error("broken") }', 'its constructor threw', 7],
  ])('%s has the lines of its own code alone', async (_what, body, at, line) => {
    const message = await failureOf(strategyModule(body))
    expect(message).toContain(at)
    const frames = message.split('\n').filter((one) => /^\s+at /.test(one))
    expect(frames[0]).toContain('subject.ts')
    expect(frames.filter((frame) => frame.includes(`${packageFolder}/dist/`) || /[( ]node:/.test(frame))).toEqual([])
    expect(message).toContain(`subject.ts:${line}:`)
  })
})

test.each([
  ['left-pad-of-nobody', 'left-pad-of-nobody'], ['@nobody/pads/left', '@nobody/pads'], ['left-pad-of-nobody/deep/file.js', 'left-pad-of-nobody'],
])('a strategy that imports the missing package %s is refused with what to install', async (specifier, name) => {
  const message = await failureOf(`import pad from '${specifier}'\n${strategyModule('  readonly pad: unknown = pad')}`)
  expect(message).toContain(`the package ${name} is not installed: npm install ${name}`)
})

test('a missing file of the user is no package', async () => {
  const message = await failureOf(`import pad from './pad.js'\n${strategyModule('  readonly pad: unknown = pad')}`)
  expect(message).toContain('./pad.js')
  expect(message).not.toContain('npm install')
})

test('a negative quantity of a run file is refused with its path', async () => {
  expect(await failureOf(strategyModule('  @Parameter(Quantity) size!: Quantity'), { size: '-1' })).toMatch(/parameters?.*size: expected a quantity of at least 0; a declaration with min allows less, found -1/s)
})
