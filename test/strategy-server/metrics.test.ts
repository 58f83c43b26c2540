import { afterEach, expect, test } from 'vitest'
import { openedStrategies, type OpenedStrategies } from '../support/opened-strategies.ts'

let opened: OpenedStrategies | null = null
afterEach(async () => { await opened?.server.close() })

test('metrics for Prometheus have the help and the figures of the JSON', async () => {
  opened = await openedStrategies()
  const { server, made, ask, runs } = opened
  await ask('POST', `/api/v1/strategy/instance/${await made('maker')}/start`, {})
  runs.last.sink.progressed({
    timeNs: 1_000n, eventCount: 5, gapCount: 3, suspectBookCount: 1, orderCount: 2, fillCount: 1, lastFillNs: null, openOrderCount: 1,
    positions: [{ accountId: 'a', instrumentId: 7, size: '-1.5' }, { accountId: 'a', instrumentId: 7, size: '2' }, { accountId: 'b', instrumentId: 7, size: '4' }],
    profit: { currency: 'USDT', amount: '-0.25' }, callbackCount: 9, longestCallbackMs: 0.5, heapBytes: 10, bufferBytes: 20,
  })
  await made('at rest')
  const prometheus = await fetch(`${server.url}/metrics`)
  expect([prometheus.status, prometheus.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  const lines = (await prometheus.text()).split('\n')
  expect(lines).toEqual(expect.arrayContaining([
    '# HELP backtape_instance_orders orders sent', '# TYPE backtape_instance_orders gauge', 'backtape_instance_orders{instance="maker"} 2',
    'backtape_instance_state{instance="maker",state="STARTING"} 1', 'backtape_instance_state{instance="maker",state="RUNNING"} 0', 'backtape_instance_state{instance="at rest",state="CREATED"} 1',
    'backtape_instance_position{instance="maker",account="a",instrument="7"} 0.5', 'backtape_instance_position{instance="maker",account="b",instrument="7"} 4',
    'backtape_instance_profit{instance="maker",currency="USDT"} -0.25', 'backtape_instance_longest_callback_seconds{instance="maker"} 0.0005', 'backtape_market_data_gaps 3',
    'backtape_market_data_suspect_books 1', 'backtape_threads 1',
  ]))
  // Of what there is nothing of nothing is said.
  expect(lines.filter((line) => line.includes('broker') || line.includes('orders{instance="at rest"'))).toEqual([])
})
