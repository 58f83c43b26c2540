import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import {
  CHANNEL_MESSAGE_BYTES_MAX, CHANNEL_NAME_MAX, CHANNELS_MAX, type ChannelListener, type ChannelMessage,
  type ChannelSource,
} from '../venue/channels.js'
import type { CallbackGuard } from './callback-guard.js'
import { Channel } from './channel.js'
import { overrides } from './market-callbacks.js'
import type { Strategy } from './strategy.js'
import type { StrategySink } from './strategy-sink.js'

/** The parts that the channels of a strategy need. */
export interface StrategyChannelsHost {
  readonly strategy: Strategy
  readonly guard: CallbackGuard
  /** Absent where the venue has no channels. */
  readonly source: ChannelSource | undefined
  /** Sends everything that waits: it comes before whatever is received now. */
  readonly flush: () => void
  readonly isResuming: () => boolean
}

/** The channels that a strategy has open, in the order of opening. */
export class StrategyChannels implements ChannelListener {
  readonly #open: Map<string, Channel> = new Map()

  constructor(private readonly host: StrategyChannelsHost) {}

  /** The channel of a name; the same one for the same name. */
  open(name: string): Channel {
    checkName(name)
    const known = this.#open.get(name)
    if (known !== undefined) return known
    if (this.#open.size >= CHANNELS_MAX) {
      const [expected, found] = [`at most ${CHANNELS_MAX} channels`, 'one more']
      throw new BacktapeError(
        'LIMIT_EXCEEDED', `Cannot open channel ${foundText(name)}: a strategy has ${expected}`, { expected, found },
      )
    }
    const channel = new Channel(name, (message) => { this.#publish(name, message) })
    this.#open.set(name, channel)
    this.host.source?.open(name, this)
    return channel
  }

  onChannelMessage(name: string, message: ChannelMessage): void {
    const { strategy, guard, flush } = this.host
    const channel = this.#open.get(name)
    if (channel === undefined) return
    if (guard.hasNews) flush()
    guard.run('onChannelMessage', () => strategy.onChannelMessage(channel, message))
  }

  /** Warns of messages that will come and that the strategy has no callback for. */
  begin(sink: StrategySink | undefined): void {
    const { strategy, guard, source } = this.host
    const { awaited = [] } = source ?? {}
    if (awaited.length === 0 || overrides(strategy, 'onChannelMessage')) return
    sink?.warned?.(
      `${guard.strategyName} has no onChannelMessage, so it receives no message of channel ${awaited.join(', ')}`,
    )
  }

  /** Their names: for a checkpoint. */
  state(): readonly string[] {
    return [...this.#open.keys()]
  }

  /** Opens those of a checkpoint that the strategy has not opened again, behind those that it has. */
  restore(names: readonly string[]): void {
    for (const name of names) this.open(name)
  }

  #publish(name: string, message: string): void {
    checkMessage(name, message)
    const { guard, source, isResuming } = this.host
    // The run before has published it; a strategy that is over says nothing any more.
    if (isResuming() || guard.isOver) return
    source?.publish(name, message)
  }
}

function checkName(name: unknown): void {
  const expected = `a text of 1 to ${CHANNEL_NAME_MAX} characters`
  if (typeof name === 'string' && name.length > 0 && name.length <= CHANNEL_NAME_MAX) return
  const found = typeof name === 'string' ? `${name.length} characters` : foundText(name)
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot open a channel: its name must be ${expected}, found ${found}`,
    { field: 'name', expected, found },
  )
}

function checkMessage(name: string, message: unknown): void {
  const what = `Cannot publish on channel ${foundText(name)}: the message must be`
  if (typeof message !== 'string') {
    const [expected, found] = ['a text, as String(value) makes one', foundText(message)]
    throw new BacktapeError('OPTION_INVALID', `${what} ${expected}, found ${found}`, {
      field: 'message', expected, found,
    })
  }
  if (message.length <= CHANNEL_MESSAGE_BYTES_MAX / 3) return
  const sizeBytes = new TextEncoder().encode(message).length
  if (sizeBytes <= CHANNEL_MESSAGE_BYTES_MAX) return
  const [expected, found] = [`of at most ${CHANNEL_MESSAGE_BYTES_MAX} bytes`, `${sizeBytes} bytes`]
  throw new BacktapeError('LIMIT_EXCEEDED', `${what} ${expected}, found ${found}`, {
    field: 'message', expected, found,
  })
}
