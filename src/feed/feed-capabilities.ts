import type { Instrument } from '../model/instrument.js'
import { FEED_TOPICS, type FeedCapabilities, type FeedTopicName } from '../protocol/feed-messages.js'

/** Topics that spot markets lack (spec 1, "Events"). */
const DERIVATIVE_TOPICS: ReadonlySet<FeedTopicName> = new Set([
  'markPriceTopic', 'indexPriceTopic', 'fundingRateTopic', 'liquidationsTopic',
])
/** Ids are opaque texts: compared by equality, never by arithmetic (spec 4, section 4). The word is ours. */
const CAPABILITY = { eventIdType: 'opaque' } as const

/** Capabilities of a market by the types of its instruments: one of spot instruments alone has three topics. */
export function capabilitiesOf(instruments: readonly Pick<Instrument, 'type'>[]): FeedCapabilities {
  const isSpot = instruments.length > 0 && instruments.every(({ type }) => type === 'spot')
  const names = Object.keys(FEED_TOPICS) as FeedTopicName[]
  const entries = names.map((name) => [name, isSpot && DERIVATIVE_TOPICS.has(name) ? null : CAPABILITY] as const)
  return Object.fromEntries(entries) as FeedCapabilities
}
