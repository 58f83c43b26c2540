import { auditJson, auditVerdict, isPartlyCovered, type AuditReport } from '../tickfile/audit/audit-report.js'
import { auditText } from '../tickfile/audit/audit-text.js'
import { changedTermsJson, changedTermsText, TermAudit, type ChangedTerms } from '../tickfile/audit/audit-terms.js'
import { auditReading } from '../tickfile/audit/audit.js'
import { selectionLine } from '../tickfile/data-selection-reader.js'
import { NamedSources } from '../tickfile/named-sources.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import type { Arguments } from './terminal/arguments.js'
import { failedFile, failedJson, type FailedFile } from './failed-files.js'
import { fileSentence } from './file-sentence.js'
import type { Output } from './terminal/output.js'
import { ReadProgress } from './read-progress.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'

async function auditSource(
  source: TickSource, options: ReadOptions, terms: TermAudit,
): Promise<AuditReport | FailedFile> {
  try {
    const reading = await readTickFile(source, options)
    terms.add(reading)
    try {
      return await auditReading(reading)
    } finally {
      await reading.close()
    }
  } catch (error) {
    return failedFile(source.name, error)
  }
}

/** A report for every tick file of the inputs; one bad input does not stop the others. */
async function* reports(
  args: Arguments, output: Output, terms: TermAudit,
): AsyncGenerator<AuditReport | FailedFile, void, undefined> {
  const options: ReadOptions = { onDamage: 'count', ...args.readOptions() }
  const named = new NamedSources({
    ...options, takesBoth: true, onSelection: (note) => { output.note(selectionLine(note)) },
  })
  const progress = new ReadProgress(output)
  for (const input of args.data()) {
    try {
      for await (const source of named.open(input)) {
        if ('skippedBecause' in source) output.note(`Skipped ${source.name}: ${source.skippedBecause}`)
        else if ('error' in source) yield failedFile(source.name, source.error)
        else yield await auditSource(progress.counted(source, 'auditing'), options, terms)
          .finally(() => progress.end(source.fileName))
      }
    } catch (error) {
      yield failedFile(typeof input === 'string' ? input : input.in, error)
    }
  }
}

function jsonOf(report: AuditReport | FailedFile): object {
  if (!('error' in report)) return auditJson(report)
  return { ...failedJson(report), ok: false, reasons: [report.error.message] }
}

function changedJson(changed: readonly ChangedTerms[]): string {
  return changed.length === 0 ? '' : `,\n${JSON.stringify(changedTermsJson(changed))}`
}

function lastLine(shown: number, bad: number, partly: number, changed: number): string {
  const verdict = bad === 0 ? 'all of them sound' : `${String(bad)} not sound`
  const words = partly === 1 ? 'covers less than 99 % of its day' : 'cover less than 99 % of their days'
  const terms =
    changed === 0 ? '' : `, master data change between days ${changed === 1 ? 'once' : `${String(changed)} times`}`
  return `${String(shown)} files audited, ${verdict}${partly === 0 ? '' : `, ${String(partly)} ${words}`}${terms}`
}

/** The work of `backtape audit`. */
export async function runAudit(args: Arguments, output: Output): Promise<number> {
  const asJson = args.flag('json')
  let shown = 0
  let bad = 0
  let partly = 0
  const terms = new TermAudit()
  for await (const report of reports(args, output, terms)) {
    const isSound = !('error' in report) && auditVerdict(report).ok
    if (!isSound) bad++
    if (!('error' in report) && isPartlyCovered(report)) partly++
    if (asJson) await output.text(`${shown === 0 ? '[' : ','}\n${JSON.stringify(jsonOf(report))}`)
    else if ('error' in report)
      await output.text(`${shown === 0 ? '' : '\n'}${fileSentence(report.file, 'damaged', report.error)}\n`)
    else await output.text(`${shown === 0 ? '' : '\n'}${auditText(report).trimEnd()}\n`)
    await output.flush()
    shown++
  }
  const changed = terms.report()
  await output.text(asJson ? changedJson(changed) : changed.map((one) => `\n${changedTermsText(one)}`).join(''))
  if (asJson) await output.text(shown === 0 ? '[]\n' : '\n]\n')
  await output.flush()
  if (shown === 0) output.note('No tick file was found in the inputs')
  else if (shown > 1 && !asJson) output.note(lastLine(shown, bad, partly, changed.length))
  return bad > 0 || shown === 0 ? 1 : 0
}
