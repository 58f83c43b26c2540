/** The refusals over HTTP. Ours, all of them: spec 3 does not show the errors of its REST API. */
export const STRATEGY_ERRORS = {
  invalidInput: {
    status: 400, code: 'INVALID_INPUT', condition: 'a path or a body that cannot be read',
    sentence: 'The request cannot be read.', details: ['field', 'expected', 'found'],
  },
  noToken: {
    status: 401, code: 'NO_TOKEN', condition: 'the server has a token, and the request has another or none',
    sentence: 'The request needs Authorization: Bearer TOKEN.', headers: ['www-authenticate'],
  },
  foreignPage: {
    status: 403, code: 'FOREIGN_PAGE', condition: '`Host` is missing or another name, or `Origin` is of another page',
    sentence: 'A page of another origin has no access.',
  },
  notFound: {
    status: 404, code: 'NOT_FOUND', condition: 'a path that is not there', sentence: 'There is no such path here.',
  },
  unknownInstance: {
    status: 404, code: 'UNKNOWN_INSTANCE', condition: 'no instance has this `instanceId`',
    sentence: 'There is no such instance.',
  },
  wrongMethod: {
    status: 405, code: 'WRONG_METHOD', condition: 'a path that has other methods',
    sentence: 'The path does not have this method.', headers: ['allow'],
  },
  nameTaken: {
    status: 409, code: 'NAME_TAKEN', condition: 'another instance, or a client of the channels, has `instanceName`',
    sentence: 'The name is taken.',
  },
  wrongState: {
    status: 409, code: 'WRONG_STATE', condition: 'the state of the instance does not allow it',
    sentence: 'The state of the instance does not allow this.', details: ['instanceId', 'state', 'allowed'],
  },
  ordersOpen: {
    status: 409, code: 'ORDERS_OPEN', details: ['instanceId', 'openOrders'],
    condition: 'orders of the instance are open at its venue, or may be: it would be forgotten which',
    sentence: 'Orders of the instance may be open at its venue: stop-all cancels them.',
  },
  tooManyInstances: {
    status: 409, code: 'TOO_MANY_INSTANCES', condition: 'the server has as many instances as it may',
    sentence: 'The server has as many instances as it may: delete one.',
  },
  tooLarge: {
    status: 413, code: 'TOO_LARGE', condition: 'a body over its limit', sentence: 'The body is too large.',
  },
  wrongMediaType: {
    status: 415, code: 'WRONG_MEDIA_TYPE', condition: 'a body of another media type, or compressed',
    sentence: 'The body has another media type than it must.',
  },
  invalidFields: {
    status: 422, code: 'INVALID_FIELDS', details: ['faults'],
    condition: 'fields that do not fit; of parameters every fault at once, with the paths of a run file',
    sentence: 'Fields do not fit.',
  },
  upgradeRequired: {
    status: 426, code: 'UPGRADE_REQUIRED', condition: 'a request of the WebSocket\'s path without its handshake',
    sentence: 'This path speaks WebSocket.', headers: ['upgrade'],
  },
  tooManyCalls: {
    status: 429, code: 'TOO_MANY_CALLS', condition: 'over the calls a minute', headers: ['retry-after'],
    sentence: 'There are too many calls; wait as long as Retry-After says.',
  },
  headersTooLong: {
    status: 431, condition: 'a first line and headers of more than 16,384 bytes', isEmpty: true,
    sentence: 'The headers are too long.',
  },
  failed: {
    status: 500, code: 'FAILED', condition: 'a fault of the server', sentence: 'The server failed; its log says why.',
  },
} as const

/** The name of a refusal. */
export type StrategyErrorName = keyof typeof STRATEGY_ERRORS

/** The refusals of every route, beside those that it names itself. */
export const STRATEGY_COMMON_ERRORS = [
  'invalidInput', 'noToken', 'foreignPage', 'wrongMethod', 'invalidFields', 'tooManyCalls', 'headersTooLong', 'failed',
] as const
