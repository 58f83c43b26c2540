import { basename } from 'node:path'
import { withFileErrors, parameterSetsOf } from '../backtest/run-file.js'
import { recordStretch, type StretchOptions } from '../backtest/stretch.js'
import { readRunFile, type RunFile } from '../configuration/run-file-reader.js'
import { runStrategies, strategiesBundle } from '../configuration/run-strategies.js'
import { checkOutputPlace } from '../files/output-place-reader.js'
import { writeWholeText } from '../files/whole-file-writer.js'
import { durationNsFromText } from '../model/duration.js'
import { readPageScript } from '../report/view/page-script-reader.js'
import type { StretchColumns } from '../panels/stretch-columns.js'
import { pagePolicy, stretchHtml } from '../report/view/stretch-html.js'
import type { BacktestResult } from '../results/backtest-result.js'
import { configurationPath, readBundle } from '../results/run-records-reader.js'
import type { SetRecord } from '../results/run-record.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import { VIEW_PAGE } from './command-options.js'
import { failOnExit } from './exit-guard.js'
import type { Output } from './terminal/output.js'
import { overridesOf } from './override-options.js'
import { RunProgress } from './run-progress.js'
import { chosen, recordsOf } from './runs.js'
import { counted } from './terminal/text-table.js'
import { servePage } from './view-server.js'

const HIGHEST_PORT = 65_535

/** The run of a view: one set of a run file, and what a record of it says, where it is one that was remembered. */
interface ViewedRun {
  readonly run: RunFile
  readonly name: string
  readonly set: number
  readonly bounds: { readonly from?: string; readonly to?: string }
  /** Of a record: its set, and its strategy as it was; null for a run file. */
  readonly recorded: { readonly set: SetRecord; readonly bundle: string | null } | null
}

/** Overrides of the run; `from` and `to` are those of the stretch. */
function runOverrides(args: Arguments): ReturnType<typeof overridesOf> {
  const { from: _, ...overrides } = overridesOf(args, undefined)
  return overrides
}

function isRunFile(word: string): boolean {
  return word.endsWith('.json')
}

async function viewedRun(args: Arguments, output: Output): Promise<ViewedRun> {
  const word = args.words[0] ?? 'last'
  const show = args.count('show', 0)
  if (isRunFile(word)) {
    const run = await readRunFile(word, runOverrides(args), { bundles: args.text('cache') ?? null })
    return { run, name: run.name, set: setNumber(show, parameterSetsOf(run).length), bounds: {}, recorded: null }
  }
  const { record, sets, set: named } = await chosen(word, await recordsOf(args, output), output)
  const place = named ?? setNumber(show, sets.length)
  const set = sets[place]
  if (set === undefined) throw optionError('show', `a set below ${String(sets.length)}`, String(place))
  const { folder, id } = record
  const run = await readRunFile(configurationPath(folder, id), runOverrides(args), { beside: folder })
  const part = record.parts?.[place]
  const name = basename(record.runFile).replace(/(\.run)?\.json$/, '')
  return {
    run, name: `${name}, run ${id}`, set: part?.set ?? place,
    bounds: part === undefined ? {} : { from: part.from, to: part.to },
    recorded: { set, bundle: await readBundle(folder, id) },
  }
}

/** The number of the set to view. Throws OPTION_INVALID where several would fit. */
function setNumber(show: number | undefined, count: number): number {
  if (show === undefined && count === 1) return 0
  if (show !== undefined && show < count) return show
  throw optionError('show', `the number of a set, below ${String(count)}`, show === undefined ? 'none' : String(show))
}

function stretchOf(args: Arguments): StretchOptions {
  const [from, to, length] = [args.text('from'), args.text('to'), args.text('for')]
  if (from === undefined) throw optionError('from', 'a time of the run, such as 12:30:00', 'nothing')
  if (to !== undefined && length !== undefined) throw optionError('for', 'left out where --to is given', length)
  const levels = args.count('levels')
  return {
    from, ...(to === undefined ? {} : { to }), ...(levels === undefined ? {} : { levels }),
    ...(length === undefined
      ? {}
      : {
          forNs: durationNsFromText(length, {}, (expected) => optionError('for', expected, JSON.stringify(length))),
        }),
  }
}

/** Sentences about how a replay differs from the run that was recorded. */
function differences({ run, recorded }: ViewedRun, result: BacktestResult): string[] {
  if (recorded === null) return []
  const { set, bundle } = recorded
  const notes: string[] = []
  if (bundle !== null && strategiesBundle(runStrategies(run.options)) !== bundle)
    notes.push('Warning: the strategy has changed since that run; it is played as it is now')
  const count = Math.min(set.segmentDigests.length, result.segmentDigests.length)
  const other = set.segmentDigests.slice(0, count).findIndex((digest, at) => digest !== result.segmentDigests[at])
  const isOther = other >= 0 || (!result.isPartial && !set.isPartial && result.fingerprint !== set.fingerprint)
  if (isOther)
    notes.push('Warning: this is not the run that was recorded: its journal is another one; what has changed since?')
  return notes
}

function portOf(args: Arguments): number | null {
  const port = args.count('serve', 0)
  if (port === undefined) return null
  if (port > HIGHEST_PORT) throw optionError('serve', `a port from 0 to ${String(HIGHEST_PORT)}`, String(port))
  return port
}

async function columnsOf(args: Arguments, output: Output, viewed: ViewedRun): Promise<StretchColumns> {
  const { run, name, set, bounds } = viewed
  const [cache, progress] = [args.text('cache'), new RunProgress(output, name)]
  const parameters = parameterSetsOf(run)[set] ?? {}
  try {
    const { columns, result } = await withFileErrors(run.path, ['from', 'to', 'for', 'levels'], () => recordStretch(
      name, {
        ...run.options, ...bounds, parameters, signal: args.signal,
        onProgress: (step) => { progress.show(step) }, onNote: (sentence) => { output.note(sentence) },
        ...(cache === undefined ? {} : { cache }),
      }, stretchOf(args)))
    progress.clear()
    for (const note of differences(viewed, result)) output.note(note)
    return columns
  } finally {
    progress.clear()
  }
}

/** The work of `backtape view`. */
export function runView(args: Arguments, output: Output): Promise<number> {
  return failOnExit(args.words[0] ?? '', output, () => view(args, output))
}

async function view(args: Arguments, output: Output): Promise<number> {
  stretchOf(args)
  const port = portOf(args)
  const out = args.text('out') ?? (port === null ? VIEW_PAGE : undefined)
  const viewed = await viewedRun(args, output)
  const placing = { force: args.flag('force'), inputs: viewed.run.inputs }
  if (out !== undefined) await checkOutputPlace(out, placing)
  const columns = await columnsOf(args, output, viewed)
  const script = await readPageScript()
  const html = stretchHtml(columns, script)
  const { events, fills } = columns
  const words = `${counted(events.kind.length, 'event')} and ${counted(fills.event.length, 'own fill')}`
  if (out !== undefined) {
    await writeWholeText(out, html, placing)
    output.note(`Wrote ${words} to ${out}`)
  }
  if (port === null) return 0
  const { url, ended } = await servePage(html, { port, policy: pagePolicy(script), signal: args.signal })
  await output.line(url)
  await output.flush()
  output.note(`Serving ${words} to this machine alone; Ctrl-C ends it`)
  await ended
  return 0
}
