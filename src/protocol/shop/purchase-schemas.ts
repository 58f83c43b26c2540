/** Objects of "Purchase" (spec 1). */
export const PURCHASE_SCHEMAS = {
  QuoteItem: {
    type: 'object', isClosed: true,
    properties: {
      instrument_id: { type: 'integer', minimum: 0, description: 'for a bundle day the `bundle_id`' },
      date: { type: 'string', format: 'date', description: 'UTC day' },
      kind: { type: 'string', enum: ['tick', 'series_day'], isOptional: true, description: '`tick` without it' },
    },
  },
  QuoteRequest: {
    type: 'object', isClosed: true, choice: 'another field, and an item that stands twice, are refused',
    properties: { items: { type: 'array', items: { $ref: 'QuoteItem#' }, minItems: 1, maxItems: 365 } },
  },
  AvailableItem: {
    type: 'object',
    properties: {
      instrument_id: { type: 'integer', minimum: 0 },
      date: { type: 'string', format: 'date' },
      kind: { type: 'string', enum: ['tick', 'series_day'] },
    },
  },
  MissingItem: {
    type: 'object',
    properties: {
      instrument_id: { type: 'integer', minimum: 0 },
      date: { type: 'string', format: 'date' },
      kind: { type: 'string', enum: ['tick', 'series_day'] },
      reason: {
        type: 'string', enum: ['unknown_instrument', 'no_data', 'not_sellable_yet'],
        choice: '`unknown_instrument` (also a hidden one), `no_data`, `not_sellable_yet`',
      },
    },
  },
  Quote: {
    type: 'object',
    properties: {
      items_requested: { type: 'integer', minimum: 0 },
      items_available: { type: 'integer', minimum: 0 },
      total_cents: { type: 'integer', minimum: 0, description: 'tax-inclusive' },
      total_eur: { type: 'string', format: 'decimal', choice: 'a text of two decimals' },
      currency: { type: 'string', enum: ['EUR'] },
      price_eur_per_day: {
        type: 'string', format: 'decimal', choice: 'a text of two decimals: the price of a day of one instrument',
      },
      available: { type: 'array', items: { $ref: 'AvailableItem#' }, description: 'ready for a checkout' },
      missing: { type: 'array', items: { $ref: 'MissingItem#' } },
      bundles: {
        type: 'array', items: { $ref: 'BundlePrice#' }, isOptional: true, isOurs: true,
        choice: 'each bundle of the basket with its price of a day',
      },
      bundle_days: {
        type: 'array', items: { $ref: 'BundleDay#' }, isOptional: true, isOurs: true,
        choice: 'the bundle days of `available` with their prices',
      },
      vat_note: { type: 'string' },
      terms_url: { type: 'string' },
      checkout: { $ref: 'CheckoutHint#' },
    },
  },
  BundlePrice: {
    type: 'object', isOurs: true,
    properties: {
      bundle_id: { type: 'integer', minimum: 0 },
      series_key: { type: 'string', format: 'id' },
      price_cents: { type: 'integer', minimum: 0 },
    },
  },
  BundleDay: {
    type: 'object', isOurs: true,
    properties: {
      instrument_id: { type: 'integer', minimum: 0, description: 'the `bundle_id`' },
      date: { type: 'string', format: 'date' },
      kind: { type: 'string', enum: ['series_day'] },
      price_cents: { type: 'integer', minimum: 0 },
    },
  },
  CheckoutHint: {
    type: 'object', description: 'the request that buys what is available',
    properties: {
      method: { type: 'string' },
      url: { type: 'string' },
      headers: { type: 'object' },
      body_example: { type: 'object', isOurs: true, choice: 'a whole checkout request' },
      then: { type: 'array', items: { type: 'string' }, isOurs: true, choice: 'a list of sentences' },
    },
  },
  CheckoutHeaders: {
    type: 'object',
    properties: {
      'content-type': { type: 'string', description: '`application/json`' },
      'idempotency-key': {
        type: 'string', format: 'uuid',
        description: 'one for a basket: the same for a retry, never for another basket',
        choice: 'without it 400 `INVALID_INPUT`; the same key and body get the same 201, another body 400',
      },
      'x-service-client': { type: 'string', isOptional: true, description: '`http`, for statistics alone' },
    },
  },
  CheckoutRequest: {
    type: 'object', isClosed: true, choice: 'every field is needed, and another field is refused',
    properties: {
      email: { type: 'string', format: 'email', maxLength: 254, description: 'for the receipt' },
      items: {
        type: 'array', items: { $ref: 'QuoteItem#' }, minItems: 1, maxItems: 365,
        description: 'the `available` items of a quote',
      },
      success_url: {
        type: 'string', maxLength: 2000, description: 'on the shop\'s origin; may have `{CHECKOUT_SESSION_ID}`',
        choice: 'after "pay" the browser goes there by 303, with the placeholder filled',
      },
      cancel_url: { type: 'string', maxLength: 2000, description: 'on the shop\'s origin' },
    },
  },
  Checkout: {
    type: 'object',
    properties: {
      order_id: { type: 'string', format: 'id' },
      checkout_url: { type: 'string', format: 'uri', description: 'for a person: show it, do not fetch it' },
      session_id: { type: 'string', format: 'id' },
      currency: { type: 'string', enum: ['EUR'] },
      item_count: { type: 'integer', minimum: 1 },
      subtotal_cents: { type: 'integer', minimum: 0 },
    },
  },
  Session: {
    type: 'object',
    properties: {
      status: {
        type: 'string', enum: ['pending', 'paid', 'expired'], choice: '`expired`: not paid within 24 hours',
      },
      order_id: { type: 'string', format: 'id', isOptional: true, neededWhen: { field: 'status', is: 'paid' } },
      download_token: {
        type: 'string', isSecret: true, isOptional: true, neededWhen: { field: 'status', is: 'paid' },
      },
      invoice_hosted_url: { type: 'string', isOptional: true },
      invoice_pdf_url: { type: 'string', isOptional: true },
    },
  },
  Order: {
    type: 'object',
    properties: {
      order_id: { type: 'string', format: 'id' },
      status: { type: 'string', enum: ['paid', 'refunded'], choice: '`paid` or `refunded`' },
      paid_at: { type: 'string', format: 'time', choice: 'ISO-8601 in UTC, as in `2024-08-08T12:00:00Z`' },
      currency: { type: 'string', enum: ['EUR'] },
      total_cents: { type: 'integer', minimum: 0 },
      item_count: { type: 'integer', minimum: 0 },
      items: { type: 'array', items: { $ref: 'OrderItem#' } },
      invoice_hosted_url: { type: 'string', isOptional: true },
      invoice_pdf_url: { type: 'string', isOptional: true },
    },
  },
  OrderItem: {
    type: 'object',
    properties: {
      instrument_id: { type: 'integer', minimum: 0 },
      code: { type: 'string', choice: 'of a bundle day its `series_key`' },
      exchange_code: { type: 'string' },
      type: { type: 'string' },
      date: { type: 'string', format: 'date' },
      kind: { type: 'string', enum: ['tick', 'series_day'] },
      bytes: { type: 'integer', minimum: 0, choice: 'of a bundle day the sum of its files' },
      price_cents: { type: 'integer', minimum: 0 },
    },
  },
} as const
