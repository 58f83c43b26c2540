import { checkFailure, checkGolden, type GoldenCheck } from '../backtest/golden-check.js'
import { BacktapeError } from '../model/error.js'
import type { Arguments } from './terminal/arguments.js'
import { failOnExit } from './exit-guard.js'
import { jobsOf } from './jobs-option.js'
import type { Output } from './terminal/output.js'
import { RunProgress } from './run-progress.js'
import { runFilesOf } from './run-files.js'

const OUTCOMES: Readonly<Record<'same' | 'written', string>> = { same: 'as its golden says', written: 'golden written' }

interface CheckOptions {
  readonly update: boolean
  readonly jobs?: number
  readonly signal: AbortSignal
  /** Called where a strategy ends the process. */
  readonly onEnded: (error: unknown) => void
}

/** The outcome for one run file; a file that cannot be run does not stop the others. */
async function checked(
  path: string, { onEnded, ...options }: CheckOptions, output: Output,
): Promise<GoldenCheck | BacktapeError> {
  const progress = new RunProgress(output, path)
  try {
    const check = (): Promise<GoldenCheck> =>
      checkGolden(path, { ...options, onProgress: (step) => progress.show(step) })
    return await failOnExit(path, output, check, onEnded)
  } catch (error) {
    if (error instanceof BacktapeError) return error
    throw error
  } finally {
    progress.clear()
  }
}

function sentenceOf(path: string, check: GoldenCheck | BacktapeError): string {
  if (check instanceof BacktapeError) return check.message.includes(path) ? check.message : `${path}: ${check.message}`
  const { outcome, isNewFormat = false, removed = [], absentJournals = [] } = check
  if (outcome === 'same' && isNewFormat) return `${path}: the same run, new record format`
  const gone = removed.length === 0 ? '' : `; removed ${removed.join(', ')}, which no parameter set has any more`
  const absent = absentJournals.length === 0
    ? ''
    : ` by its digests; not there, and made by --update: ${absentJournals.join(', ')}`
  return checkFailure(check) ?? `${path}: ${OUTCOMES[outcome === 'written' ? 'written' : 'same']}${absent}${gone}`
}

/** A command of GitHub's workflows: the error stands beside the run file in a pull request. */
function annotation(path: string, message: string): string {
  const escaped = (text: string): string =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const file = escaped(path).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::error file=${file},title=backtape verify::${escaped(message)}`
}

function jsonOf(path: string, check: GoldenCheck | BacktapeError): object {
  const message = sentenceOf(path, check)
  return check instanceof BacktapeError
    ? { path, outcome: 'failed', message, code: check.code, place: check.place }
    : { ...check, message }
}

/** The work of `backtape verify`. */
export async function runVerify(args: Arguments, output: Output): Promise<number> {
  const files = await runFilesOf(args.words)
  const { signal } = args
  const asJson = args.flag('json')
  const jobs = jobsOf(args)
  const shown: object[] = []
  let failedCount = 0
  for (const path of files) {
    if (signal.aborted) break
    const onEnded = (error: unknown): void => {
      if (asJson && error instanceof BacktapeError)
        output.lineNow(JSON.stringify([...shown, jsonOf(path, error)], null, 2))
    }
    const check = await checked(path, { update: args.flag('update'), ...jobs, signal, onEnded }, output)
    const isFailed = check instanceof BacktapeError || checkFailure(check) !== null
    if (isFailed) failedCount++
    shown.push(jsonOf(path, check))
    if (!asJson) await output.line(sentenceOf(path, check))
    if (!asJson && isFailed && process.env['GITHUB_ACTIONS'] === 'true')
      await output.line(annotation(path, sentenceOf(path, check)))
    await output.flush()
  }
  if (asJson) await output.line(JSON.stringify(shown, null, 2))
  return failedCount > 0 ? 1 : 0
}
