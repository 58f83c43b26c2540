/** An id as the server makes them. */
const INSTANCE_ID = '5f0c1c1e-8a43-4f0e-9d7b-2f4f6c0e7a11'
const PARAMETERS = { instrument: 'BTCUSDT', size: '0.01' }

/** Examples of requests by route, `*` of all routes; the explorer puts ids that are there in their place. */
export const STRATEGY_EXAMPLES: Readonly<Record<string, {
  readonly body?: unknown, readonly parameters?: Readonly<Record<string, unknown>>,
}>> = {
  '*': { parameters: { instanceId: INSTANCE_ID, channelName: 'signals', origin: 'desk', line: 0, limit: 100 } },
  create: { body: { instanceName: 'maker', strategyName: 'TouchMaker', parameters: PARAMETERS } },
  start: { body: {} },
  stop: { body: { cancelOrders: true } },
  delete: { body: {} },
  send: { body: 'widen 2' },
  startSeveral: { body: { instanceIds: [INSTANCE_ID] } },
  stopSeveral: { body: { instanceIds: [INSTANCE_ID] } },
  deleteSeveral: { body: { instanceIds: [INSTANCE_ID] } },
  reconfigure: { body: { parameters: PARAMETERS } },
}
