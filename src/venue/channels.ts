/** A message of a channel. Frozen. */
export interface ChannelMessage {
  /** Who published it: the name of a strategy instance, or the origin of another client. */
  readonly origin: string
  /** Its text. */
  readonly message: string
}

/** Receives the messages of a channel that others have published. */
export interface ChannelListener {
  /** A message has come on the channel of this name. */
  onChannelMessage(channel: string, message: ChannelMessage): void
}

/**
 * Named channels of text messages (spec 3, "Channel messages"). Order holds for each channel and publisher. A client
 * never receives what it has published.
 */
export interface ChannelSource {
  /** Channels of which messages are known to come, as from the file of a run; left out where there are none. */
  readonly awaited?: readonly string[]
  /** From now on the messages of a channel come to the listener; asking again changes nothing. */
  open(channel: string, listener: ChannelListener): void
  /** Publishes a message; it succeeds without a listener too. */
  publish(channel: string, message: string): void
}

/** Most characters of the name of a channel. */
export const CHANNEL_NAME_MAX = 249

/** Most bytes of a message in UTF-8. */
export const CHANNEL_MESSAGE_BYTES_MAX = 1_048_576

/** Most channels that one client opens. */
export const CHANNELS_MAX = 1_000
