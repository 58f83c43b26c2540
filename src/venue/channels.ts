/** A message of a channel. Frozen. */
export interface ChannelMessage<Message = string> {
  /** Who published it: the name of a strategy instance, or the origin of another client. */
  readonly origin: string
  /** Its text; of a channel that was opened with `BrokerMessage` the whole message. */
  readonly message: Message
}

/** Parts of a message of a broker beside its text. Frozen. */
export interface MessageRecord {
  /** Null: no key. */
  readonly key: string | null
  /** Texts by name. */
  readonly headers: Readonly<Record<string, string>>
  /** Null of a message that was not read from a broker, as are offset and timestamp. */
  readonly partition: number | null
  /** Its place in the partition. */
  readonly offset: number | null
  /** Epoch milliseconds. */
  readonly timestamp: number | null
  /** True of a record without a value: its text is empty. */
  readonly isEmpty: boolean
}

/** A message of a channel on its way. Frozen. */
export interface SentMessage extends ChannelMessage {
  /** Absent of a message that is a text alone. */
  readonly record?: MessageRecord
}

/** The same message, frozen with all its parts. */
export function frozenMessage({ origin, message, record }: SentMessage): SentMessage {
  if (record === undefined) return Object.freeze({ origin, message })
  Object.freeze(record.headers)
  return Object.freeze({ origin, message, record: Object.freeze(record) })
}

/** Receives the messages of a channel that others have published. */
export interface ChannelListener {
  /** A message has come on the channel of this name. */
  onChannelMessage(channel: string, message: SentMessage): void
}

/** Types of the messages of a channel that a client opens: texts, or messages of a broker. */
export type ChannelType = 'String' | 'BrokerMessage'

/**
 * Named channels of messages (spec 3, "Channel messages"). Order holds for each channel and publisher. A client never
 * receives what it has published.
 */
export interface ChannelSource {
  /** Channels of which messages are known to come, as from the file of a run; left out where there are none. */
  readonly awaited?: readonly string[]
  /**
   * From now on the messages of a channel come to the listener; asking again changes nothing. Throws OPTION_INVALID for
   * a type that the channel cannot have.
   */
  open(channel: string, listener: ChannelListener, type?: ChannelType): void
  /** Publishes a message, with a record where it is one of a broker; it succeeds without a listener too. */
  publish(channel: string, message: string, record?: MessageRecord): void
}

/** The header of a record that has the origin of its message (spec 3). */
export const ORIGIN_HEADER = 'CS_ORIGIN'

/** The header of a record that has the id of the process that wrote it (spec 3). */
export const PROCESS_HEADER = 'CS_PROCESS_ID'

/** Most characters of the name of a channel. */
export const CHANNEL_NAME_MAX = 249

/** Most bytes of a message in UTF-8, those of its key and headers among them. */
export const CHANNEL_MESSAGE_BYTES_MAX = 1_048_576

/** Most channels that one client opens. */
export const CHANNELS_MAX = 1_000
