import { BrokerChannels, type TopicCounts } from '../broker/broker-channels.js'
import type { OpenBroker } from '../broker/broker.js'
import { isWritten, topicAccesses, type TopicAccesses } from '../broker/topic-access.js'
import type { ChannelHub } from './channel-hub.js'
import type { StrategyServerConfig } from './strategy-server-options.js'

/** Stops the instances that have one of some channels open; their number. */
export type StopWhereOpen = (isOne: (channel: string) => boolean, reason: string) => number

/** The broker of a server: between its hub and the topics. */
export class ServerBroker {
  readonly topics: TopicAccesses
  #channels: BrokerChannels | null = null
  /** Topics of which a failure was reported, until records are written again. */
  readonly #failed: Map<string, number> = new Map()

  private constructor(
    private readonly config: StrategyServerConfig, private readonly servers: readonly string[],
    private readonly hub: ChannelHub, private readonly onNote: (sentence: string) => void,
  ) {
    this.topics = topicAccesses(config.broker_topics ?? []).topics
  }

  /** The broker of a configuration that was checked; null where it names none. */
  static of(
    config: StrategyServerConfig, hub: ChannelHub, onNote: (sentence: string) => void,
  ): ServerBroker | null {
    const { broker_servers: servers } = config
    return servers === undefined ? null : new ServerBroker(config, servers, hub, onNote)
  }

  /** The counts of its topics. */
  get counts(): readonly TopicCounts[] {
    return this.#channels?.counts ?? []
  }

  /** Opens it. Throws BROKER_FAILED and PACKAGE_MISSING. */
  async open(openBroker: OpenBroker, stop: StopWhereOpen): Promise<void> {
    const { broker_key: key, broker_from: from = 'end', processId = crypto.randomUUID() } = this.config
    this.#channels = await BrokerChannels.open(openBroker, {
      servers: this.servers, topics: this.topics, processId, hasKeys: key !== null, from,
    }, {
      received: (channel, message) => { this.hub.publish(channel, message, null) },
      failed: (topic, sentence) => { this.#fail(topic, sentence, stop) },
      noted: this.onNote,
    })
    const channels = this.#channels
    this.hub.outward = (channel, sent) => { channels.publish(channel, sent) }
    this.onNote(`Broker ${this.servers.join(', ')}: process id ${processId}`)
  }

  /** Ends it: records that wait have some seconds. */
  async close(): Promise<void> {
    this.hub.outward = null
    await this.#channels?.close()
  }

  /** Every failure is counted; it is noted once for as many as come in a row. */
  #fail(topic: string, sentence: string, stop: StopWhereOpen): void {
    const written = this.counts.find((one) => one.topic === topic)?.written ?? 0
    const isKnown = this.#failed.get(topic) === written
    this.#failed.set(topic, written)
    const reason = `Records for topic ${topic} are not written: ${sentence}`
    if (!isKnown) this.onNote(reason)
    if (this.config.broker_stop_on_error === true) stop((channel) => isWritten(this.topics, channel), reason)
  }
}
