import { dirname, resolve } from 'node:path'
import { withFileErrors } from '../backtest/run-file.js'
import { readRunFile, type RunFile } from '../configuration/run-file-reader.js'
import { overridesText } from '../configuration/run-overrides.js'
import { runStrategies, setsOf } from '../configuration/run-strategies.js'
import { recordingFault } from '../live/day-recording-writer.js'
import { readFeedKey } from '../live/feed-key-reader.js'
import type { LiveOptions, LiveResult } from '../live/live-options.js'
import type { LiveRun } from '../live/live-run.js'
import { playPaper, type PaperOptions, type PaperResult } from '../live/paper/run-paper.js'
import { playLive } from '../live/run-live.js'
import { BacktapeError } from '../model/error.js'
import { keepFailedJournals } from '../results/journal-file-writer.js'
import { failOnExit } from './exit-guard.js'
import { overridesOf } from './override-options.js'
import { resultJson, resultText } from './result-text.js'
import {
  abortOutputs, endAndFormat, openOutputs, protectedFiles, rememberOutputs, STOPPED_EXIT_CODE, writeOutputs,
} from './run-outputs.js'
import { bundlesFolder, isRecorded } from './run-records.js'
import { STOP_SIGNALS } from './stop-signal.js'
import { isInstrumentDays } from '../tickfile/data-input.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'
import { wantedReports } from './wanted-reports.js'

/** Feeds as they are typed: a URL, or `MARKET=URL`. */
function typedFeeds(args: Arguments): LiveOptions['feed'] | undefined {
  return args.list('feed')?.map((text) => {
    const [, market, url = text] = /^([^=:/]+)=(.*)$/.exec(text) ?? []
    return market === undefined ? { url } : { url, market }
  })
}

/** The value of an option or of the section `live`. Throws OPTION_INVALID where neither has it. */
function needed<Value>(name: string, typed: Value | undefined, field: string, stated: Value | undefined): Value {
  const value = typed ?? stated
  if (value !== undefined) return value
  throw optionError(name, `given, or live.${field} of the run file`, 'neither of them')
}

/** The feeds of a run; what was typed stands in the place of what the file states. */
async function feedOptions(
  { path, content: { live = {} } }: RunFile, args: Arguments,
): Promise<Pick<LiveOptions, 'feed' | 'apiKey' | 'giveUpAfter' | 'record'>> {
  const { feeds: stated, giveUpAfter } = live
  const feeds = stated?.map((one) => (typeof one === 'string' ? { url: one } : one))
  const feed = needed('feed', typedFeeds(args), 'feeds', feeds)
  const record = args.text('record') ?? (live.record === undefined ? undefined : resolve(dirname(path), live.record))
  return {
    feed, apiKey: await readFeedKey({ keyVariable: args.text('keyVariable') ?? live.keyVariable }),
    ...(giveUpAfter === undefined ? {} : { giveUpAfter }), ...(record === undefined ? {} : { record }),
  }
}

/** Where the strategy of a run file runs. */
async function liveOptions(runFile: RunFile, args: Arguments): Promise<LiveOptions> {
  const { path, options, content: { live = {} } } = runFile
  if (args.text('lag') !== undefined) throw optionError('lag', 'left out without --paper', String(args.text('lag')))
  const [run, ...others] = runStrategies(options)
  const sets = setsOf(options.parameters)
  if (run === undefined || others.length > 0 || sets.length > 1)
    throw new BacktapeError('OPTION_INVALID', `Cannot run ${path} live: it must have one strategy with one set of ` +
      `parameters, found ${String(1 + others.length)} with ${String(sets.length)}`, { file: path, field: 'strategies' })
  const { backend, directory = args.text('directory'), accounts, clientId, transport, cancel = 'own' } = live
  const cancels = args.text('cancel') ?? cancel
  const { seed, entryStates, shuffleSeed } = options
  return {
    strategy: run.strategy, parameters: run.parametersOf(sets[0] ?? {}),
    backend: needed('backend', args.text('backend'), 'backend', backend), ...await feedOptions(runFile, args),
    accountId: args.list('account') ?? accounts ?? Object.keys(options.accounts ?? { account: null }),
    // Line 1 of the files of the run states what a vendor's directory does not.
    terms: options.data.filter((one) => typeof one === 'string' || isInstrumentDays(one)),
    cancelAllAtStop: cancels === 'own' ? 'own' : cancels === 'all',
    ...(directory === undefined ? {} : { directory }), ...(clientId === undefined ? {} : { clientId }),
    ...(transport === undefined ? {} : { transport }),
    ...(seed === undefined ? {} : { seed }), ...(entryStates === undefined ? {} : { entryStates }),
    ...(shuffleSeed === undefined ? {} : { shuffleSeed }),
  }
}

/** The paper run of a run file: its host of instruments is no backend of orders. */
async function paperOptions(runFile: RunFile, args: Arguments): Promise<PaperOptions> {
  const { path, options, content: { live = {} } } = runFile
  const [backend, setCount] = [args.text('backend'), setsOf(options.parameters).length]
  if (backend !== undefined) {
    const expected = 'left out with --paper, whose orders go to no host; --directory names that of the instruments'
    throw optionError('backend', expected, backend)
  }
  if (setCount > 1)
    throw new BacktapeError('OPTION_INVALID', `Cannot run ${path} on paper: it must have one set of parameters, ` +
      `found ${String(setCount)}`, { file: path, field: 'parameters' })
  const accountId = args.list('account') ?? live.accounts
  const lag = args.text('lag') ?? live.lag
  return {
    run: options,
    directory: needed('directory', args.text('directory'), 'directory', live.directory ?? live.backend),
    ...await feedOptions(runFile, args), cancelsAtStop: (args.text('cancel') ?? live.cancel) !== 'none',
    ...(accountId === undefined ? {} : { accountId }), ...(lag === undefined ? {} : { lag }),
  }
}

/** A second Ctrl-C ends the process at once: orders that are open then are named. */
function nameOpenOrders(run: LiveRun, signal: AbortSignal, output: Output): () => void {
  const leave = (name: NodeJS.Signals): void => {
    for (const { accountId, openOrders: { ids, unansweredCount } } of run.accounts) {
      const unanswered = unansweredCount === 0 ? [] : [`${String(unansweredCount)} sent without an answer`]
      const open = [...ids.map(String), ...unanswered]
      if (open.length > 0) output.note(`Left at once; open on account ${accountId}: ${open.join(', ')}`)
    }
    release()
    process.kill(process.pid, name)
  }
  const release = (): void => {
    for (const name of STOP_SIGNALS) process.off(name, leave)
  }
  const listen = (): void => {
    for (const name of STOP_SIGNALS) process.on(name, leave)
  }
  signal.addEventListener('abort', listen, { once: true })
  return () => {
    signal.removeEventListener('abort', listen)
    release()
  }
}

/** The work of `backtape live`. */
export async function runLive(args: Arguments, output: Output): Promise<number> {
  if (args.words[0] === 'compare') return (await import('./live-compare.js')).runLiveCompare(args, output)
  if (args.words.length > 1)
    throw new BacktapeError('OPTION_INVALID', `Cannot run live: name one run file, found ${args.words.join(' ')}`)
  return failOnExit(args.words[0] ?? '', output, () => play(args, output))
}

async function play(args: Arguments, output: Output): Promise<number> {
  const started = `${new Date().toISOString().slice(0, 19)}Z`
  const { end } = endAndFormat(args)
  if (end !== undefined) throw optionError('to', 'a format of tables, as a live run has no end', end)
  const overrides = overridesOf(args, undefined)
  const overriding = overridesText(overrides)
  if (overriding !== null) output.note(`Instead of the run file's: ${overriding}`)
  const runFile = await readRunFile(args.words[0] ?? '', overrides, { bundles: bundlesFolder(args) })
  const paper = args.flag('paper') ? await paperOptions(runFile, args) : null
  const live = paper === null ? await liveOptions(runFile, args) : null
  const label = { started, name: args.text('name') ?? null, note: args.text('note') ?? null, overrides: overriding }
  const wanted = wantedReports(args, isRecorded(args))
  if (wanted.leftOut !== null) output.note(wanted.leftOut)
  const inputs = await protectedFiles(runFile, 1, undefined)
  const outputs = await openOutputs(args, wanted, 1, null, { force: args.flag('force'), inputs })
  const [journal] = outputs.journals
  let run: LiveRun | null = null
  let release = (): void => undefined
  try {
    const shared = {
      signal: args.signal, ...(journal === undefined ? {} : { journal: journal.sink }),
      onNote: (sentence: string) => { output.note(sentence) }, onLog: (text: string) => { output.note(text) },
    }
    const result = await withFileErrors(runFile.path, [], async () => {
      if (live === null) return playPaper({ ...paper as PaperOptions, ...shared })
      return playLive({ ...live, ...shared }, (begun) => {
        run = begun
        release = nameOpenOrders(begun, args.signal, output)
      })
    }).catch(async (error: unknown) => {
      const failure = keepFailedJournals(outputs.journals, error)
      if (run?.hasStarted !== true) throw failure
      // What was traded stays, whatever ended it.
      const results = [run.result([`the run failed: ${error instanceof Error ? error.message : String(error)}`])]
      await writeOutputs({ ...outputs, journals: [] }, { runFile, results, label }, args, output)
      throw failure
    })
    const written = { runFile, results: [result], label }
    await writeOutputs(outputs, written, args, output)
    await print(result, args, output)
    await rememberOutputs(written, wanted, args, output)
    for (const { path, lineCount } of result.recorded) output.note(`Recorded ${path}: ${String(lineCount)} lines`)
    const fault = recordingFault(result.recorded)
    if (fault !== null) throw fault
    return args.signal.aborted ? STOPPED_EXIT_CODE : 0
  } finally {
    release()
    await abortOutputs(outputs)
  }
}

async function print(result: LiveResult | PaperResult, args: Arguments, output: Output): Promise<void> {
  const { reason, unreadableMessageCount } = result
  if (args.flag('json')) {
    const { messageCounts, stepCount } = result as Partial<LiveResult>
    const made = { ...resultJson(result), reason, messageCounts, stepCount, unreadableMessageCount }
    return output.line(JSON.stringify(made, null, 2))
  }
  output.note(`Ended: ${reason}`)
  await output.text(resultText(result, { full: args.flag('full') }))
}
