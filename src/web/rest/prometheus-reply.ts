import type { MetricFamily } from '../../protocol/rest/metric-family.js'
import type { TextReply } from './rest-reply.js'

/** The media type of metrics in the form that Prometheus reads. */
const PROMETHEUS_MEDIA = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics in the form that Prometheus reads. */
async function prometheusText(families: readonly MetricFamily[]): Promise<string> {
  const { default: { Counter, Gauge, Registry } } = await import('prom-client')
  const registry = new Registry()
  for (const { name, help, kind, samples } of families) {
    // Of what has no labels it would write a 0.
    if (samples.length === 0) continue
    const labelNames = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))]
    const options = { name, help, labelNames, registers: [registry] }
    if (kind === 'counter') {
      const counter = new Counter(options)
      for (const { labels, value } of samples) counter.inc(labels, value)
    } else {
      const gauge = new Gauge(options)
      for (const { labels, value } of samples) gauge.set(labels, value)
    }
  }
  return registry.metrics()
}

/** The same as an answer. */
export async function prometheusReply(families: readonly MetricFamily[]): Promise<TextReply> {
  return { kind: 'text', status: 200, media: PROMETHEUS_MEDIA, text: await prometheusText(families) }
}
