/** The limits of a strategy server. Ours, all of them: spec 3 shows none. */
export const STRATEGY_LIMITS = {
  instances: { value: 100, unit: 'instances', description: 'instances at once, whatever their state' },
  bodyBytes: { value: 131_072, unit: 'bytes', description: 'the body of a request' },
  messageBytes: { value: 1_048_576, unit: 'bytes', description: 'a message of a channel' },
  nameLength: { value: 249, unit: 'characters', description: 'a name: of an instance, an origin, a channel' },
  pageLines: { value: 1_000, unit: 'lines', description: 'lines of a page at most' },
  readCalls: { value: 60_000, unit: 'calls a minute', description: 'requests that change nothing, of an address' },
  changeCalls: { value: 600, unit: 'calls a minute', description: 'requests that change instances, of an address' },
  stopAllCalls: { value: 120, unit: 'calls a minute', description: 'stops of everything, of an address' },
  loginCalls: { value: 10, unit: 'calls a minute', description: 'tokens that browsers try, of an address' },
  sendCalls: { value: 60_000, unit: 'calls a minute', description: 'messages that are sent, of an address' },
} as const

/** The buckets that calls are counted in, each of an address, by the limit of each. */
export const STRATEGY_BUCKETS = {
  general: 'readCalls', change: 'changeCalls', send: 'sendCalls', login: 'loginCalls', stopAll: 'stopAllCalls',
} as const
