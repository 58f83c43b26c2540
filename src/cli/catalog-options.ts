import { openCatalog, type Catalog, type CatalogOptions } from '../research/catalog.js'
import type { Arguments } from './terminal/arguments.js'
import type { Output } from './terminal/output.js'
import { ProgressLine } from './terminal/progress-line.js'

/** Opens the catalog that a command works on; conversions and audits show themselves on standard error. */
export async function catalogOf(
  folders: readonly string[], args: Arguments, output: Output, options: CatalogOptions = {},
): Promise<{ readonly catalog: Catalog; readonly progress: ProgressLine }> {
  const progress = new ProgressLine(output)
  const cache = args.text('cache')
  const catalog = await openCatalog(folders, {
    ...options, signal: args.signal,
    onProgress: (step) => { progress.show(step) },
    onNote: (sentence) => { output.note(`Warning: ${sentence}`) },
    ...(output.notesToTerminal ? { onAudit: (name: string) => { output.note(`auditing ${name}`) } } : {}),
    ...(cache === undefined ? {} : { cache }),
  })
  if (catalog.table().rowCount === 0) output.note(`No tick file and no table of a market in ${folders.join(', ')}`)
  for (const { name, of } of catalog.copies()) output.note(`Left out ${name}: it is a copy of ${of}`)
  return { catalog, progress }
}
