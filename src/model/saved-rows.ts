/** Rows as plain columns: a checkpoint names every field once. {@link restoredRows} makes them anew. */
export interface SavedRows<Row> {
  readonly count: number
  readonly columns: readonly SavedColumn[]
  /** Never there: it ties the data to the type of their rows. */
  readonly $of?: Row
}

/** A field of the rows. */
interface SavedColumn {
  readonly name: string
  /** The rows that have it, ascending; left out where all do. */
  readonly at?: readonly number[]
  /** In the order of the rows; columns themselves for a field that is a record of fields. */
  readonly values?: readonly unknown[] | SavedRows<unknown>
  /** In the place of `values`: the one that all of those rows have. */
  readonly value?: unknown
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Rows as columns; every row has the fields of `nested`, which are records of fields. Fields that are undefined are
 * absent; values are the rows' own, and data that JSON holds.
 */
export function savedRows<Row extends object>(rows: readonly Row[], nested: readonly string[] = []): SavedRows<Row> {
  const places = new Map<string, { at: number[]; values: unknown[] }>()
  for (const [index, row] of rows.entries()) {
    for (const name of Object.keys(row)) {
      const value = (row as Fields)[name]
      if (value === undefined) continue
      let place = places.get(name)
      if (place === undefined) {
        place = { at: [], values: [] }
        places.set(name, place)
      }
      place.at.push(index)
      place.values.push(value)
    }
  }
  const columns = [...places].map(([name, { at, values }]): SavedColumn => ({
    name, ...(values.length === rows.length ? {} : { at }),
    ...(nested.includes(name) ? { values: savedRows(values as object[]) } : savedValues(values)),
  }))
  return { count: rows.length, columns }
}

function savedValues(values: readonly unknown[]): Pick<SavedColumn, 'value' | 'values'> {
  const [value] = values
  const isOne = values.length > 1 && (typeof value !== 'object' || value === null)
  return isOne && values.every((other) => other === value) ? { value } : { values }
}

/** The rows of such columns, as new objects; their values are the columns' own. */
export function restoredRows<Row extends object>({ count, columns }: SavedRows<Row>): Row[] {
  const rows: Record<string, unknown>[] = Array.from({ length: count }, () => ({}))
  for (const { name, at, values, value } of columns) {
    const list = values !== undefined && 'columns' in values ? restoredRows(values as SavedRows<object>) : values
    const length = at?.length ?? count
    for (let i = 0; i < length; i++)
      (rows[at?.[i] ?? i] as Record<string, unknown>)[name] = list === undefined ? value : list[i]
  }
  return rows as Row[]
}
