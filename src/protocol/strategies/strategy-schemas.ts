import type { Static } from '../rest/message-schema.js'

/** Parts of others. */
const PARTS = {
  Name: { type: 'string', maxLength: 249, description: 'the name of an instance, an origin or a channel' },
  Count: { type: 'integer', minimum: 0 },
  InstanceId: { type: 'string', format: 'id', description: 'made by the server' },
  InstanceState: {
    type: 'string', isOurs: true,
    enum: ['CREATED', 'STARTING', 'RUNNING', 'STOPPING', 'STOPPED', 'FAILED', 'INTERRUPTED'],
  },
} as const

/** Requests (spec 3, "Strategy instance configuration", "Channel send") and our own. */
const REQUESTS = {
  PathParameters: {
    type: 'object',
    properties: {
      instanceId: { $ref: 'InstanceId#' },
      channelName: { $ref: 'Name#', description: 'the channel' },
    },
  },
  SendQuery: {
    type: 'object', isClosed: true,
    properties: { origin: { $ref: 'Name#', description: 'sender identifier' } },
  },
  Message: {
    type: 'string', minLength: 0, maxLength: 1_048_576, description: 'the message, plain text',
  },
  InstanceConfig: {
    type: 'object', isClosed: true,
    properties: {
      instanceName: { $ref: 'Name#', description: 'instance name', choice: 'no other instance has it' },
      strategyName: {
        type: 'string', maxLength: 1_000, description: 'installed strategy to build',
        choice: '`MODULE#NAME` where several modules have the name',
      },
      parameters: {
        type: 'object', isOptional: true, choice: 'may be left out where every parameter is optional',
        description: 'values keyed by parameter name; nested objects for composite parameters',
      },
      venue: {
        type: 'string', maxLength: 1_000, isOptional: true, isOurs: true,
        description: 'one of the configured venues; the first by default',
      },
    },
  },
  Reconfiguration: {
    type: 'object', isClosed: true, isOurs: true,
    properties: {
      parameters: { type: 'object', description: 'all of its parameters, in the place of those before' },
      venue: { type: 'string', maxLength: 1_000, isOptional: true, description: 'another venue' },
    },
  },
  StartOptions: {
    type: 'object', isClosed: true, isOurs: true,
    properties: {
      resume: { type: 'boolean', isOptional: true, description: 'goes on from the checkpoint of an INTERRUPTED one' },
    },
  },
  StopOptions: {
    type: 'object', isClosed: true, isOurs: true,
    properties: { cancelOrders: { type: 'boolean', isOptional: true, description: 'false leaves its orders open' } },
  },
  DeleteOptions: {
    type: 'object', isClosed: true, isOurs: true,
    properties: {
      leaveOrders: { type: 'boolean', isOptional: true, description: 'true: also where orders of it may be open' },
    },
  },
  InstanceIds: {
    type: 'object', isClosed: true, isOurs: true, choice: 'all of them, or none: the first that cannot is the refusal',
    properties: { instanceIds: { type: 'array', minItems: 1, maxItems: 100, items: { type: 'string', format: 'id' } } },
  },
  LoginForm: {
    type: 'object', isClosed: true, isOurs: true,
    properties: {
      token: { type: 'string', isSecret: true, maxLength: 200, description: 'the token of the server' },
      to: { type: 'string', maxLength: 2_000, isOptional: true, description: 'the path to go on to' },
    },
  },
  PageQuery: {
    type: 'object', isClosed: true, isOurs: true,
    properties: {
      line: { $ref: 'Count#', isOptional: true, description: 'the first line of the page, from 0; default 0' },
      limit: {
        type: 'integer', minimum: 1, maximum: 1_000, isOptional: true,
        description: 'lines at most; default 100',
      },
    },
  },
} as const

/** Answers. Ours: spec 3 does not show them. */
const ANSWERS = {
  InstalledStrategies: { type: 'array', isOurs: true, items: { $ref: 'InstalledStrategy#' } },
  InstalledStrategy: {
    type: 'object', isOurs: true,
    properties: {
      module: { type: 'string', description: 'path in the folder of strategies' },
      strategyName: { type: 'string', isOptional: true, description: 'absent of a module that cannot be loaded' },
      parameters: { type: 'array', isOptional: true, items: { $ref: 'StrategyParameter#' } },
      error: { type: 'string', isOptional: true, description: 'the reason why it cannot be used' },
    },
  },
  StrategyParameter: {
    type: 'object', isOurs: true,
    properties: {
      name: { type: 'string' },
      type: { type: 'string', description: 'as spec 3 names it: `Quantity`, `List<Integer>`, a class of parameters' },
      optional: { type: 'boolean' },
      default: { type: 'any', isOptional: true, description: 'of an optional one, as JSON' },
      min: { type: 'string', isOptional: true, description: 'least value, a decimal' },
      parameters: {
        type: 'array', isOptional: true, items: { $ref: 'StrategyParameter#' }, description: 'of a composite one',
      },
    },
  },
  Instances: { type: 'array', isOurs: true, items: { $ref: 'Instance#' } },
  Instance: {
    type: 'object', isOurs: true,
    properties: {
      instanceId: { $ref: 'InstanceId#' },
      instanceName: { $ref: 'Name#' },
      strategyName: { type: 'string' },
      module: { type: 'string' },
      parameters: { type: 'object' },
      venue: { type: 'string' },
      created: { type: 'string', format: 'time' },
    },
  },
  InstanceDetail: {
    type: 'object', isOurs: true,
    properties: { instance: { $ref: 'Instance#' }, status: { $ref: 'InstanceStatus#' } },
  },
  InstanceStatuses: { type: 'array', isOurs: true, items: { $ref: 'InstanceStatus#' } },
  InstanceStatus: {
    type: 'object', isOurs: true,
    properties: {
      instanceId: { $ref: 'InstanceId#' },
      instanceName: { $ref: 'Name#' },
      state: { $ref: 'InstanceState#', description: 'its state' },
      since: { type: 'string', format: 'time', description: 'since when it has its state' },
      reason: { type: 'string', isNullable: true, description: 'why it has its state, in words' },
      progress: { $ref: 'Progress#', isOptional: true },
      end: { $ref: 'RunEnd#', isOptional: true },
      openOrders: {
        type: 'array', items: { type: 'string' }, isOptional: true,
        description: 'at rest: own ids of its orders that are open at its adapter, or may be as that cannot be asked',
      },
    },
  },
  Progress: {
    type: 'object', isOurs: true,
    properties: {
      time: { type: 'string', description: 'market time, epoch nanoseconds' },
      events: { $ref: 'Count#', description: 'lines of market data received' },
      gaps: { $ref: 'Count#', description: 'times in which the book of an instrument was unknown' },
      suspectBooks: { $ref: 'Count#', description: 'instruments whose book is unknown now' },
      orders: { $ref: 'Count#', description: 'orders sent' },
      fills: { $ref: 'Count#', description: 'fills of these' },
      lastFill: {
        type: 'string', isOptional: true, description: 'market time of the last fill, epoch nanoseconds; absent: none',
      },
      openOrders: { $ref: 'Count#', description: 'orders that are open' },
      positions: {
        type: 'array', items: { $ref: 'Position#' },
        description: 'those of its accounts that are not flat, trades of others included',
      },
      profit: {
        $ref: 'Profit#', isOptional: true,
        description: 'of its accounts, trades of others included; absent: none, or several currencies',
      },
      callbacks: { $ref: 'Count#', description: 'callbacks of the strategy' },
      longestCallbackMs: { type: 'number', minimum: 0, description: 'longest callback, wall time' },
      heapBytes: { $ref: 'Count#', description: 'heap of its thread' },
      bufferBytes: { $ref: 'Count#', description: 'buffers of its thread beside the heap' },
    },
  },
  Position: {
    type: 'object', isOurs: true,
    properties: {
      account: { type: 'string' },
      instrumentId: { $ref: 'Count#' },
      size: { type: 'string', description: 'size of a position of the account: signed, an exact decimal' },
    },
  },
  Profit: {
    type: 'object', isOurs: true,
    properties: {
      currency: { type: 'string' },
      amount: {
        type: 'string',
        description: 'profit of its accounts: a decimal, its quotients rounded half-even to 18 decimals',
      },
    },
  },
  RunEnd: {
    type: 'object', isOurs: true,
    properties: {
      end: { type: 'string', enum: ['whole', 'stopped', 'failed'] },
      code: { type: 'string', isNullable: true, description: 'of a failed one: docs/reference/errors.md' },
      stack: { type: 'string', isNullable: true, description: 'that of the strategy, where its code failed' },
      faults: { type: 'array', items: { $ref: 'Fault#' } },
      fingerprint: { type: 'string', isNullable: true, description: 'as `backtape backtest` gives it' },
      journalLines: { $ref: 'Count#' },
      openOrders: { type: 'array', items: { type: 'string' }, description: 'own ids of orders that it left open' },
      droppedMessages: { $ref: 'Count#', description: 'messages of channels that came too late, or too many at once' },
    },
  },
  Fault: {
    type: 'object', isOurs: true,
    properties: {
      path: { type: 'string', minLength: 0, description: 'as in a run file: `parameters.size`' },
      expected: { type: 'string' },
      found: { type: 'string' },
    },
  },
  Lines: {
    type: 'object', isOurs: true, choice: 'a line of a running instance is there once a part of its journal is whole',
    properties: {
      lines: { type: 'array', items: { $ref: 'Line#' } },
      nextLine: { $ref: 'Count#', isOptional: true, description: 'where the next page begins; absent: no more' },
    },
  },
  Line: {
    type: 'object', isOurs: true,
    properties: {
      line: { $ref: 'Count#', description: 'its number' },
      text: { type: 'string', description: 'one JSON object' },
    },
  },
  Metrics: {
    type: 'object', isOurs: true,
    properties: {
      strategies: { type: 'array', items: { $ref: 'InstanceStatus#' } },
      marketData: {
        type: 'object',
        properties: {
          events: { $ref: 'Count#', description: 'lines received by all instances' },
          gaps: { $ref: 'Count#', description: 'times in which an instance did not know a book' },
          suspectBooks: { $ref: 'Count#', description: 'books that instances at work do not know now' },
        },
      },
      runtime: { $ref: 'RuntimeMetrics#' },
    },
  },
  RuntimeMetrics: {
    type: 'object', isOurs: true,
    properties: {
      uptimeSeconds: { type: 'number', minimum: 0, description: 'time since the process began' },
      residentBytes: { $ref: 'Count#', description: 'resident memory of the process' },
      heapBytes: { $ref: 'Count#', description: 'heap of the server, without its instances' },
      eventLoopDelayMsMax: {
        type: 'number', minimum: 0, description: 'longest delay of the event loop since the metrics were read before',
      },
      threads: { $ref: 'Count#', description: 'instances at work' },
      channels: { $ref: 'Count#', description: 'channels with subscribers' },
      channelClients: { $ref: 'Count#', description: 'WebSocket clients' },
      broker: { type: 'array', items: { $ref: 'TopicMetrics#' }, description: 'topics of the broker' },
    },
  },
  TopicMetrics: {
    type: 'object', isOurs: true,
    properties: {
      topic: { type: 'string' },
      waiting: { $ref: 'Count#', description: 'records that wait to be written' },
      waitingBytes: { $ref: 'Count#', description: 'bytes of records that wait to be written' },
      written: { $ref: 'Count#', description: 'records that the broker has acknowledged' },
      failed: { $ref: 'Count#', description: 'records that it has not acknowledged in time' },
      refused: { $ref: 'Count#', description: 'records that found the queue full' },
      read: { $ref: 'Count#', description: 'records of other processes' },
      unreadable: { $ref: 'Count#', description: 'records that no text holds' },
    },
  },
  Failure: {
    type: 'object', isOurs: true,
    properties: {
      error: {
        type: 'object',
        properties: {
          code: { type: 'string' }, message: { type: 'string' },
          details: { type: 'object', isOptional: true },
        },
      },
    },
  },
} as const

/** Frames of the WebSocket (spec 3, "WebSocket"). */
const FRAMES = {
  ChannelFrames: {
    type: 'object', choice: 'a frame is one of these objects, as JSON',
    properties: {
      login: { $ref: 'LoginFrame#', isOptional: true },
      subscribe: { $ref: 'ChannelFrame#', isOptional: true },
      unsubscribe: { $ref: 'ChannelFrame#', isOptional: true },
      publish: { $ref: 'PublishFrame#', isOptional: true },
      event: { $ref: 'EventFrame#', isOptional: true },
      error: { $ref: 'ErrorFrame#', isOptional: true },
    },
  },
  LiveFrames: {
    type: 'object', choice: 'a frame is one of these objects, as JSON',
    properties: {
      viewer: { $ref: 'ViewerFrame#', isOptional: true },
      server: { $ref: 'WatchFrame#', isOptional: true },
    },
  },
  ViewerFrame: {
    type: 'object', choice: 'of a viewer; it watches one instance at a time, or the replay that is served beside',
    properties: {
      op: {
        type: 'string', enum: ['watch', 'leave', 'shown', 'control'],
        description: '`shown`: the last `stretch` or `part` is drawn, the next may come',
      },
      instanceId: {
        type: 'string', isOptional: true, isNullable: true, description: 'of `watch`, an instance; null: the replay',
      },
      action: {
        type: 'string', isOptional: true, enum: ['pause', 'resume', 'step', 'speed', 'go-to'],
        description: 'of `control`: of the replay, as its control port has it; its `fields` too',
      },
    },
  },
  WatchFrame: {
    type: 'object',
    choice: 'of the server; the other fields of each operation are those of the page, and may change with it',
    properties: {
      op: {
        type: 'string', enum: ['venues', 'replay', 'instances', 'stretch', 'part', 'controlled', 'error'],
        description: '`instances`: all, then those that changed; `stretch`: columns begin; `part`: rows that follow',
      },
      message: { type: 'string', isOptional: true, description: 'of `error`' },
    },
  },
  LoginFrame: {
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['login'] },
      origin: { $ref: 'Name#', description: 'unique client id, used as message origin' },
      result: { type: 'string', enum: ['succeed'], isOptional: true, description: 'of the response' },
      error: { type: 'string', isOptional: true, description: 'of the response' },
    },
  },
  ChannelFrame: {
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['subscribe', 'unsubscribe'] },
      channel: { $ref: 'Name#' },
      result: { type: 'string', enum: ['succeed'], isOptional: true, description: 'of the response' },
      error: { type: 'string', isOptional: true, description: 'of the response' },
    },
  },
  PublishFrame: {
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['publish'] },
      channel: { $ref: 'Name#' },
      message: { type: 'string', minLength: 0, isOptional: true, description: 'any text; of the request' },
      error: { type: 'string', isOptional: true, description: 'of a failure; a success has no response' },
    },
  },
  EventFrame: {
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['event'] },
      channel: { $ref: 'Name#' },
      origin: { $ref: 'Name#', description: 'strategy instance name or client origin' },
      message: { type: 'string', minLength: 0 },
    },
  },
  ErrorFrame: {
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['error'] },
      channel: { $ref: 'Name#', isOptional: true },
      error: { type: 'string', description: '`invalid json`, or another description' },
    },
  },
} as const

/** The types of all schemas, joined. */
type AllSchemas = typeof PARTS & typeof REQUESTS & typeof ANSWERS & typeof FRAMES

/** Every object of the interface by its name. */
export const STRATEGY_SCHEMAS: AllSchemas = { ...PARTS, ...REQUESTS, ...ANSWERS, ...FRAMES }

/** The name of an object. */
export type StrategySchemaName = keyof AllSchemas

/** An object as it stands on the wire: `Wire<'Instance'>`. */
export type Wire<Name extends StrategySchemaName> = Static<AllSchemas[Name], AllSchemas>
