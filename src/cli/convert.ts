import { dayUnknownNote } from '../tickfile/archive/file-day.js'
import type { ConvertedInput, ConvertPlace, ConvertProgress, ConvertResult } from '../export/convert-options.js'
import { convertFiles } from '../export/convert.js'
import type { ExportKind } from '../export/export-kind.js'
import type { NumberForm, TimeForm } from '../tables/table-form.js'
import { checkedMargins, type Margins } from '../tickfile/days/margins.js'
import { selectionLine } from '../tickfile/data-selection-reader.js'
import { damageWords } from '../model/damage-words.js'
import type { Arguments } from './terminal/arguments.js'
import { fileSentence } from './file-sentence.js'
import { ProgressLine } from './terminal/progress-line.js'
import type { Output } from './terminal/output.js'
import { chooseOption } from './table-output.js'
import { byteText, counted, grouped } from './terminal/text-table.js'
import { EXPORT_FORMATS } from '../tables/output-format.js'

const FORMATS = [...EXPORT_FORMATS, 'shop'] as const

function inputLine(input: ConvertedInput): string {
  const { name, outcome, outputs, eventCount, leftOut, error, ignoredBecause } = input
  if (outcome === 'stopped') return `${name}: stopped before its end; the same command goes on`
  if (error !== null) return fileSentence(name, 'failed', error)
  if (ignoredBecause !== null) return `${name}: ignored, ${ignoredBecause}`
  const written = outputs.filter((output) => output.path !== null)
  const size = byteText(written.reduce((sum, output) => sum + output.sizeBytes, 0))
  const files = counted(written.length, 'file')
  const damage = damageWords(input).map((words) => `, ${words}`).join('')
  const others = leftOut.before + leftOut.after
  const left = others > 0 ? `, ${counted(others, 'event')} of the neighbouring days left out` : ''
  if (outcome === 'skipped') return `${name}: whole already, ${files}, ${size}${left}${damage}`
  return `${name}: ${grouped(eventCount)} events into ${files}, ${size}${left}${damage}`
}

/** `3 of 19  NAME: ...`; of a stream nobody knows how many it holds. */
function placedLine(input: ConvertedInput, { number, total }: ConvertPlace): string {
  return `${String(number)}${total === null ? '' : ` of ${String(total)}`}  ${inputLine(input)}`
}

/** The note that the reader of a converted file should see beside its line. */
function noteOf({ name, outcome, eventCount, margins }: ConvertedInput, wanted: Margins): string | null {
  if (outcome !== 'converted' && outcome !== 'skipped') return null
  if (eventCount === 0) return `${name}: no event${margins === 'trim' ? ' of its day' : ''}`
  return margins === wanted ? null : dayUnknownNote(name)
}

function summaryLine({ convertedCount, skippedCount, failedCount, stopped }: ConvertResult, out: string): string {
  const parts = [
    `${String(convertedCount)} converted`, `${String(skippedCount)} whole already`, `${String(failedCount)} failed`,
  ]
  return `${parts.join(', ')}; results in ${out}${stopped ? '; stopped before the end, the same command goes on' : ''}`
}

function resultJson(result: ConvertResult): string {
  const inputs = result.inputs.map(({ error, ...input }) => ({
    ...input, error: error === null ? null : { code: error.code, message: error.message, place: error.place },
  }))
  return JSON.stringify({ ...result, inputs })
}

/** The work of `backtape convert`. */
export async function runConvert(args: Arguments, output: Output): Promise<number> {
  const request = {
    option: 'out', to: args.text('to'), formats: FORMATS, fallback: 'parquet', writes: 'folder',
  } as const
  const { path: out, format: to } = await chooseOption<(typeof FORMATS)[number]>(args.text('out'), request)
  const [times, numbers] = [args.text('times') as TimeForm | undefined, args.text('numbers') as NumberForm | undefined]
  const kinds = args.texts('kinds') as ExportKind[] | undefined
  const jobs = args.count('jobs')
  const asJson = args.flag('json')
  const margins = checkedMargins(args.text('margins') as Margins | undefined)
  const prefer = args.text('prefer')
  const progress = new ProgressLine(output)
  const { signal } = args
  const onProgress = (step: ConvertProgress): void => {
    progress.show(step)
  }
  let isLacking = false
  let written: Promise<void> = Promise.resolve()
  const onInput = (input: ConvertedInput, place: ConvertPlace): void => {
    progress.clear()
    const line = placedLine(input, place)
    if (asJson) output.note(line)
    else written = written.then(() => output.line(line)).then(() => output.flush())
    // Seen when everything is converted: a reader that went away ends no conversion.
    written.catch(() => undefined)
    for (const words of [...damageWords(input), ...input.clockNotes]) output.note(`Warning: ${input.name}: ${words}`)
    const note = noteOf(input, margins)
    if (note !== null) output.note(note)
    isLacking ||= (note !== null && input.eventCount === 0) || input.damagedLineCount > 0
  }
  try {
    const result = await convertFiles(args.data(), {
      out,
      to,
      read: args.readOptions(),
      force: args.flag('force'),
      check: args.flag('check'),
      margins,
      signal,
      onProgress,
      onInput,
      onSelection: (note) => { output.note(selectionLine(note)) },
      ...(prefer === undefined ? {} : { prefer }),
      ...(kinds === undefined ? {} : { kinds }),
      ...(times === undefined ? {} : { times }),
      ...(numbers === undefined ? {} : { numbers }),
      ...(args.flag('comment') ? { comment: true } : {}),
      ...(jobs === undefined ? {} : { jobs }),
    })
    progress.clear()
    await written
    if (asJson) await output.line(resultJson(result))
    output.note(summaryLine(result, out))
    return result.failedCount > 0 || result.stopped || (isLacking && args.flag('strict')) ? 1 : 0
  } finally {
    progress.clear()
  }
}
