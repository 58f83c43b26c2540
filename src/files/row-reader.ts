/** Reads the columns of a row of a store; `refuse` throws where one has another type. */
export class RowReader {
  readonly #row: Readonly<Record<string, unknown>>
  protected readonly refuse: (column: string) => never

  constructor(row: Readonly<Record<string, unknown>>, refuse: (column: string) => never) {
    this.#row = row
    this.refuse = refuse
  }

  text(column: string): string {
    const value = this.#row[column]
    return typeof value === 'string' ? value : this.refuse(column)
  }

  textOrNull(column: string): string | null {
    return this.#row[column] === null ? null : this.text(column)
  }

  integer(column: string): number {
    const value = this.#row[column]
    return typeof value === 'number' && Number.isSafeInteger(value) ? value : this.refuse(column)
  }
}
