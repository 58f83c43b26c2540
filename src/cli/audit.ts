import { BacktapeError } from '../model/error.js'
import { auditJson, auditVerdict, isPartlyCovered, type AuditReport } from '../tickfile/audit-report.js'
import { auditText } from '../tickfile/audit-text.js'
import { auditReading } from '../tickfile/audit.js'
import type { ReadOptions } from '../tickfile/reading.js'
import { openSources } from '../tickfile/source-reader.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { TickSource } from '../tickfile/tick-source.js'
import { READ_OPTIONS, type Arguments } from './arguments.js'
import type { Command } from './command.js'
import { fileSentence } from './file-sentence.js'
import type { Output } from './output.js'

/** What is known of an input that cannot even be opened. */
interface Unreadable {
  readonly file: string
  readonly error: BacktapeError
}

async function auditSource(source: TickSource, options: ReadOptions): Promise<AuditReport | Unreadable> {
  try {
    const reading = await readTickFile(source, options)
    try {
      return await auditReading(reading)
    } finally {
      await reading.close()
    }
  } catch (error) {
    return unreadable(source.name, error)
  }
}

function unreadable(file: string, error: unknown): Unreadable {
  if (error instanceof BacktapeError) return { file, error }
  throw error
}

/** A report for every tick file of the inputs; one bad input does not stop the others. */
async function* reports(args: Arguments, output: Output): AsyncGenerator<AuditReport | Unreadable, void, undefined> {
  const options: ReadOptions = { onDamage: 'count', ...args.readOptions() }
  for (const input of args.words) {
    try {
      for await (const source of openSources(input)) {
        if ('skippedBecause' in source) output.note(`Skipped ${source.name}: ${source.skippedBecause}`)
        else yield await auditSource(source, options)
      }
    } catch (error) {
      yield unreadable(input, error)
    }
  }
}

function jsonOf(report: AuditReport | Unreadable): object {
  if (!('error' in report)) return auditJson(report)
  const { code, message, place } = report.error
  return { file: report.file, failure: { code, message, place }, ok: false, reasons: [message] }
}

function lastLine(shown: number, bad: number, partly: number): string {
  const verdict = bad === 0 ? 'all of them sound' : `${String(bad)} not sound`
  const words = partly === 1 ? 'covers less than 99 % of its day' : 'cover less than 99 % of their days'
  return `${String(shown)} files audited, ${verdict}${partly === 0 ? '' : `, ${String(partly)} ${words}`}`
}

async function run(args: Arguments, output: Output): Promise<number> {
  const asJson = args.flag('json')
  let shown = 0
  let bad = 0
  let partly = 0
  for await (const report of reports(args, output)) {
    const isSound = !('error' in report) && auditVerdict(report).ok
    if (!isSound) bad++
    if (!('error' in report) && isPartlyCovered(report)) partly++
    if (asJson) await output.text(`${shown === 0 ? '[' : ','}\n${JSON.stringify(jsonOf(report))}`)
    else if ('error' in report) await output.text(`${shown === 0 ? '' : '\n'}${fileSentence(report.file, 'damaged', report.error.message)}\n`)
    else await output.text(`${shown === 0 ? '' : '\n'}${auditText(report).trimEnd()}\n`)
    await output.flush()
    shown++
  }
  if (asJson) await output.text(shown === 0 ? '[]\n' : '\n]\n')
  await output.flush()
  if (shown === 0) output.note('No tick file was found in the inputs')
  else if (shown > 1 && !asJson) output.note(lastLine(shown, bad, partly))
  return bad > 0 || shown === 0 ? 1 : 0
}

/** `backtape audit`. */
export const auditCommand: Command = {
  name: 'audit',
  summary: 'checks tick files in one pass; exit code 1 when a file is damaged or disagrees with itself',
  usage: 'FILE... [--json]',
  example: 'backtape audit day.txt.zst bundle.tar --json',
  words: { least: 1, most: Infinity },
  options: { json: { type: 'boolean', describe: 'one JSON array, an object a file' }, ...READ_OPTIONS },
  run,
}
