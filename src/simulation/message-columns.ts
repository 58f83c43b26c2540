import { isJsonObject } from '../model/json-object.js'
import type { SignalRow, SignalValue } from '../model/signal-row.js'
import type { MessageRecord, SentMessage } from '../venue/channels.js'

/** Columns that a file of messages may have beside origin and text: those of records of a broker, with their kinds. */
export const RECORD_COLUMNS = {
  key: 'text', headers: 'text', partition: 'integer', offset: 'integer', timestamp: 'integer',
} as const

/** The value that such a column must have instead of one that no record has; null where it has one. */
export function recordFault(column: string, value: SignalValue): string | null {
  if (value === null || column === 'key') return null
  if (column === 'headers') return headersOf(value as string) === null ? 'an object of texts as JSON' : null
  const number = Number(value)
  return Number.isSafeInteger(number) && number >= 0 ? null : 'an integer from 0 to 9007199254740991'
}

/** The message that a row of such a file is. */
export function sentMessageOf(row: SignalRow): SentMessage {
  const { origin, message = null } = row
  const texts = { origin: origin as string, message: message === null ? '' : message as string }
  const record = recordOf(row)
  return Object.freeze(record === null ? texts : { ...texts, record })
}

/** A message as such a row: the columns of a record are null where it has none. */
export function messageRow({ origin, message, record }: SentMessage): Readonly<Record<string, string | number | null>> {
  const { key = null, headers = {}, partition = null, offset = null, timestamp = null, isEmpty = false } = record ?? {}
  return {
    origin, message: isEmpty ? null : message, key,
    headers: Object.keys(headers).length === 0 ? null : JSON.stringify(headers), partition, offset, timestamp,
  }
}

function recordOf(row: SignalRow): MessageRecord | null {
  const { message = null, key = null, headers = null, partition = null, offset = null, timestamp = null } = row
  const isEmpty = message === null
  if (!isEmpty && [key, headers, partition, offset, timestamp].every((value) => value === null)) return null
  const number = (value: SignalValue): number | null => (value === null ? null : Number(value))
  return Object.freeze({
    key: key as string | null, headers: Object.freeze(headers === null ? {} : headersOf(headers as string) ?? {}),
    partition: number(partition), offset: number(offset), timestamp: number(timestamp), isEmpty,
  })
}

function headersOf(text: string): Readonly<Record<string, string>> | null {
  try {
    const headers: unknown = JSON.parse(text)
    return isJsonObject(headers) && Object.values(headers).every((value) => typeof value === 'string')
      ? headers as Readonly<Record<string, string>> : null
  } catch {
    return null
  }
}
