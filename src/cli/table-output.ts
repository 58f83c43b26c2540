import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  chooseOutput, formatOfName, type OutputChoice, type OutputRequest, EXPORT_FORMATS, type ExportFormat,
} from '../tables/output-format.js'
import { createTableFile, type TableFile, type TableFileOptions } from '../tables/table-file-writer.js'
import { isTextFormat, type NumberForm, type TableForm, type TimeForm } from '../tables/table-form.js'
import { makeFolder } from '../files/folder-writer.js'
import { BacktapeError } from '../model/error.js'
import type { Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'

/** The form of the tables, as typed. */
export function formOf(args: Arguments, format: ExportFormat, times: TimeForm = 'ns'): TableForm {
  const typedTimes = args.text('times') as TimeForm | undefined
  const numbers = args.text('numbers') as NumberForm | undefined
  return { format, times: typedTimes ?? times, numbers: numbers ?? 'decimal', comment: args.flag('comment') }
}

/** {@link chooseOutput} for a path as typed. */
export async function chooseOption<Format extends string>(
  path: string | undefined, request: Omit<OutputRequest<Format>, 'path' | 'isFolder'>,
): Promise<OutputChoice<Format>> {
  const isFolder = path !== undefined && (await stat(path).then((found) => found.isDirectory(), () => false))
  return chooseOutput({ ...request, path, isFolder })
}

/**
 * Where the one table of a command goes. `name` is what it is called in a folder, without its ending; a folder is made
 * where it is missing.
 */
export async function chooseTableOutput(
  { args, output }: { readonly args: Arguments; readonly output: Output }, to: string | undefined, name: string,
): Promise<OutputChoice<ExportFormat>> {
  const request = { option: 'out', to, formats: EXPORT_FORMATS, fallback: 'csv', writes: 'file' } as const
  const choice = await chooseOption<ExportFormat>(args.text('out'), request)
  if (choice.place === 'file') noteOtherEnding(choice, output)
  if (choice.place !== 'folder') return choice
  await makeFolder(choice.path)
  return { place: 'file', path: join(choice.path, `${name}.${choice.format}`), format: choice.format }
}

/** `--to` overrides the ending of a name: a reader that goes by the ending would misread the file. */
function noteOtherEnding({ path, format }: OutputChoice<ExportFormat>, output: Output): void {
  const named = formatOfName(path)
  if (named !== null && named !== format)
    output.note(`Note: ${path} holds ${format}, as --to says, whatever its name ends in`)
}

/** Standard output as the target of a table. Throws OPTION_INVALID where a person would see bytes that are no text. */
function standardOutput(form: TableForm, output: Output): TableFile {
  if (output.isTerminal && (!isTextFormat(form.format) || form.format.endsWith('.gz'))) {
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot write ${form.format} to a terminal: name a file with --out, or a text format with --to`,
      { field: 'out' },
    )
  }
  return {
    path: 'standard output',
    write: (bytes) => output.bytes(bytes),
    prepare: () => Promise.resolve(),
    commit: () => output.flush(),
    abort: () => Promise.resolve(),
  }
}

/** Creates the output of one table, so that whether it may be written is known before the work is done. */
export function openTableOutput(
  choice: OutputChoice<ExportFormat>, form: TableForm, output: Output, options: TableFileOptions,
): Promise<TableFile> {
  return choice.place === 'standard output'
    ? Promise.resolve(standardOutput(form, output))
    : createTableFile(choice.path, form, options)
}
