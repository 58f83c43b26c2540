import { tableText } from '../research/table-text.js'
import { writeTable } from '../tables/table-stream.js'
import { createTable, type Table } from '../tables/table.js'
import type { Arguments } from './terminal/arguments.js'
import { catalogOf } from './catalog-options.js'
import type { Output } from './terminal/output.js'
import { byteText } from './terminal/text-table.js'
import { chooseTableOutput, formOf, openTableOutput } from './table-output.js'

/** Missing days that are named. */
const NAMED_DAYS = 5

/** The table as people read it: without columns that say nothing, sizes in short. */
function shortTable(table: Table): Table {
  const columns = table.columns.flatMap((column) => {
    const values = table.column(column.name)
    if (values.every((value) => value === null)) return []
    if (!column.name.endsWith('_bytes')) return [{ ...column, values }]
    const texts = values.map((value) => (value === 0n ? null : byteText(Number(value))))
    const name = column.name.replace('_bytes', '_size')
    return [{ name, type: { form: 'text' } as const, nullable: true, values: texts }]
  })
  return createTable(columns)
}

/** The work of `backtape catalog`. */
export async function runCatalog(args: Arguments, output: Output): Promise<number> {
  const folders = args.words
  const to = args.text('to') ?? (args.flag('json') ? 'json' : undefined)
  const { catalog } = await catalogOf(folders, args, output)
  try {
    const table = args.flag('audit') ? await catalog.audit() : catalog.table()
    if (to === undefined && args.text('out') === undefined) {
      if (table.rowCount > 0)
        await output.line(tableText(shortTable(table), output.width === null ? {} : { widthCharacters: output.width }))
    } else {
      const choice = await chooseTableOutput({ args, output }, to, 'catalog')
      const form = formOf(args, choice.format, 'iso')
      const file = await openTableOutput(choice, form, output, { force: args.flag('force'), inputs: folders })
      try {
        await writeTable(table, form, file)
        await file.commit(table.metadata)
      } finally {
        await file.abort()
      }
    }
    const missing = catalog.missingDays()
    const named = missing.slice(0, NAMED_DAYS).map(({ instrument, day }) => `${instrument} ${day}`).join(', ')
    const more = missing.length > NAMED_DAYS ? ` and ${String(missing.length - NAMED_DAYS)} more` : ''
    if (missing.length > 0) output.note(`Days without a file: ${named}${more}`)
    return 0
  } finally {
    await catalog.close()
  }
}
