import type { RestAnswer, RestRoute } from '../rest/rest-tables.js'
import { PAGE_ROUTES } from './page-routes.js'
import type { ShopCredential } from './shop-credentials.js'
import type { ShopErrorName } from './shop-errors.js'
import type { ShopBucket } from './shop-limits.js'
import type { ShopSchemaName } from './shop-schemas.js'

/** An answer of a route that is no refusal. */
export interface ShopAnswer extends RestAnswer {
  readonly schema?: ShopSchemaName
}

/** An endpoint. Beside its `errors` each may answer 400, 403, 405, 429 and 500. */
export interface ShopRoute extends RestRoute {
  readonly query?: ShopSchemaName
  readonly headers?: ShopSchemaName
  readonly body?: ShopSchemaName
  readonly answers: readonly ShopAnswer[]
  readonly errors: readonly ShopErrorName[]
  readonly bucket: ShopBucket
  readonly credential: ShopCredential
}

/** The endpoints for programs (spec 1, "Endpoints"). */
const API_ROUTES = {
  search: {
    method: 'GET', path: '/api/search', summary: 'Instruments by words', query: 'SearchQuery',
    answers: [{ status: 200, schema: 'Search' }], errors: ['unknownClass'], bucket: 'general', credential: 'none',
  },
  coverage: {
    method: 'GET', path: '/api/instrument/{id}/coverage', summary: 'Days of an instrument, and gaps',
    answers: [{ status: 200, schema: 'Coverage' }], errors: ['notFound'], bucket: 'general', credential: 'none',
  },
  days: {
    method: 'GET', path: '/api/instrument/{id}/days', summary: 'Days of an instrument, newest first',
    query: 'DaysQuery', answers: [{ status: 200, schema: 'Days' }], errors: ['notFound'], bucket: 'general',
    credential: 'none',
  },
  calendar: {
    method: 'GET', path: '/api/instrument/{id}/calendar', summary: 'Days of one month', query: 'CalendarQuery',
    answers: [{ status: 200, schema: 'Calendar' }], errors: ['notFound'], bucket: 'general', credential: 'none',
  },
  bundles: {
    method: 'GET', path: '/api/bundles', summary: 'Every series that is sold',
    answers: [{ status: 200, schema: 'Bundles' }], errors: [], bucket: 'general', credential: 'none',
  },
  bundleDays: {
    method: 'GET', path: '/api/bundle/{series_key}/days', summary: 'Days of a series, newest first',
    query: 'DaysQuery', answers: [{ status: 200, schema: 'Days' }], errors: ['notFound'], bucket: 'general',
    credential: 'none',
  },
  samples: {
    method: 'GET', path: '/api/samples', summary: 'Free days', answers: [{ status: 200, schema: 'Samples' }],
    errors: [], bucket: 'general', credential: 'none',
  },
  sample: {
    method: 'GET', path: '/api/download/sample/{id}/{date}', summary: 'A free day, whole or as an export',
    query: 'SampleQuery',
    answers: [
      { status: 200, media: 'application/zstd' }, { status: 200, media: 'application/octet-stream', when: 'format' },
      { status: 202, schema: 'Preparing', when: 'format' },
    ],
    errors: ['notFound', 'beyondEnd'], bucket: 'downloads', credential: 'none',
  },
  statistics: {
    method: 'GET', path: '/api/analyze/instrument-last-24h-minutes/{id}',
    summary: 'Minutes of the newest 24 hours: 22 columns of CSV below a `#` line', query: 'StatisticsQuery',
    answers: [{
      status: 200, media: 'text/csv', choice: 'the columns of `backtape minutes`, of the newest 24 hours with data',
    }],
    errors: ['notFound'], bucket: 'general', credential: 'none',
  },
  quote: {
    method: 'POST', path: '/api/quote', summary: 'The price of a basket', body: 'QuoteRequest',
    answers: [{ status: 200, schema: 'Quote' }], errors: ['tooLarge', 'wrongMediaType'], bucket: 'quote',
    credential: 'none', choice: 'an unknown instrument stands in `missing` (`unknown_instrument`)',
  },
  checkout: {
    method: 'POST', path: '/v1/checkout/session', summary: 'A checkout of a basket', headers: 'CheckoutHeaders',
    body: 'CheckoutRequest', answers: [{ status: 201, schema: 'Checkout' }],
    errors: ['alreadyOwned', 'notAvailable', 'tooLarge', 'wrongMediaType'], bucket: 'checkout', credential: 'none',
  },
  session: {
    method: 'GET', path: '/v1/checkout/session/{session_id}', summary: 'The state of a checkout',
    answers: [{ status: 200, schema: 'Session' }], errors: ['noAccess'], bucket: 'general', credential: 'none',
  },
  order: {
    method: 'GET', path: '/v1/orders/{order_id}', summary: 'A paid order',
    answers: [{ status: 200, schema: 'Order' }], errors: ['noAccess', 'orderExpired'], bucket: 'orders',
    credential: 'bearer',
  },
  download: {
    method: 'GET', path: '/api/download/order/{order_id}/{instrument_id}/{date}',
    summary: 'A day that was bought: bytes, state, export or archive', query: 'DownloadQuery',
    answers: [
      { status: 200, media: 'application/zstd' },
      { status: 202, schema: 'Preparing', choice: 'the bytes of a day that is cold or being restored' },
      { status: 200, schema: 'DayState', when: 'status=1' },
      { status: 200, schema: 'DayState', when: 'restore=1', choice: 'the day is ready' },
      { status: 202, schema: 'DayState', when: 'restore=1', choice: 'the restore runs' },
      { status: 200, media: 'application/octet-stream', when: 'format' },
      { status: 202, schema: 'Preparing', when: 'format' },
      { status: 200, schema: 'ExportState', when: 'probe=1 with format' },
      { status: 200, media: 'application/zip', when: 'kind=series_day&zip=1' },
      {
        status: 202, schema: 'ArchiveState', when: 'kind=series_day&zip=1',
        choice: 'a file of it is being restored or read, or none is ready: all are restored then',
      },
      {
        status: 200, schema: 'ArchiveState', when: 'kind=series_day&zip=1&probe=1',
        choice: 'the bytes of a zip over 4 GB get this answer too; cold files are restored',
      },
      { status: 200, schema: 'Manifest', when: 'kind=series_day&manifest=1' },
      { status: 200, schema: 'ArchiveCounts', when: 'kind=series_day&status=1' },
    ],
    errors: ['notFound', 'noAccess', 'orderExpired', 'partialArchive', 'beyondEnd'], bucket: 'downloads',
    credential: 'query', choice: 'at most one of `status`, `restore`, `format`, `zip`, `manifest`',
  },
  range: {
    method: 'GET', path: '/api/download/order/{order_id}/{bundle_id}/range',
    summary: 'Every bought day of a window as one tar', query: 'RangeQuery',
    answers: [
      { status: 200, media: 'application/x-tar' },
      { status: 202, schema: 'ArchiveCounts', choice: 'nothing of it is ready' },
      { status: 200, schema: 'ArchiveCounts', when: 'status=1' },
      { status: 200, schema: 'ArchiveCounts', when: 'restore=1', choice: 'everything is ready' },
      { status: 202, schema: 'ArchiveCounts', when: 'restore=1', choice: 'a restore runs' },
      { status: 200, schema: 'Manifest', when: 'manifest=1' },
    ],
    errors: ['noAccess', 'orderExpired', 'partialArchive', 'beyondEnd'], bucket: 'downloads', credential: 'query',
    choice: 'at most one of `status`, `restore`, `manifest`',
  },
  openApi: {
    method: 'GET', path: '/openapi.json', summary: 'This interface in OpenAPI 3.1',
    answers: [{ status: 200, media: 'application/json' }], errors: [], bucket: 'general', credential: 'none',
  },
  wellKnownOpenApi: {
    method: 'GET', path: '/.well-known/openapi.json', summary: 'The same bytes as `/openapi.json`',
    answers: [{ status: 200, media: 'application/json' }], errors: [], bucket: 'general', credential: 'none',
  },
  llms: {
    method: 'GET', path: '/llms.txt', summary: 'The delivery in words, for programs that read text',
    answers: [{ status: 200, media: 'text/plain' }], errors: [], bucket: 'general', credential: 'none',
  },
} as const

/** The type of the whole table. */
type AllRoutes = typeof API_ROUTES & typeof PAGE_ROUTES

/** The name of an endpoint. */
export type ShopRouteName = keyof AllRoutes

/** Every endpoint by its name. */
export const SHOP_ROUTES: AllRoutes = { ...API_ROUTES, ...PAGE_ROUTES }
