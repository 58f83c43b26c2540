import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { refusalOf } from '../../support/collected.ts'
import { newFolder } from '../../support/new-folder.ts'
import { opened } from '../../support/scripted-client.ts'
import { jsonAnswer } from '../../support/scripted-network.ts'
import { SHOP_SECRET } from '../../support/scripted-shop.ts'

const DAY = { instrumentId: 7, date: '2024-08-08' }
const BUYER = { email: 'me@example.org' }

describe('an order', () => {
  test.each([['o9', {}], ['last', {}]])('%s without a token is refused', async (id, options) => {
    const { client, network } = opened()
    expect([(await refusalOf(() => client.order(id, options))).code, network.seen.length]).toEqual(['OPTION_INVALID', 0])
  })

  test('with a token from elsewhere is kept once it answers', async () => {
    const { client, shop, store, notes } = opened()
    await client.checkout(await client.quote([DAY]), BUYER)
    shop.pay()
    const { message } = await refusalOf(() => client.order('o1', { token: 'wrong-sentinel' }))
    expect([message.includes('status 404'), message.includes('wrong-sentinel'), readFileSync(store, 'utf8').includes('wrong-sentinel')]).toEqual([true, false, false])
    expect((await client.order('o1', { token: SHOP_SECRET })).items.length).toBe(1)
    expect([(await client.orders()).length, notes]).toEqual([1, []])
  })

  test('keeps a token that still reads it, whatever else reads it once', async () => {
    const { client, shop, store } = opened()
    await client.checkout(await client.quote([DAY]), BUYER)
    shop.pay()
    await client.order('o1', { token: SHOP_SECRET })
    const isOther = ({ headers }: { readonly headers: Readonly<Record<string, string>> }): boolean => headers['authorization'] === 'Bearer other-sentinel'
    const answer = { order_id: 'o1', status: 'paid', paid_at: '2024-08-10T00:00:00Z', currency: 'EUR', item_count: 0, total_cents: 100, items: [] }
    shop.before = (request, path) => (path.startsWith('/v1/orders/') && isOther(request) ? jsonAnswer(answer) : null)
    expect((await client.order('o1', { token: 'other-sentinel' })).orderId).toBe('o1')
    expect([readFileSync(store, 'utf8').includes('other-sentinel'), readFileSync(store, 'utf8').includes(SHOP_SECRET)]).toEqual([false, true])
    // Once the shop knows the order by the other one alone, that is kept.
    shop.before = (request, path) => (path.startsWith('/v1/orders/') ? isOther(request) ? jsonAnswer(answer) : jsonAnswer({}, 404) : null)
    await client.order('o1', { token: 'other-sentinel' })
    expect([readFileSync(store, 'utf8').includes('other-sentinel'), readFileSync(store, 'utf8').includes(SHOP_SECRET)]).toEqual([true, false])
  })

  test('that an account has read cannot be downloaded: its token would stand in a URL, and opens more than one order', async () => {
    const accountToken = 'account-sentinel'
    const { client, shop, network, store } = opened(undefined, undefined, { accountToken })
    await client.checkout(await client.quote([DAY]), BUYER)
    shop.pay()
    const receipt = `https://shop.example/receipt/o1?t=${encodeURIComponent(SHOP_SECRET)}`
    shop.before = ({ headers }, path) => {
      if (!path.startsWith('/v1/orders/') || headers['authorization'] !== `Bearer ${accountToken}`) return null
      return jsonAnswer({ order_id: 'o1', status: 'paid', paid_at: '2024-08-10T00:00:00Z', currency: 'EUR', item_count: 0, total_cents: 100, items: [], invoice_hosted_url: receipt, invoice_pdf_url: receipt })
    }
    rmSync(store)
    for (const options of [{}, { token: accountToken }]) {
      const order = await client.order('o1', options)
      expect([order.invoiceHostedUrl, order.items.length]).toEqual([receipt, 0])
      const shown = inspect(order, { depth: 9, showHidden: true }) + JSON.stringify(order)
      for (const secret of [accountToken, SHOP_SECRET, encodeURIComponent(SHOP_SECRET)]) expect([secret, shown.includes(secret)]).toEqual([secret, false])
      const download = async (): Promise<void> => { for await (const file of client.download(order, { out: join(newFolder(), 'out') })) void file }
      const restore = async (): Promise<void> => void await client.restore(order)
      for (const work of [download, restore]) {
        const { code, message } = await refusalOf(work)
        expect([code, message]).toEqual(['OPTION_INVALID', expect.stringContaining('order must be an order with its own token')])
        expect(message.includes(accountToken)).toBe(false)
      }
    }
    expect([network.seen.filter(({ url }) => url.includes(accountToken)), await client.orders()]).toEqual([[], []])
    expect((await refusalOf(() => client.order('last'))).code).toBe('OPTION_INVALID')
  })
})
