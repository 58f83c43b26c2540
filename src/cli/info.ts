import type { Arguments } from './terminal/arguments.js'
import { failedJson, FailedFiles } from './failed-files.js'
import type { Output } from './terminal/output.js'

/** The work of `backtape info`. A quick look loads nothing of a whole one. */
export async function runInfo(args: Arguments, output: Output): Promise<number> {
  let shown = 0
  const failed = new FailedFiles(output)
  const json = args.flag('json')
  const files = args.flag('quick')
    ? (await import('./quick-info.js')).quickFiles(args, output, failed)
    : (await import('./whole-info.js')).wholeFiles(args, output, failed)
  for await (const file of files) {
    const record = 'error' in file ? failedJson(file) : file.record
    if (json) await output.text(`${shown === 0 ? '[' : ','}\n${JSON.stringify(record)}`)
    else if ('error' in file) continue
    else await output.text(`${shown === 0 ? '' : '\n'}${file.lines.join('\n')}\n`)
    await output.flush()
    shown++
  }
  if (json) await output.text(shown === 0 ? '[]\n' : '\n]\n')
  return failed.exitCode
}
