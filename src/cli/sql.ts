import { writeTable } from '../tables/table-stream.js'
import { unknownInstrumentNotes } from '../research/statement-notes.js'
import { tableText } from '../research/table-text.js'
import type { Arguments } from './terminal/arguments.js'
import { catalogOf } from './catalog-options.js'
import type { Catalog } from '../research/catalog.js'
import type { Table } from '../tables/table.js'
import type { Output } from './terminal/output.js'
import { counted } from './terminal/text-table.js'
import { chooseTableOutput, formOf, openTableOutput } from './table-output.js'

/** Bytes of a gigabyte as options count them. */
const GIGABYTE = 1_000_000_000

function gigabytes(args: Arguments, name: string): number | undefined {
  const count = args.count(name)
  return count === undefined ? undefined : count * GIGABYTE
}

/** The result of the statement; a name that no instrument has is noted, as it may be a mistyped one. */
async function resultOf(catalog: Catalog, args: Arguments, output: Output): Promise<Table> {
  const statement = args.words[0] ?? ''
  const table = await catalog.sql(statement, { trust: args.flag('trust') })
  const names = [...new Set(catalog.table().column('instrument').map(String))]
  for (const note of unknownInstrumentNotes(statement, names)) output.note(note)
  return table
}

/** The work of `backtape sql`. */
export async function runSql(args: Arguments, output: Output): Promise<number> {
  const folders = args.list('data') ?? ['.']
  const [limitRows, prefer] = [args.count('limitRows'), args.text('prefer')]
  const [cacheLimitBytes, memoryLimitBytes] = [gigabytes(args, 'cacheLimitGb'), gigabytes(args, 'memoryGb')]
  const to = args.text('to') ?? (args.flag('json') ? 'json' : undefined)
  const isShown = output.isTerminal && to === undefined && args.text('out') === undefined
  const { catalog, progress } = await catalogOf(folders, args, output, {
    ...(limitRows === undefined ? {} : { limitRows }), ...(prefer === undefined ? {} : { prefer }),
    ...(cacheLimitBytes === undefined ? {} : { cacheLimitBytes }),
    ...(memoryLimitBytes === undefined ? {} : { memoryLimitBytes }),
  })
  try {
    if (isShown) {
      const table = await resultOf(catalog, args, output)
      progress.clear()
      await output.line(tableText(table, { widthCharacters: output.width ?? 80 }))
      return 0
    }
    const choice = await chooseTableOutput({ args, output }, to, 'sql')
    const form = formOf(args, choice.format, 'iso')
    const file = await openTableOutput(choice, form, output, { force: args.flag('force'), inputs: folders })
    try {
      const table = await resultOf(catalog, args, output)
      progress.clear()
      await writeTable(table, form, file)
      await file.commit(table.metadata)
      if (choice.place === 'file') output.note(`Wrote ${counted(table.rowCount, 'row')} to ${file.path}`)
      return 0
    } finally {
      await file.abort()
    }
  } finally {
    progress.clear()
    await catalog.close()
  }
}
