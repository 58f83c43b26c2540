import type { RestAnswer, RestRoute } from '../rest/rest-tables.js'
import type { StrategyErrorName } from './strategy-errors.js'
import type { STRATEGY_BUCKETS } from './strategy-limits.js'
import type { StrategySchemaName } from './strategy-schemas.js'

/** An endpoint of a strategy server. */
export interface StrategyRoute extends RestRoute {
  readonly query?: StrategySchemaName
  readonly body?: StrategySchemaName
  readonly answers: readonly (RestAnswer & { readonly schema?: StrategySchemaName })[]
  readonly errors: readonly StrategyErrorName[]
  readonly bucket: keyof typeof STRATEGY_BUCKETS
  readonly credential: 'token' | 'none'
}

/** The endpoints (spec 3, "REST"), and ours. */
export const STRATEGY_ROUTES = {
  strategies: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/api/v1/strategy', summary: 'list installed strategies',
    answers: [{ status: 200, schema: 'InstalledStrategies' }], errors: [],
  },
  instances: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/api/v1/strategy/instance', summary: 'list created instances',
    answers: [{ status: 200, schema: 'Instances' }], errors: [],
  },
  statuses: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/api/v1/strategy/instance/status',
    summary: 'status of all instances',
    answers: [{ status: 200, schema: 'InstanceStatuses' }],
    errors: [],
  },
  create: {
    method: 'POST', bucket: 'change', credential: 'token',
    path: '/api/v1/strategy/instance', summary: 'create a strategy instance', body: 'InstanceConfig',
    answers: [{ status: 201, schema: 'Instance' }],
    errors: ['nameTaken', 'tooManyInstances', 'tooLarge', 'wrongMediaType'],
    choice: 'parameters are checked against the data of the venue before anything runs',
  },
  start: {
    method: 'POST', bucket: 'change', credential: 'token',
    path: '/api/v1/strategy/instance/{instanceId}/start',
    summary: 'start an instance', body: 'StartOptions', isBodyOptional: true,
    answers: [{ status: 200, schema: 'InstanceStatus' }],
    errors: ['unknownInstance', 'wrongState', 'tooLarge', 'wrongMediaType'],
  },
  stop: {
    method: 'POST', bucket: 'change', credential: 'token',
    path: '/api/v1/strategy/instance/{instanceId}/stop',
    summary: 'stop an instance', body: 'StopOptions', isBodyOptional: true,
    answers: [{ status: 200, schema: 'InstanceStatus' }],
    errors: ['unknownInstance', 'wrongState', 'tooLarge', 'wrongMediaType'],
    choice: 'answered at once: STOPPING lasts until its cancels are confirmed',
  },
  delete: {
    method: 'POST', bucket: 'change', credential: 'token',
    path: '/api/v1/strategy/instance/{instanceId}/delete', summary: 'delete an instance',
    body: 'DeleteOptions', isBodyOptional: true, answers: [{ status: 204 }],
    errors: ['unknownInstance', 'wrongState', 'ordersOpen', 'tooLarge', 'wrongMediaType'],
    choice: 'its journal and its log go with it',
  },
  send: {
    method: 'POST', path: '/api/v1/channel/{channelName}/send', summary: 'publish to a channel', query: 'SendQuery',
    body: 'Message', bodyMedia: 'text/plain', bodyLimit: 'messageBytes',
    answers: [{ status: 204 }],
    errors: ['tooLarge', 'wrongMediaType'],
    bucket: 'send', credential: 'token', choice: 'it reaches strategies and WebSocket clients, no external receiver',
  },
  startSeveral: {
    method: 'POST', bucket: 'change', credential: 'token',
    path: '/api/v1/strategy/instance/start', summary: 'start several instances', body: 'InstanceIds',
    answers: [{ status: 200, schema: 'InstanceStatuses' }],
    errors: ['unknownInstance', 'wrongState', 'tooLarge', 'wrongMediaType'], isOurs: true,
  },
  stopSeveral: {
    method: 'POST', bucket: 'change', credential: 'token',
    path: '/api/v1/strategy/instance/stop', summary: 'stop several instances', body: 'InstanceIds',
    answers: [{ status: 200, schema: 'InstanceStatuses' }],
    errors: ['unknownInstance', 'wrongState', 'tooLarge', 'wrongMediaType'], isOurs: true,
  },
  deleteSeveral: {
    method: 'POST', bucket: 'change', credential: 'token',
    path: '/api/v1/strategy/instance/delete', summary: 'delete several instances', body: 'InstanceIds',
    answers: [{ status: 204 }],
    errors: ['unknownInstance', 'wrongState', 'ordersOpen', 'tooLarge', 'wrongMediaType'], isOurs: true,
  },
  reconfigure: {
    method: 'POST', bucket: 'change', credential: 'token',
    path: '/api/v1/strategy/instance/{instanceId}/reconfigure', summary: 'give an instance at rest other parameters',
    body: 'Reconfiguration', answers: [{ status: 200, schema: 'Instance' }],
    errors: ['unknownInstance', 'wrongState', 'ordersOpen', 'tooLarge', 'wrongMediaType'], isOurs: true,
  },
  stopAll: {
    method: 'POST', bucket: 'stopAll', credential: 'token',
    path: '/api/v1/strategy/stop-all', summary: 'stop every instance that runs, and cancel all orders',
    answers: [{ status: 200, schema: 'InstanceStatuses' }],
    errors: [], isOurs: true,
    choice: 'answers those that it stops, and those at rest whose orders it cancels: `openOrders` names what is left',
  },
  instance: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/api/v1/strategy/instance/{instanceId}',
    summary: 'an instance and its status',
    answers: [{ status: 200, schema: 'InstanceDetail' }],
    errors: ['unknownInstance'], isOurs: true,
  },
  journal: {
    method: 'GET', bucket: 'general', credential: 'token', query: 'PageQuery',
    answers: [{ status: 200, schema: 'Lines' }], errors: ['unknownInstance'],
    path: '/api/v1/strategy/instance/{instanceId}/journal', summary: 'lines of its journal', isOurs: true },
  log: {
    method: 'GET', bucket: 'general', credential: 'token', query: 'PageQuery',
    answers: [{ status: 200, schema: 'Lines' }], errors: ['unknownInstance'],
    path: '/api/v1/strategy/instance/{instanceId}/log', summary: 'lines that its strategy logged', isOurs: true },
  orders: {
    method: 'GET', bucket: 'general', credential: 'token', query: 'PageQuery',
    answers: [{ status: 200, schema: 'Lines' }], errors: ['unknownInstance'],
    path: '/api/v1/strategy/instance/{instanceId}/orders', summary: 'lines of its journal about orders', isOurs: true },
  fills: {
    method: 'GET', bucket: 'general', credential: 'token', query: 'PageQuery',
    answers: [{ status: 200, schema: 'Lines' }], errors: ['unknownInstance'],
    path: '/api/v1/strategy/instance/{instanceId}/fills', summary: 'lines of its journal about fills', isOurs: true },
  positions: {
    method: 'GET', bucket: 'general', credential: 'token', query: 'PageQuery',
    answers: [{ status: 200, schema: 'Lines' }], errors: ['unknownInstance'],
    path: '/api/v1/strategy/instance/{instanceId}/positions',
    summary: 'lines of its journal about positions and wallets',
    isOurs: true, choice: 'both sides of a hedge are lines of their own',
  },
  metrics: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/api/v1/metrics', summary: 'metrics of strategies, market data and runtime',
    answers: [{ status: 200, schema: 'Metrics' }], errors: [], isOurs: true,
  },
  prometheus: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/metrics', summary: 'the same metrics for Prometheus',
    answers: [{ status: 200, media: 'text/plain; version=0.0.4; charset=utf-8' }], errors: [], isOurs: true,
  },
  channels: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/ws/v1', summary: 'channels over WebSocket',
    answers: [{ status: 101, schema: 'ChannelFrames', choice: 'frames in both directions, behind the handshake' }],
    errors: ['upgradeRequired'],
  },
  liveFrames: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/ws/live', summary: 'the live view over WebSocket',
    answers: [{ status: 101, schema: 'LiveFrames', choice: 'frames in both directions, behind the handshake' }],
    errors: ['upgradeRequired'], isOurs: true,
  },
  live: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/live', summary: 'the live view, a page', answers: [{ status: 200, media: 'text/html' }], errors: [],
    isOurs: true,
  },
  liveScript: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/live/script.js', summary: 'its script', answers: [{ status: 200, media: 'text/javascript' }], errors: [],
    isOurs: true,
  },
  liveStyle: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/live/style.css', summary: 'its style', answers: [{ status: 200, media: 'text/css' }], errors: [],
    isOurs: true,
  },
  login: {
    method: 'GET', bucket: 'general', credential: 'none',
    path: '/login', summary: 'the page that asks a browser for the token',
    answers: [{ status: 200, media: 'text/html' }],
    errors: ['notFound'], isOurs: true, choice: 'it is there where the server has a token',
  },
  logIn: {
    method: 'POST', bucket: 'login', credential: 'none', body: 'LoginForm',
    path: '/login', summary: 'gives a browser a cookie for the token',
    answers: [{ status: 303, media: 'text/html', choice: '`Location` is the path that was asked for' }],
    errors: ['notFound', 'tooLarge', 'wrongMediaType'], isOurs: true,
    choice: 'the cookie is not the token; it counts for requests of this server\'s own pages, half a day',
  },
  logOut: {
    method: 'POST', bucket: 'general', credential: 'none',
    path: '/logout', summary: 'ends the session of a cookie',
    answers: [{ status: 303, media: 'text/html', choice: '`Location` is `/login`' }], errors: ['notFound'],
    isOurs: true,
  },
  openApi: {
    method: 'GET', bucket: 'general', credential: 'token',
    path: '/openapi.json', summary: 'this interface in OpenAPI 3.1',
    answers: [{ status: 200, media: 'application/json' }], errors: [], isOurs: true,
  },
} as const

/** The name of an endpoint. */
export type StrategyRouteName = keyof typeof STRATEGY_ROUTES
