/** Objects of "Search and discovery" (spec 1). */
export const FIND_SCHEMAS = {
  SearchQuery: {
    type: 'object', isClosed: true,
    properties: {
      q: {
        type: 'string', isOptional: true, maxLength: 200,
        description: 'ticker, pair, base asset or numeric id; venue and class words inside are understood',
        choice: 'a search without `q` lists everything',
      },
      venue: { type: 'string', isOptional: true, maxLength: 100, description: 'venue code or family' },
      class: {
        type: 'string', isOptional: true, maxLength: 100, description: 'a class or one of its aliases',
        choice: 'an unknown class is refused with the vocabulary in `details.allowed`',
      },
      base: { type: 'string', isOptional: true, maxLength: 100, description: 'base asset' },
      limit: {
        type: 'integer', minimum: 1, maximum: 100, isOptional: true, description: 'results at most',
        choice: '20 without it; over 100 it is refused',
      },
    },
  },
  Search: {
    type: 'object',
    properties: {
      query: {
        type: 'object', description: 'echo of the query', choice: 'the parameters as they came, by their names',
      },
      filters: {
        type: 'object', description: 'applied filters', choice: '`venue`, `class` (a list) and `base`, where applied',
      },
      total: { type: 'integer', minimum: 0, description: 'hit count' },
      results: { type: 'array', items: { $ref: 'SearchHit#' } },
      interpretation: {
        type: 'object', isOptional: true, description: 'venue and class words understood inside `q`',
        choice: '`venue`, `class` (a list) and `rest`, the words that are left',
      },
      did_you_mean: {
        type: 'object', isOptional: true,
        description: 'with zero hits: nearest venue codes and what to drop',
        choice: '`venues` and `drop`, two lists of texts',
      },
    },
  },
  SearchHit: {
    type: 'object',
    properties: {
      instrument_id: { type: 'integer', minimum: 0 },
      code: { type: 'string', description: 'ticker' },
      type: { type: 'string' },
      exchange: { type: 'object', properties: { code: { type: 'string' }, name: { type: 'string' } } },
      state: { type: 'string' },
      data: {
        type: 'object',
        properties: {
          days: { type: 'integer', minimum: 0 },
          first_day: { type: 'string', format: 'date', isNullable: true, choice: '`null` where no day is sold' },
          last_day: { type: 'string', format: 'date', isNullable: true, choice: '`null` where no day is sold' },
          total_bytes: { type: 'integer', minimum: 0 },
        },
      },
    },
  },
  Coverage: {
    type: 'object',
    properties: {
      first_day: { type: 'string', format: 'date', isNullable: true, choice: '`null` where no day is sold' },
      last_day: { type: 'string', format: 'date', isNullable: true, choice: '`null` where no day is sold' },
      days_with_data: { type: 'integer', minimum: 0 },
      coverage_pct: {
        type: 'number', minimum: 0, maximum: 100, description: 'share of days with data, percent',
        choice: 'two decimals; 0 where no day is sold',
      },
      gaps: { type: 'array', items: { $ref: 'Gap#' } },
      total_bytes: { type: 'integer', minimum: 0 },
    },
  },
  Gap: {
    type: 'object',
    properties: {
      from: { type: 'string', format: 'date', description: 'first missing day' },
      to: { type: 'string', format: 'date', description: 'last missing day', choice: 'the day itself is missing' },
      days: { type: 'integer', minimum: 1 },
    },
  },
  DaysQuery: {
    type: 'object', isClosed: true,
    properties: {
      limit: {
        type: 'integer', minimum: 1, maximum: 1000, isOptional: true, description: 'days at most',
        choice: '100 without it; over 1000 it is refused',
      },
      before: {
        type: 'string', format: 'date', isOptional: true, description: 'only days before this one',
        choice: 'the day itself is left out: the `next_cursor` of an answer is the next `before`',
      },
    },
  },
  Days: {
    type: 'object',
    properties: {
      days: { type: 'array', items: { $ref: 'DaySize#' }, description: 'newest first' },
      next_cursor: {
        type: 'string', isNullable: true, isOptional: true, description: 'where the list goes on',
        choice: 'the next `before`; `null` at the end',
      },
    },
  },
  DaySize: {
    type: 'object',
    properties: {
      date: { type: 'string', format: 'date' },
      size: { type: 'integer', minimum: 0, description: 'compressed file size in bytes' },
    },
  },
  CalendarQuery: {
    type: 'object', isClosed: true,
    properties: { month: { type: 'string', format: 'month', choice: 'a calendar without `month` is refused' } },
  },
  Calendar: {
    type: 'object', isOurs: true, choice: '`{month, days: [{date, size}]}`, oldest day first',
    properties: {
      month: { type: 'string', format: 'month' },
      days: { type: 'array', items: { $ref: 'DaySize#' } },
    },
  },
  Bundles: {
    type: 'object', envelopeOf: 'bundles', choice: 'the list stands in `bundles`',
    properties: { bundles: { type: 'array', items: { $ref: 'Bundle#' } } },
  },
  Bundle: {
    type: 'object',
    properties: {
      bundle_id: { type: 'integer', minimum: 0 },
      series_key: { type: 'string', format: 'id' },
      price_cents: { type: 'integer', minimum: 0, description: 'price of one day' },
      coverage: { $ref: 'Coverage#', isOurs: true, choice: 'as the coverage response' },
      kind: {
        type: 'string', enum: ['prediction_series', 'option_chain', 'futures_curve'], isOurs: true,
        choice: 'bundle entries carry their kind',
      },
    },
  },
  Samples: {
    type: 'object', envelopeOf: 'samples', choice: 'the list stands in `samples`',
    properties: { samples: { type: 'array', items: { $ref: 'Sample#' } } },
  },
  Sample: {
    type: 'object',
    properties: {
      href: { type: 'string', description: '`/api/download/sample/{id}/{date}`' },
      instrument_id: { type: 'integer', minimum: 0, isOurs: true },
      code: { type: 'string', isOurs: true },
      date: { type: 'string', format: 'date', isOurs: true },
      size: { type: 'integer', minimum: 0, isOurs: true, description: 'compressed file size in bytes' },
    },
  },
  StatisticsQuery: {
    type: 'object', isClosed: true,
    properties: {
      format: { type: 'string', enum: ['csv'], isOptional: true, choice: 'CSV also without it' },
    },
  },
} as const
