import { withFileErrors, type RunFileExtras } from '../backtest/run-file.js'
import type { RunFile } from '../configuration/run-file-reader.js'
import type { RunLabel } from '../results/run-record.js'
import { recordedSplit, recordedWalk } from '../sweep/parts-record.js'
import { runSplit, type SplitResult } from '../sweep/split-run.js'
import { runWalkForward, type WalkForwardResult } from '../sweep/walk-forward.js'
import type { PartsOptions } from './parts-options.js'
import type { Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'
import { splitText, walkText } from './parts-text.js'
import { rememberParts } from './run-records.js'

/** Options that these functions check themselves: their sentences need no file in front. */
const OWN = ['split', 'walk-forward', 'sort', 'baseline', 'parameters']

/** The words of the command line, for the record. */
function partsWords(how: PartsOptions): string {
  const { sort, baseline } = how
  return [
    'split' in how ? `--split ${how.split}` : `--walk-forward ${how.walkForward}`,
    ...(sort === undefined ? [] : [`--sort ${sort}`]), ...(baseline === undefined ? [] : [`--baseline ${baseline}`]),
  ].join(' ')
}

/** Runs the parts of a run file. */
export function playParts(
  runFile: RunFile, how: PartsOptions, extras: RunFileExtras,
): Promise<SplitResult | WalkForwardResult> {
  const options = { ...runFile.options, ...extras }
  return withFileErrors<SplitResult | WalkForwardResult>(runFile.path, OWN, () => (
    'split' in how ? runSplit(options, how) : runWalkForward(options, how)))
}

/** Prints what was found, and remembers it where a label is given. */
export async function reportParts(
  found: SplitResult | WalkForwardResult, runFile: RunFile, how: PartsOptions,
  label: Omit<RunLabel, 'runFile'> | null, args: Arguments, output: Output,
): Promise<void> {
  await output.text(args.flag('json') ? `${JSON.stringify(jsonOf(found), null, 2)}\n` : textOf(found))
  if (label === null) return
  const overrides = [label.overrides, partsWords(how)].filter((one) => one !== null).join(' ')
  const record = isSplit(found) ? recordedSplit(found) : recordedWalk(found)
  if (record === null) return
  const warning = await rememberParts(runFile, record, { ...label, overrides })
  if (warning !== null) output.note(`Warning: ${warning}`)
}

function isSplit(found: SplitResult | WalkForwardResult): found is SplitResult {
  return 'parts' in found
}

function textOf(found: SplitResult | WalkForwardResult): string {
  return isSplit(found) ? splitText(found) : walkText(found)
}

/** Everything but rows; configurations stand in the record. */
function jsonOf(found: SplitResult | WalkForwardResult): unknown {
  const kind = isSplit(found) ? 'split' : 'walk-forward'
  const without = (key: string, value: unknown): unknown =>
    ['configuration', 'segmentDigests', 'threadCount', 'trim', 'curves'].includes(key) ? undefined : value
  return { kind, ...(JSON.parse(JSON.stringify(found, without)) as object) }
}
