/** The first entries of a list that may grow without end, with how many there were. */
export interface BoundedList<Entry> {
  /** Number of entries, those that are not kept included. */
  readonly count: number
  /** The first 100 of them. */
  readonly first: readonly Entry[]
}

/** Most entries that a list of an audit keeps. */
const AUDIT_LIST_LIMIT = 100

/** Collects a {@link BoundedList}. */
export class ListCollector<Entry> implements BoundedList<Entry> {
  count = 0
  readonly first: Entry[] = []

  add(entry: Entry): void {
    if (this.count++ < AUDIT_LIST_LIMIT) this.first.push(entry)
  }
}
