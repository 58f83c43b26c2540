import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import { isJsonObject } from '../model/json-object.js'
import {
  CHANNEL_MESSAGE_BYTES_MAX, ORIGIN_HEADER, PROCESS_HEADER, type ChannelType, type MessageRecord, type SentMessage,
} from '../venue/channels.js'
import { BrokerMessage } from './broker-message.js'

const SERVER_HEADERS: readonly string[] = [ORIGIN_HEADER, PROCESS_HEADER]

/** A message as it is published. */
export type PublishedMessage = Omit<SentMessage, 'origin'>

const encoder = new TextEncoder()

/** False for a surrogate without the other one: no text of UTF-8 holds it. */
const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/** A given message of a channel of a type. Throws OPTION_INVALID for what is none, LIMIT_EXCEEDED for more bytes. */
export function checkedMessage(channel: string, type: ChannelType, given: unknown): PublishedMessage {
  const checked = type === 'String' ? { message: checkedText(channel, given) } : checkedRecord(channel, given)
  checkLength(channel, checked)
  return checked
}

/** The message that a strategy receives on a channel of `BrokerMessage`. */
export function brokerMessageOf({ message, record }: SentMessage): BrokerMessage {
  if (record === undefined) return new BrokerMessage({ value: message })
  const { key, headers, isEmpty } = record
  return new BrokerMessage({ key, value: isEmpty ? null : message, headers }, record)
}

function checkedText(channel: string, given: unknown): string {
  if (typeof given === 'string') return given
  throw fault(channel, 'message', 'a text, as String(value) makes one', foundText(given))
}

function checkedRecord(channel: string, given: unknown): PublishedMessage {
  if (!isJsonObject(given)) throw fault(channel, 'message', 'an object { key, value, headers }', foundText(given))
  const { key = null, value, headers = {} } = given
  for (const [field, text] of [['key', key], ['value', value]] as const)
    if (text !== null && !(typeof text === 'string' && isWhole(text)))
      throw fault(channel, field, 'a text of whole characters or null', foundText(text))
  if (!isJsonObject(headers)) throw fault(channel, 'headers', 'an object of texts', foundText(headers))
  for (const [name, text] of Object.entries(headers)) {
    if (name === '' || !isWhole(name) || SERVER_HEADERS.includes(name))
      throw fault(channel, 'headers', `names other than ${SERVER_HEADERS.join(', ')} and none`, foundText(name))
    if (typeof text !== 'string' || !isWhole(text))
      throw fault(channel, `headers.${name}`, 'a text of whole characters', foundText(text))
  }
  const record: MessageRecord = {
    key: key as string | null, headers: Object.freeze({ ...headers } as Record<string, string>), partition: null,
    offset: null, timestamp: null, isEmpty: value === null,
  }
  return { message: value === null ? '' : value as string, record: Object.freeze(record) }
}

function checkLength(channel: string, { message, record }: PublishedMessage): void {
  const texts = record === undefined ? [message]
    : [message, record.key ?? '', ...Object.entries(record.headers).flat()]
  const most = texts.reduce((sum, { length }) => sum + length, 0) * 3
  if (most <= CHANNEL_MESSAGE_BYTES_MAX) return
  const sizeBytes = texts.reduce((sum, text) => sum + encoder.encode(text).length, 0)
  if (sizeBytes <= CHANNEL_MESSAGE_BYTES_MAX) return
  throw fault(
    channel, 'message', `of at most ${CHANNEL_MESSAGE_BYTES_MAX} bytes`, `${sizeBytes} bytes`, 'LIMIT_EXCEEDED',
  )
}

function fault(
  channel: string, field: string, expected: string, found: string,
  code: 'OPTION_INVALID' | 'LIMIT_EXCEEDED' = 'OPTION_INVALID',
): BacktapeError {
  const where = field === 'message' ? 'the message' : field
  return new BacktapeError(
    code, `Cannot publish on channel ${foundText(channel)}: ${where} must be ${expected}, found ${found}`,
    { field, expected, found },
  )
}
