import type { Arguments } from './arguments.js'
import type { Output } from './output.js'

/** The work of `backtape info`. A quick look loads nothing of a whole one. */
export async function runInfo(args: Arguments, output: Output): Promise<number> {
  let shown = 0
  const json = args.flag('json')
  const files = args.flag('quick')
    ? (await import('./quick-info.js')).quickFiles(args, output)
    : (await import('./whole-info.js')).wholeFiles(args, output)
  for await (const { lines, record } of files) {
    if (json) await output.text(`${shown === 0 ? '[' : ','}\n${JSON.stringify(record)}`)
    else await output.text(`${shown === 0 ? '' : '\n'}${lines.join('\n')}\n`)
    await output.flush()
    shown++
  }
  if (json) await output.text(shown === 0 ? '[]\n' : '\n]\n')
  return 0
}
