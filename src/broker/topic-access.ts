import { BacktapeError } from '../model/error.js'
import { fault, type Fault } from '../model/fault.js'
import type { ChannelType } from '../venue/channels.js'

/** Access to a topic by its suffix (spec 3): read, written, or both. */
export type TopicAccess = 'r' | 'w' | 'rw'

/** Topics of a broker by the names of their channels, which are the same. */
export type TopicAccesses = Readonly<Record<string, TopicAccess>>

const TOPIC = /^([A-Za-z0-9._-]{1,249})(?::(rw|r|w))?$/

/** The topics of `broker_topics`, and every fault of them: a name or suffix that none has, one that is there twice. */
export function topicAccesses(
  texts: readonly string[],
): { readonly topics: TopicAccesses, readonly faults: readonly Fault[] } {
  const topics = new Map<string, TopicAccess>()
  const faults = texts.flatMap((text, at) => {
    const path = `broker_topics[${at}]`
    const [, name = '', suffix = 'w'] = TOPIC.exec(text) ?? []
    if (name === '' || name === '.' || name === '..')
      return [fault(path, 'a name of 1 to 249 of A-Z a-z 0-9 . _ -, then nothing, :r, :w or :rw', text)]
    if (topics.has(name)) return [fault(path, 'a name that is there once', text)]
    topics.set(name, suffix as TopicAccess)
    return []
  })
  return { topics: Object.fromEntries(topics), faults }
}

/** The access to a channel; null where it is no topic. */
export function accessTo(topics: TopicAccesses, channel: string): TopicAccess | null {
  return Object.hasOwn(topics, channel) ? topics[channel] ?? null : null
}

/** True where messages of a channel go to the broker. */
export function isWritten(topics: TopicAccesses, channel: string): boolean {
  const access = accessTo(topics, channel)
  return access === 'w' || access === 'rw'
}

/** Throws OPTION_INVALID where a channel is opened by a type that its topic cannot have. */
export function checkTopicType(topics: TopicAccesses, channel: string, type: ChannelType): void {
  const access = accessTo(topics, channel)
  if (access === null || access === 'w' || type === 'BrokerMessage') return
  const [expected, found] = ['BrokerMessage, as it is read from the broker', type]
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot open channel "${channel}": its type must be ${expected}, found ${found}`,
    { field: 'type', expected, found },
  )
}
