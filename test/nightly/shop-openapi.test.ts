import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openShopStore, type ShopStore } from '../../src/shop/store/shop-store-writer.js'
import { shopPages } from '../../src/shop/pages/shop-pages.js'
import { ShopService } from '../../src/shop/server/shop-service.js'
import { FakeGoods } from '../support/fake-goods.ts'
import { madeShop, type MadeShop } from '../support/made-shop.ts'
import { newFolder } from '../support/new-folder.ts'
import { done, installTools, redoclyFaults, schemathesisProgram } from '../support/openapi-tools.ts'
import { isNight } from '../support/repetitions.ts'

// The document that the shop serves, by tools that others use (recipe 5): redocly reads it, schemathesis asks the server everything that it says. They lie in .cache/openapi.
const EXAMPLES = isNight ? 200 : 12
const ANN = { name: 'ann', token: 'token-of-ann' }
const DATES = ['2024-08-01', '2024-08-02', '2024-08-03']
/** Requests that fit their schema and are refused: the rules of OpenAPI have no words for them. Each needs a reason. */
const REFUSED: readonly (readonly [operation: string, statuses: readonly number[]])[] = [
  ['quote', [400]], // 20 instruments at most, no day twice
  ['checkout', [400, 422]], // as a quote; return URLs of the shop's origin; days that exist; a used key
  ['download', [400, 410]], // at most one of status, restore, format, zip, manifest
  ['range', [400, 410]], // from 1 to 100 days
  ['cart', [400]], ['bundleCart', [400]], // days of a link
  ['cartCheckout', [400]],
]

let store: ShopStore
let shop: MadeShop
const known = { order: '', token: '', session: '', cookie: '' }

beforeAll(async () => {
  await installTools()
  const ids = [1, 2, 3]
  const goods = ids.reduce((all, id) => all.add(id, `BTC-${id}`, { type: 'perpetual', exchangeName: 'A', base: 'BTC', days: DATES }), new FakeGoods())
    .bundle(0, 'BTC-chain', Object.fromEntries(DATES.map((date) => [date, ids])))
  for (const date of DATES) for (const format of ['trades.csv.gz', 'trades.parquet']) goods.make(1, date, format)
  goods.make(1, '2024-08-01', 'bbo.csv.gz', 'empty')
  store = await openShopStore(newFolder())
  const service = new ShopService({ goods, store, time: { nowMs: () => Date.parse('2024-08-10T12:00:00Z') }, settings: { accounts: [ANN], samples: ['a_spot:BTC-1 2024-08-01'] } })
  shop = await madeShop({ handlers: { ...service.handlers, ...shopPages(service) } })
  const items = [...DATES.map((date) => ({ instrument_id: 1, date })), ...DATES.map((date) => ({ instrument_id: 0, date, kind: 'series_day' }))]
  const body = { email: 'me@example.org', items, success_url: `${shop.url}/shop`, cancel_url: `${shop.url}/shop` }
  const headers = { 'content-type': 'application/json', 'idempotency-key': '6f9619ff-8b86-d011-b42d-00cf4fc964ff' }
  const checkout = await (await fetch(`${shop.url}/v1/checkout/session`, { method: 'POST', headers, body: JSON.stringify(body) })).json() as { session_id: string }
  known.session = checkout.session_id
  service.purchases.pay(known.session)
  const session = await (await fetch(`${shop.url}/v1/checkout/session/${known.session}`)).json() as { order_id: string, download_token: string }
  Object.assign(known, { order: session.order_id, token: session.download_token, cookie: `backtape_shop=${service.accounts.cookieOf(ANN)}` })
})
afterAll(async () => {
  await shop.close()
  store.close()
})

/** Asks the server what the document allows, and what it does not; `more` stands in the configuration of schemathesis. */
async function schemathesis(more = '', exclude: readonly string[] = [], args: readonly string[] = []): Promise<void> {
  const folder = newFolder()
  const operations = REFUSED.map(([name, statuses]) => [
    '[[operations]]', `include-operation-id = "${name}"`,
    `checks.positive_data_acceptance.expected-statuses = [${['2xx', '3xx', '401', '403', '404', '409', '429', ...statuses].map((one) => `"${one}"`).join(', ')}]`,
  ].join('\n'))
  const config = join(folder, 'schemathesis.toml')
  // The server reads no address of more than 16,384 bytes.
  const refusals = '[checks]\nnegative_data_rejection.expected-statuses = ["4xx", "5xx"]'
  writeFileSync(config, [refusals, ...more === '' ? operations : [], more].join('\n\n'))
  await done(schemathesisProgram, [
    '--config-file', config, 'run', `${shop.url}/openapi.json`, '--checks', 'all', '--exclude-checks', ['unsupported_method', ...exclude].join(), '--max-examples', String(EXAMPLES), '--generation-deterministic', '--request-timeout', '10', '--no-color', ...args,
  ], folder)
}

describe('the document of the shop', () => {
  test('has no fault that redocly knows', async () => {
    expect(await redoclyFaults(await (await fetch(`${shop.url}/openapi.json`)).text())).toBeNull()
  })

  test('is what the server does, whatever is asked', () => schemathesis())

  test('is what the server does with a paid order', async () => {
    const operation = (name: string, parameters: Record<string, string | number>, statuses: readonly number[] = []): string => [
      '[[operations]]', `include-operation-id = "${name}"`, `parameters = { ${Object.entries(parameters).map(([key, value]) => `"${key}" = ${JSON.stringify(value)}`).join(', ')} }`,
      `checks.positive_data_acceptance.expected-statuses = [${['2xx', '3xx', '404', '409', ...statuses].map((one) => `"${one}"`).join(', ')}]`,
    ].join('\n')
    const day = { 'path.order_id': known.order, 'path.instrument_id': 1, 'path.date': '2024-08-01', 'query.t': known.token }
    const names = ['order', 'session', 'receipt', 'receiptPdf', 'download', 'range', 'days', 'coverage', 'calendar', 'sample', 'statistics', 'bundleDays', 'cart', 'bundleCart', 'account']
    await schemathesis([
      `[auth.openapi.downloadToken]\nbearer = "${known.token}"`,
      operation('order', { 'path.order_id': known.order }),  operation('session', { 'path.session_id': known.session }), operation('receipt', { 'path.order_id': known.order, 'query.t': known.token }), operation('receiptPdf', { 'path.order_id': known.order, 'query.t': known.token }),
      operation('download', day, [400]), operation('range', { 'path.order_id': known.order, 'path.bundle_id': 0, 'query.t': known.token }, [400]),
      operation('days', { 'path.id': 1 }), operation('coverage', { 'path.id': 1 }), operation('calendar', { 'path.id': 1 }), operation('sample', { 'path.id': 1, 'path.date': '2024-08-01' }), operation('statistics', { 'path.id': 1 }),
      operation('bundleDays', { 'path.series_key': 'BTC-chain' }), operation('cart', { 'query.i': 1 }, [400]), operation('bundleCart', { 'query.bundle': 'BTC-chain' }, [400]),
    // Spec 1: a wrong token and an unknown order both answer 404.
    ].join('\n\n'), ['ignored_auth', 'missing_required_header'], ['--phases', 'coverage,fuzzing', ...names.flatMap((name) => ['--include-operation-id', name])])
  })

  test('nothing of it failed in the server', () => {
    expect(shop.log).toEqual([])
  })
})
