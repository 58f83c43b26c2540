import type { ObjectSchema } from '../rest/message-schema.js'
import type { MetricFamily } from '../rest/metric-family.js'
import { STRATEGY_SCHEMAS, type Wire } from './strategy-schemas.js'

const MS_PER_SECOND = 1_000
const { InstanceStatus, InstanceState, Metrics, Position, Profit, Progress, RuntimeMetrics, TopicMetrics } =
  STRATEGY_SCHEMAS

type Kind = MetricFamily['kind']

/** A name for Prometheus, its kind, and the field of which it is; milliseconds become seconds. */
type Row<Field extends string> = readonly [name: string, kind: Kind, field: Field]

const OF_PROGRESS: readonly Row<keyof Wire<'Progress'>>[] = [
  ['instance_events', 'gauge', 'events'], ['instance_gaps', 'gauge', 'gaps'],
  ['instance_suspect_books', 'gauge', 'suspectBooks'], ['instance_orders', 'gauge', 'orders'],
  ['instance_fills', 'gauge', 'fills'], ['instance_open_orders', 'gauge', 'openOrders'],
  ['instance_callbacks', 'gauge', 'callbacks'], ['instance_longest_callback_seconds', 'gauge', 'longestCallbackMs'],
  ['instance_heap_bytes', 'gauge', 'heapBytes'], ['instance_buffer_bytes', 'gauge', 'bufferBytes'],
]
const OF_MARKET_DATA: readonly Row<keyof Wire<'Metrics'>['marketData']>[] = [
  ['market_data_events', 'gauge', 'events'], ['market_data_gaps', 'gauge', 'gaps'],
  ['market_data_suspect_books', 'gauge', 'suspectBooks'],
]
const OF_RUNTIME: readonly Row<Exclude<keyof Wire<'RuntimeMetrics'>, 'broker'>>[] = [
  ['uptime_seconds', 'gauge', 'uptimeSeconds'], ['resident_memory_bytes', 'gauge', 'residentBytes'],
  ['heap_bytes', 'gauge', 'heapBytes'], ['event_loop_delay_max_seconds', 'gauge', 'eventLoopDelayMsMax'],
  ['threads', 'gauge', 'threads'], ['channels', 'gauge', 'channels'], ['channel_clients', 'gauge', 'channelClients'],
]
const OF_TOPIC: readonly Row<Exclude<keyof Wire<'TopicMetrics'>, 'topic'>>[] = [
  ['broker_waiting', 'gauge', 'waiting'], ['broker_waiting_bytes', 'gauge', 'waitingBytes'],
  ['broker_written_total', 'counter', 'written'], ['broker_failed_total', 'counter', 'failed'],
  ['broker_refused_total', 'counter', 'refused'], ['broker_read_total', 'counter', 'read'],
  ['broker_unreadable_total', 'counter', 'unreadable'],
]

/** The metrics of a strategy server for Prometheus, made of the object that is their JSON. */
export function strategyMetrics({ strategies, marketData, runtime }: Wire<'Metrics'>): readonly MetricFamily[] {
  const instances = strategies.map(({ instanceName, state, progress }) => (
    { labels: { instance: instanceName }, state, progress }))
  const working = instances.flatMap(({ labels, progress }) => (progress === undefined ? [] : [{ labels, progress }]))
  const topics = runtime.broker.map(({ topic, ...counts }) => ({ labels: { topic }, counts }))
  return [
    {
      name: 'backtape_instance_state', help: helpOf(InstanceStatus, 'state'), kind: 'gauge',
      samples: instances.flatMap(({ labels, state }) => InstanceState.enum.map((one) => (
        { labels: { ...labels, state: one }, value: one === state ? 1 : 0 }))),
    },
    ...OF_PROGRESS.map((row) => family(row, Progress, working.map(({ labels, progress }) => (
      { labels, value: Number(progress[row[2]]) })))),
    {
      name: 'backtape_instance_position', help: helpOf(Position, 'size'), kind: 'gauge',
      samples: working.flatMap(({ labels, progress }) => summed(progress.positions).map((one) => (
        { labels: { ...labels, account: one.account, instrument: String(one.instrumentId) }, value: one.size }))),
    },
    {
      name: 'backtape_instance_profit', help: helpOf(Profit, 'amount'), kind: 'gauge',
      samples: working.flatMap(({ labels, progress: { profit } }) => (profit === undefined ? []
        : [{ labels: { ...labels, currency: profit.currency }, value: Number(profit.amount) }])),
    },
    ...OF_MARKET_DATA.map((row) => family(
      row, Metrics.properties.marketData, [{ labels: {}, value: marketData[row[2]] }])),
    ...OF_RUNTIME.map((row) => family(row, RuntimeMetrics, [{ labels: {}, value: runtime[row[2]] }])),
    ...OF_TOPIC.map((row) => family(row, TopicMetrics, topics.map(({ labels, counts }) => (
      { labels, value: counts[row[2]] })))),
  ]
}

function family([name, kind, field]: Row<string>, of: ObjectSchema, samples: MetricFamily['samples']): MetricFamily {
  const isMs = /Ms(?:Max)?$/.test(field)
  return {
    name: `backtape_${name}`, help: helpOf(of, field), kind,
    samples: isMs ? samples.map(({ labels, value }) => ({ labels, value: value / MS_PER_SECOND })) : samples,
  }
}

/** The description of a field, which its JSON has too. */
function helpOf({ properties }: ObjectSchema, field: string): string {
  const description = properties?.[field]?.description
  if (description === undefined) throw new Error(`The schema has no description of ${field}`)
  return description
}

/** Both sides of a hedge are one position here: a label has each once. */
function summed(
  positions: Wire<'Progress'>['positions'],
): readonly { readonly account: string, readonly instrumentId: number, readonly size: number }[] {
  const sizes = new Map<string, { account: string, instrumentId: number, size: number }>()
  for (const { account, instrumentId, size } of positions) {
    const key = `${account} ${instrumentId}`
    sizes.set(key, { account, instrumentId, size: (sizes.get(key)?.size ?? 0) + Number(size) })
  }
  return [...sizes.values()]
}
