import { isBranded } from '../model/brand.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import {
  CHANNEL_NAME_MAX, CHANNELS_MAX, type ChannelListener, type ChannelSource, type ChannelType, type SentMessage,
} from '../venue/channels.js'
import type { BrokerMessage } from './broker-message.js'
import type { CallbackGuard } from './callback-guard.js'
import { Channel } from './channel.js'
import { overrides } from './market-callbacks.js'
import { brokerMessageOf, checkedMessage } from './message-check.js'
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

/** A channel of any type. */
export type AnyChannel = Channel<string | BrokerMessage>

/** A channel that a strategy has open. */
interface OpenChannel {
  readonly channel: AnyChannel
  readonly type: ChannelType
}

/** The channels that a strategy has open, in the order of opening. */
export class StrategyChannels implements ChannelListener {
  readonly #open: Map<string, OpenChannel> = new Map()

  constructor(private readonly host: StrategyChannelsHost) {}

  /** The channel of a name; the same one for the same name. `type` is the class that a strategy has named. */
  open(name: string, type?: unknown): AnyChannel {
    checkName(name)
    return this.#opened(name, typeOf(name, type))
  }

  onChannelMessage(name: string, sent: SentMessage): void {
    const { strategy, guard, flush } = this.host
    const open = this.#open.get(name)
    if (open === undefined) return
    if (guard.hasNews) flush()
    const { channel, type } = open
    const { origin, message } = sent
    const received = type === 'BrokerMessage' ? Object.freeze({ origin, message: brokerMessageOf(sent) })
      : sent.record === undefined ? sent : Object.freeze({ origin, message })
    guard.run('onChannelMessage', () => strategy.onChannelMessage(channel, received))
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

  /** Their names and types: for a checkpoint. */
  state(): readonly (readonly [name: string, type: ChannelType])[] {
    return [...this.#open].map(([name, { type }]) => [name, type])
  }

  /** Opens those of a checkpoint that the strategy has not opened again, behind those that it has. */
  restore(channels: readonly (readonly [name: string, type: ChannelType])[]): void {
    for (const [name, type] of channels) if (!this.#open.has(name)) this.#opened(name, type)
  }

  #opened(name: string, type: ChannelType): AnyChannel {
    const known = this.#open.get(name)
    if (known !== undefined) {
      if (known.type === type) return known.channel
      throw typeFault(name, `${known.type}, as it is open already`, type)
    }
    if (this.#open.size >= CHANNELS_MAX) {
      const [expected, found] = [`at most ${CHANNELS_MAX} channels`, 'one more']
      throw new BacktapeError(
        'LIMIT_EXCEEDED', `Cannot open channel ${foundText(name)}: a strategy has ${expected}`, { expected, found },
      )
    }
    this.host.source?.open(name, this, type)
    const channel: AnyChannel = new Channel(name, (message) => { this.#publish(name, type, message) })
    this.#open.set(name, { channel, type })
    return channel
  }

  #publish(name: string, type: ChannelType, given: unknown): void {
    const { message, record } = checkedMessage(name, type, given)
    const { guard, source, isResuming } = this.host
    // The run before has published it; a strategy that is over says nothing any more.
    if (isResuming() || (guard.isOver && !guard.isInStop)) return
    source?.publish(name, message, record)
  }
}

function typeOf(name: string, type: unknown): ChannelType {
  if (type === undefined) return 'String'
  if (isBranded(type, 'BrokerMessage')) return 'BrokerMessage'
  throw typeFault(name, 'BrokerMessage, or left out for texts', foundText(type))
}

function typeFault(name: string, expected: string, found: string): BacktapeError {
  return new BacktapeError(
    'OPTION_INVALID', `Cannot open channel ${foundText(name)}: its type must be ${expected}, found ${found}`,
    { field: 'type', expected, found },
  )
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
