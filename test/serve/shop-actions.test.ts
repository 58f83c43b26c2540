import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import { SHOP_ACTIONS } from '../../src/serve/shop-actions.js'

const NAME = 'synthetic_swap:XRPUSDT'
const [ID, DAY] = [9_100_001, '2026-07-01']
let folder = ''
let serving: Serving | null = null

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backtape-shop-actions-'))
  serving = await openServing({
    data: [`datasets/synthetic_swap-XRPUSDT-${DAY}.txt.zst`], replay: { start: 'paused' }, httpPort: 0, controlPort: 0,
    account: { balances: { USDT: '1' }, fees: { maker: '0', taker: '0' } },
    shop: { stateFolder: folder, now: '2026-07-04T00:00:00Z' },
  })
})

afterAll(async () => {
  await serving?.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

const address = (): string => serving!.addresses.http

async function act(action: string, fields: object): Promise<Answer> {
  const { url, token } = serving!.addresses.control!
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/${action}`, { method: 'POST', headers, body: JSON.stringify(fields) })
  return { status: answer.status, body: await answer.json() as Record<string, unknown> }
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(address() + path, { headers })
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) as Record<string, unknown> : { text } }
}

/** A day that was bought and paid: its order and token. */
async function bought(): Promise<{ order: string, token: string, file: string }> {
  const body = JSON.stringify({
    email: 'a@example.org', items: [{ instrument_id: ID, date: DAY }], success_url: `${address()}/shop`, cancel_url: `${address()}/shop`,
  })
  const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }
  const answer = await fetch(`${address()}/v1/checkout/session`, { method: 'POST', headers, body })
  const { session_id: session } = await answer.json() as { session_id: string }
  serving!.shop!.service.purchases.pay(session)
  const { body: { order_id: order, download_token: token } } = await ask(`/v1/checkout/session/${session}`)
  return { order: String(order), token: String(token), file: `/api/download/order/${String(order)}/${ID}/${DAY}?t=${String(token)}` }
}

/** What a buyer sees of each action. */
const CASES: Readonly<Record<string, () => Promise<void>>> = {
  async refund() {
    const { order, token, file } = await bought()
    expect((await ask(file)).status).toBe(200)
    expect((await act('refund', { order })).body).toMatchObject({ ok: true, state: 'refunded' })
    const read = await ask(`/v1/orders/${order}`, { authorization: `Bearer ${token}` })
    expect([read.status, read.body['status'], (await ask(file)).status]).toEqual([200, 'refunded', 404])
  },
  async 'expire-order'() {
    const { order, file } = await bought()
    expect((await act('expire-order', { order })).body).toMatchObject({ ok: true, state: 'expired' })
    expect(await ask(file)).toMatchObject({ status: 410, body: { error: { code: 'ORDER_EXPIRED' } } })
  },
  async 'cold, thaw'() {
    const { file } = await bought()
    expect((await act('cold', { goods: NAME, day: DAY })).body).toMatchObject({ ok: true, days: 1 })
    expect([await ask(file), (await ask(`${file}&status=1`)).body]).toMatchObject([{ status: 202, body: { state: 'cold' } }, { state: 'cold' }])
    expect((await act('thaw', { goods: ID })).body).toMatchObject({ ok: true, days: 1 })
    expect((await ask(file)).status).toBe(200)
  },
  async hide() {
    const path = `/api/instrument/${ID}/days`
    const unknown = await ask('/api/instrument/5/days')
    await act('hide', { goods: NAME })
    expect(await ask(path)).toEqual(unknown)
    await act('hide', { goods: String(ID), on: false })
    expect((await ask(path)).status).toBe(200)
  },
}

describe('a buyer sees', () => {
  test.each(Object.entries(CASES))('%s', async (_name, seenBy) => { await seenBy() })

  test('every action has a case', () => {
    expect(Object.keys(CASES).flatMap((names) => names.split(', ')).sort()).toEqual(Object.keys(SHOP_ACTIONS).sort())
  })
})

describe('refusals', () => {
  test.each([
    ['refund', {}, 400, 'order'], ['refund', { order: 'ord_x' }, 404, 'order'], ['refund', { order: 5 }, 400, 'order'],
    ['expire-order', { order: '' }, 400, 'order'], ['cold', {}, 400, 'goods'], ['cold', { goods: 'x:Y' }, 404, 'goods'],
    ['cold', { goods: NAME, day: '2026-02-30' }, 400, 'day'], ['cold', { goods: NAME, day: '2020-01-01' }, 404, 'goods'],
    ['thaw', { goods: -1 }, 400, 'goods'], ['hide', { goods: 5 }, 404, 'goods'], ['hide', { goods: NAME, on: 'yes' }, 400, 'on'],
    ['hide', { goods: NAME, more: 1 }, 400, 'more'],
  ] as const)('%s %j', async (action, fields, status, field) => {
    expect(await act(action, fields)).toMatchObject({ status, body: { ok: false, field } })
  })

  test('a server without a shop', async () => {
    const plain = await openServing({
      data: [`datasets/synthetic_swap-XRPUSDT-${DAY}.txt.zst`], replay: { start: 'paused' }, httpPort: 0, controlPort: 0,
      account: { balances: { USDT: '1' }, fees: { maker: '0', taker: '0' } },
    })
    const { url, token } = plain.addresses.control!
    const answer = await fetch(`${url}/refund`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{"order":"x"}' })
    await plain.close()
    expect([answer.status, await answer.json()]).toMatchObject([409, { ok: false, expected: 'a server with a shop' }])
  })
})
