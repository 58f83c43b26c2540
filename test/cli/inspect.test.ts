import { SourceMap } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { backtape } from '../support/command.ts'
import { InspectorClient } from '../support/inspector-client.ts'
import { RunFolder, runContent } from '../support/run-folder.ts'
import { startCommand, STOP_SIGNALS, until, type StartedCommand } from '../support/started-command.js'

const folder = new RunFolder()
afterAll(() => folder.remove())

folder.write('lib/spread.ts', 'export interface Width { ticks: number }\n\nexport const widest: Width = { ticks: 7 }\n')
const module = folder.write('subject.ts', `import { Parameter, Strategy, TradingInstrument } from 'backtape'
import { widest } from './lib/spread.js'

interface Unused {
  nothing: string
}

export class Subject extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  here: string = import.meta.dirname

  override onStart(): void {
    const found: number = widest.ticks
    this.log(String(found))
  }
}
`)
const STOP_LINE = 13
const run = folder.write('subject.run.json', runContent())

const addressOf = (command: StartedCommand): string => /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(command.errors())?.[0] ?? ''

async function waiting(): Promise<StartedCommand> {
  const command = startCommand(['backtest', '--inspect=0', run, '--no-record'], folder.path)
  await until(() => command.errors().includes('Waiting for a debugger to attach; the strategy is not loaded yet.'))
  return command
}

/** The place in the code of the first statement of a line of a source, by its map. */
function placeOf(map: SourceMap, source: string, line: number): { readonly lineNumber: number; readonly columnNumber: number } {
  for (let lineNumber = 0; lineNumber < 1_000; lineNumber++) {
    for (let columnNumber = 0; columnNumber < 120; columnNumber++) {
      const entry = map.findEntry(lineNumber, columnNumber)
      if ('originalSource' in entry && entry.originalSource === source && entry.originalLine === line - 1 &&
        entry.generatedLine === lineNumber && entry.generatedColumn === columnNumber) return { lineNumber, columnNumber }
    }
  }
  throw new Error(`no place of ${source}:${String(line)}`)
}

describe('--inspect', { timeout: 180_000 }, () => {
  test.each([
    ['--inspect=65536', 'it must be a port from 0 to 65535, found 65536'],
    ['--inspect=x', 'it must be a whole number from 0 upwards, found "x"'],
    ['--inspect=-1', 'it must be a whole number from 0 upwards, found "-1"'],
    ['--inspect=', 'it must be followed by a value, found nothing'],
  ])('%s is refused', async (option, why) => {
    const { code, out, err } = await backtape(['backtest', run, option, '--no-record'])
    expect([code, out, err]).toEqual([2, '', `Cannot use --inspect: ${why}\n`])
  })

  test('a port that is taken is refused', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((done) => server.once('listening', done))
    const { port } = server.address() as AddressInfo
    const { code, out, err } = await backtape(['backtest', run, `--inspect=${String(port)}`, '--no-record'])
    server.close()
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(`Cannot use --inspect: it needs a free port of 127.0.0.1, found ${String(port)}, `)
  })

  test.each(STOP_SIGNALS)('%s ends a command that waits', async (signal, code) => {
    const command = await waiting()
    command.child.kill(signal)
    expect((await command.end).code).toBe(code)
  })

  test('waits, stops at a line of TypeScript, and ends as a run without a debugger does', async () => {
    const command = await waiting()
    const client = await InspectorClient.open(addressOf(command))
    await client.send('Debugger.enable')
    // As VS Code: stop before a script with a map, to set the breakpoints of its sources.
    await client.send('Debugger.setInstrumentationBreakpoint', { instrumentation: 'beforeScriptWithSourceMapExecution' })
    await client.send('Runtime.runIfWaitingForDebugger')
    const url = `${pathToFileURL(module).href}?compiled`
    const { scriptId, sourceMapURL } = await client.event('Debugger.scriptParsed', (script) => script['url'] === url)
    const [head, base64 = ''] = String(sourceMapURL).split(',')
    const text = Buffer.from(base64, 'base64').toString()
    const payload = JSON.parse(text) as ConstructorParameters<typeof SourceMap>[0]
    const sources = ['subject.ts', 'lib/spread.ts'].map((name) => pathToFileURL(`${folder.path}/${name}`).href)
    expect([head, payload.sources]).toEqual(['data:application/json;base64', expect.arrayContaining(sources)])
    expect(payload.sourcesContent?.[payload.sources.indexOf(sources[0] ?? '')]).toMatch(/^import \{ Parameter, Strategy/)

    let paused = await client.event('Debugger.paused')
    expect(paused['reason']).toBe('instrumentation')
    const location = { scriptId, ...placeOf(new SourceMap(payload), sources[0] ?? '', STOP_LINE) }
    const { breakpointId } = await client.send('Debugger.setBreakpoint', { location })
    // Other modules with a map may come before.
    while (paused['reason'] === 'instrumentation') {
      await client.send('Debugger.resume')
      paused = await client.event('Debugger.paused')
    }
    expect(paused['hitBreakpoints']).toEqual([breakpointId])
    const [frame] = paused['callFrames'] as readonly { readonly functionName: string; readonly callFrameId: string }[]
    expect(frame?.functionName).toBe('onStart')
    const seen = await client.send('Debugger.evaluateOnCallFrame', { callFrameId: frame?.callFrameId, expression: 'this.here' })
    expect(seen['result']).toMatchObject({ value: folder.path })
    await client.send('Debugger.resume')
    await until(() => command.errors().includes('Waiting for the debugger to disconnect'))
    client.close()
    const { code, out } = await command.end
    const plain = await backtape(['backtest', run, '--no-record'])
    expect([code, out]).toEqual([0, plain.out])
  })
})
