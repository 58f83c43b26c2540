/** Objects of "Download" and "Errors" (spec 1). */
export const DOWNLOAD_SCHEMAS = {
  ExportFormat: {
    type: 'string', description: 'a flat export, made on first use',
    enum: ['trades.csv.gz', 'bbo.csv.gz', 'liquidations.csv.gz', 'trades.parquet', 'liquidations.parquet'],
  },
  DownloadQuery: {
    type: 'object', isClosed: true,
    properties: {
      t: { type: 'string', isSecret: true, description: 'the download token', maxLength: 500 },
      status: { type: 'string', enum: ['1'], isOptional: true, description: 'answers the state' },
      restore: {
        type: 'string', enum: ['1'], isOptional: true, description: 'starts the restore of a cold day',
        choice: 'answers as `status=1`: 202 while the restore runs',
      },
      format: { $ref: 'ExportFormat#', isOptional: true },
      probe: {
        type: 'string', enum: ['1'], isOptional: true, description: 'with `format` or `zip=1`: the state, no bytes',
        choice: 'alone it is refused',
      },
      kind: {
        type: 'string', enum: ['series_day'], isOptional: true, description: 'a day of a bundle',
        choice: '`kind=series_day` without `zip`, `manifest` or `status` is refused',
      },
      zip: { type: 'string', enum: ['1'], isOptional: true, description: 'every file of a bundle day as one archive' },
      manifest: { type: 'string', enum: ['1'], isOptional: true, description: 'the list of members' },
      complete: {
        type: 'string', enum: ['1'], isOptional: true, description: '409 instead of a partial archive',
        choice: 'without it an archive holds what is ready',
      },
    },
  },
  RangeQuery: {
    type: 'object', isClosed: true,
    properties: {
      kind: { type: 'string', enum: ['series_day'], choice: 'a range without `kind` is refused' },
      from: { type: 'string', format: 'date' },
      to: { type: 'string', format: 'date', description: 'the last day', choice: 'over 100 days are refused' },
      t: { type: 'string', isSecret: true, description: 'the download token', maxLength: 500 },
      status: { type: 'string', enum: ['1'], isOptional: true, description: 'answers the states' },
      restore: { type: 'string', enum: ['1'], isOptional: true, description: 'starts the restore of cold days' },
      manifest: { type: 'string', enum: ['1'], isOptional: true, description: 'the list of members' },
      complete: {
        type: 'string', enum: ['1'], isOptional: true, isOurs: true, description: '409 instead of a partial archive',
        choice: 'as for the zip of a bundle day',
      },
    },
  },
  SampleQuery: {
    type: 'object', isClosed: true,
    properties: {
      format: { $ref: 'ExportFormat#', isOptional: true },
    },
  },
  DayState: {
    type: 'object',
    properties: {
      state: { type: 'string', enum: ['ready', 'pending', 'cold'], choice: 'a restore that runs is `pending`' },
    },
  },
  ExportState: {
    type: 'object',
    properties: {
      state: {
        type: 'string', enum: ['ready', 'pending', 'empty', 'failed', 'cold'],
        choice: '`cold` for an export of a cold day, which must be restored first',
      },
    },
  },
  ArchiveState: {
    type: 'object',
    properties: {
      state: { type: 'string', enum: ['ready', 'pending', 'too_large'], description: '`too_large`: over 4 GB' },
    },
  },
  ArchiveCounts: {
    type: 'object', choice: 'the counts of the files, of a bundle day and of a range',
    properties: {
      ready: { type: 'integer', minimum: 0 },
      pending: { type: 'integer', minimum: 0 },
      cold: { type: 'integer', minimum: 0 },
    },
  },
  Preparing: {
    type: 'object',
    properties: {
      state: { type: 'string', enum: ['pending', 'cold'], choice: 'the bytes of a cold day: 202 `{state: cold}`' },
      reason: {
        type: 'string', enum: ['converting', 'restoring'], isOptional: true,
        choice: '`restoring` while a restore runs',
      },
    },
  },
  Manifest: {
    type: 'object', isOurs: true, envelopeOf: 'members',
    choice: '`{members: [{name, instrument_id, date, bytes, state}]}`',
    properties: { members: { type: 'array', items: { $ref: 'Member#' } } },
  },
  Member: {
    type: 'object', isOurs: true,
    properties: {
      name: { type: 'string', description: 'the name in the archive' },
      instrument_id: { type: 'integer', minimum: 0 },
      date: { type: 'string', format: 'date' },
      bytes: { type: 'integer', minimum: 0 },
      state: { type: 'string', enum: ['ready', 'pending', 'cold'] },
    },
  },
  Failure: {
    type: 'object',
    choice: 'also of directory and lookup on this port where the document shows no other; no `code` where it has none',
    properties: {
      error: {
        type: 'object',
        properties: {
          code: {
            type: 'string', isOptional: true,
            enum: ['INVALID_INPUT', 'NOT_FOUND', 'ALREADY_OWNED', 'ORDER_EXPIRED', 'FILE_NOT_AVAILABLE'],
          },
          message: { type: 'string', isOurs: true, choice: 'one sentence' },
          details: {
            type: 'object', isOptional: true, description: '`missing` of `FILE_NOT_AVAILABLE`',
            choice: '`allowed` of an unknown class; `field`, `expected` and `found` of other bad input',
          },
        },
      },
    },
  },
  CartQuery: {
    type: 'object',
    choice: 'other parameters are ignored on pages, refused elsewhere',
    properties: {
      i: {
        type: 'integer', minimum: 0, isOptional: true, description: 'the instrument',
        choice: 'without it the page is the catalogue',
      },
      d: {
        type: 'string', format: 'days', minLength: 0, maxLength: 8_000, isOptional: true,
        description: '`<from>..<to>`, a comma list of days, or both mixed',
        choice: 'several `d` are one list; without it the page is the calendar of the days',
      },
      q: {
        type: 'string', minLength: 0, maxLength: 200, isOptional: true, isOurs: true,
        description: 'words of a search in the catalogue',
      },
    },
  },
  BundleCartQuery: {
    type: 'object',
    properties: {
      bundle: {
        type: 'string', format: 'id', isOptional: true, description: 'the `series_key`',
        choice: 'without it the page is the list of bundles',
      },
      d: {
        type: 'string', format: 'days', minLength: 0, maxLength: 8_000, isOptional: true,
        description: '`<from>..<to>`, a comma list of days, or both mixed', choice: 'as in a cart of days',
      },
    },
  },
  CartForm: {
    type: 'object', isOurs: true, choice: 'the cart of a page: an instrument or a bundle, and its days',
    properties: {
      i: { type: 'integer', minimum: 0, isOptional: true, description: 'the instrument' },
      bundle: { type: 'string', format: 'id', isOptional: true, description: 'the `series_key`' },
      d: { type: 'string', format: 'days', maxLength: 8_000, description: 'the days, as in the link' },
      email: { type: 'string', format: 'email', maxLength: 254, description: 'for the receipt' },
      csrf: { type: 'string', isSecret: true, maxLength: 500, description: 'as the page carries it' },
    },
  },
  ReceiptQuery: {
    type: 'object', isOurs: true,
    properties: { t: { type: 'string', isSecret: true, maxLength: 500, description: 'the download token' } },
  },
  SignInForm: {
    type: 'object', isOurs: true,
    properties: {
      token: { type: 'string', isSecret: true, maxLength: 500, description: 'the token of the account' },
      csrf: { type: 'string', isSecret: true, maxLength: 500, description: 'as the page carries it' },
    },
  },
  AccountForm: {
    type: 'object', isOurs: true,
    properties: { csrf: { type: 'string', isSecret: true, maxLength: 500, description: 'as the page carries it' } },
  },
  PathParameters: {
    type: 'object',
    properties: {
      id: { type: 'integer', minimum: 0, description: 'an instrument' },
      instrument_id: { type: 'integer', minimum: 0, description: 'an instrument, or a bundle with `kind=series_day`' },
      bundle_id: { type: 'integer', minimum: 0 },
      date: { type: 'string', format: 'date' },
      series_key: { type: 'string', format: 'id' },
      order_id: { type: 'string', format: 'id' },
      session_id: { type: 'string', format: 'id' },
    },
  },
  PayForm: {
    type: 'object', isOurs: true,
    properties: {
      action: { type: 'string', enum: ['pay', 'decline', 'leave'] },
      csrf: { type: 'string', isSecret: true, maxLength: 500, description: 'as the page carries it' },
    },
  },
} as const
