import { NS_PER_SECOND } from '../model/time.js'
import type { MetricFamily } from '../protocol/rest/metric-family.js'
import type { RuntimeFigures } from '../web/runtime-metrics-reader.js'
import type { ControlParts, ShopControlParts } from './control-parts.js'
import { sentCount } from './sent-counts.js'

const MS_PER_SECOND = 1_000

/** The metrics of a control port for Prometheus: of the replay, where there is one, and of the process. */
export function serveMetrics(
  parts: ControlParts | ShopControlParts, runtime: RuntimeFigures,
): readonly MetricFamily[] {
  const { uptimeSeconds, residentBytes, heapBytes, eventLoopDelayMsMax } = runtime
  return [
    ...'replay' in parts ? replayMetrics(parts) : [],
    gauge('uptime_seconds', 'time since the process began', uptimeSeconds),
    gauge('resident_memory_bytes', 'resident memory of the process', residentBytes),
    gauge('heap_bytes', 'heap of the process', heapBytes),
    gauge('event_loop_delay_max_seconds', 'longest delay of the event loop since the metrics were read before',
      eventLoopDelayMsMax / MS_PER_SECOND),
  ]
}

function replayMetrics({ replay, pacer, feed, orderEntry, fills }: ControlParts): readonly MetricFamily[] {
  return [
    gauge('market_time_seconds', 'time of the replay, since 1970', Number(replay.clock.now()) / NS_PER_SECOND),
    gauge('paused', '1 where the replay is paused', pacer.isPaused ? 1 : 0),
    gauge('ended', '1 where the data have ended', replay.hasEnded ? 1 : 0),
    gauge('feed_connections', 'connections to the feed', feed.connections.size),
    gauge('order_entry_connections', 'connections to order entry', orderEntry.connections.size),
    gauge('messages_sent', 'messages sent to the connections that are open', sentCount({ feed, orderEntry })),
    gauge('open_orders', 'orders that are open at the exchange', [...replay.world.orders.openOrders()].length),
    gauge('recent_fills', 'fills that are kept, the last ones', fills.length),
    gauge('late_requests', 'requests that came late in lock-step', pacer.lockStep.lateCount),
  ]
}

function gauge(name: string, help: string, value: number): MetricFamily {
  return { name: `backtape_serve_${name}`, help, kind: 'gauge', samples: [{ labels: {}, value }] }
}
