import { fault, type Fault } from '../../model/fault.js'
import { isJsonObject } from '../../model/json-object.js'
import { partFault, readFields } from '../../protocol/rest/rest-requests.js'
import { entryOf, type RequestPart, type RestTables } from '../../protocol/rest/rest-tables.js'
import { unfit, type RestRefusal } from './rest-refusal.js'
import { bodyMedia, FORM } from './route-table.js'

/** A part of a request as its handler reads it, or the refusal. */
export type CheckedPart = { readonly value: unknown } | { readonly error: RestRefusal }

/** Checks a part of a request. */
export type PartCheck = (value: unknown) => CheckedPart

const WORDS: Readonly<Record<RequestPart, string>> = { path: 'the path', query: 'the query', body: 'the body' }

/** The check of a part of a route's requests, by the tables. */
export function partCheck(tables: RestTables, name: string, part: RequestPart): PartCheck {
  // JSON has its own numbers and lists; paths, queries and forms are texts.
  const isText = part !== 'body' || bodyMedia(entryOf(tables.routes, name)) === FORM
  return (value) => {
    const read = isText ? readFields(tables, name, part, value) : value
    const wrong = (isText ? repeatedFault(read) : null) ?? partFault(tables, name, part, read)
    return wrong === null ? { value: read } : { error: unfit(tables, wrong, WORDS[part]) }
  }
}

/** A name that stands several times: its values are not shown, as they may be secrets. */
function repeatedFault(fields: unknown): Fault | null {
  if (!isJsonObject(fields)) return null
  const isList = (entry: [string, unknown]): entry is [string, readonly unknown[]] => Array.isArray(entry[1])
  const repeated = Object.entries(fields).find(isList)
  if (repeated === undefined) return null
  const [name, values] = repeated
  const found = values.length === 0 ? 'a broken escape' : `${values.length} values`
  return { ...fault(name.slice(0, 80), 'one value', null), found }
}
