import { describe, expect, test } from 'vitest'
import { CONTEXT_BYTES } from '../../src/exchange/adapter/account-contexts.js'
import { KNOWN_FILLS } from '../../src/exchange/adapter/adapter-order-index.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import type { OrderEntry } from '../../src/venue/venue.js'
import { ExchangeBench, placeEntry } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'
import { MadeAdapter } from '../support/made-orders.ts'
import { throughJson } from '../support/through-json.ts'

const instrument = madeInstrument()
const entry = { instrument, priceScale: 0, quantityScale: 0 }
const MIB = 1_048_576
/** A context of so many bytes of JSON: `{"a":"..."}`. */
const ofBytes = (bytes: number): { readonly a: string } => ({ a: 'x'.repeat(bytes - 8) })

function made(): MadeAdapter {
  return new MadeAdapter(
    { accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' }, profile: GENERIC_PROFILE },
    { entries: [entry], get: (id) => (id === 1 ? entry : undefined) },
  )
}
const place = (adapter: MadeAdapter, id: string, context?: object): string | null => {
  const { refused } = adapter.place([placeEntry(id, context === undefined ? {} : { context: context as never })])
  return refused[0]?.error?.type ?? null
}

describe('the contexts of an account', () => {
  test('fit up to the last byte, and one byte more is refused with both numbers', () => {
    const adapter = made()
    for (let at = 0; at < 3; at++) expect(place(adapter, `o${at}`, ofBytes(MIB))).toBeNull()
    expect(place(adapter, 'full', ofBytes(MIB))).toBeNull()
    const { refused, kept } = adapter.place([placeEntry('more', { context: {} })])
    expect([kept, refused[0]?.error]).toEqual([[], { type: 'CONTEXT_LIMIT_EXCEEDED', message: `contexts of the account may have ${CONTEXT_BYTES} bytes, with this one they would have ${CONTEXT_BYTES + 2}`, source: 'INTERNAL' }])
    expect(place(adapter, 'without')).toBeNull()
  })

  test('count as UTF-8', () => {
    const adapter = made()
    expect(place(adapter, 'o', { a: 'ü'.repeat(2 * MIB - 4) })).toBeNull()
    expect(place(adapter, 'p', {})).toBe('CONTEXT_LIMIT_EXCEEDED')
  })

  test('of an order that is over, or that a limit refused, are free again', () => {
    const adapter = made()
    expect(place(adapter, 'o', ofBytes(4 * MIB))).toBeNull()
    adapter.index.ended('o')
    const limited = adapter.place([placeEntry('p', { context: ofBytes(4 * MIB) })], () => ({ type: 'RATE_LIMIT_EXCEEDED', message: '', source: 'INTERNAL' }))
    expect(limited.refused[0]?.error?.type).toBe('RATE_LIMIT_EXCEEDED')
    expect(place(adapter, 'q', ofBytes(4 * MIB))).toBeNull()
    expect(place(adapter, 'r', {})).toBe('CONTEXT_LIMIT_EXCEEDED')
  })

  test('a change counts the largest that the order was given: it may still be refused', () => {
    const adapter = made()
    place(adapter, 'o', ofBytes(3 * MIB))
    expect(adapter.index.takeContext('o', {})).toBeNull()
    expect(place(adapter, 'p', ofBytes(MIB + 1))).toBe('CONTEXT_LIMIT_EXCEEDED')
    expect(adapter.index.takeContext('o', ofBytes(4 * MIB))).toBeNull()
    expect(adapter.index.takeContext('o', ofBytes(4 * MIB + 1))?.type).toBe('CONTEXT_LIMIT_EXCEEDED')
    const changed = adapter.index.amend([{ ownOrderId: 'o', currentClientOrderId: 'o', newClientOrderId: 'n', context: ofBytes(4 * MIB + 1) }])
    expect(changed.refused[0]?.error?.type).toBe('CONTEXT_LIMIT_EXCEEDED')
    expect(adapter.index.takeContext('nobody', ofBytes(4 * MIB + 1)), 'an order that is not known keeps nothing').toBeNull()
  })

  test('a replacement has that of the order before it', () => {
    const adapter = made()
    const replace = (from: string, to: string) => adapter.replace([{ currentOwnOrderId: from, newOwnOrderId: to, currentClientOrderId: from, newClientOrderId: to }])
    place(adapter, 'o', ofBytes(3 * MIB))
    expect(replace('o', 'p').refused[0]?.error?.type).toBe('CONTEXT_LIMIT_EXCEEDED')
    place(adapter, 'small', ofBytes(MIB / 2))
    expect(replace('small', 'next').refused).toEqual([])
    adapter.index.ended('small')
    adapter.index.ended('o')
    expect(place(adapter, 'q', ofBytes(3 * MIB + MIB / 2))).toBeNull()
    expect(place(adapter, 'r', {})).toBe('CONTEXT_LIMIT_EXCEEDED')
  })

  test('of fills count until their fill is forgotten, and over a checkpoint', () => {
    const adapter = made()
    for (let at = 0; at < KNOWN_FILLS; at++) adapter.index.filled(`f${at}`)
    const set = (id: string, context: object | null) => adapter.index.fillContext([{ ownFillId: id, context: context as never }])[0]?.error?.type ?? null
    expect(set('f0', ofBytes(4 * MIB))).toBeNull()
    expect(set('f1', {})).toBe('CONTEXT_LIMIT_EXCEEDED')
    const again = made()
    again.index.restore(throughJson(adapter.index.state()))
    expect(again.index.fillContext([{ ownFillId: 'f1', context: {} }])[0]?.error?.type).toBe('CONTEXT_LIMIT_EXCEEDED')
    adapter.index.filled('new')
    expect(set('f1', ofBytes(4 * MIB))).toBeNull()
    expect(set('f1', null)).toBeNull()
    expect(place(adapter, 'o', ofBytes(4 * MIB))).toBeNull()
  })
})

test('an order that fills or is refused at the exchange frees its context; that of an open order is refused a larger one', () => {
  const lines = lineBatch([{ kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [1, 110, 5]] }], { instrument })
  const answers: string[] = []
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lines] }],
    delivered: (_world, _client, timeNs, message) => {
      if ('results' in message) for (const { error } of message.results) answers.push(`${timeNs} ${message.kind} ${error?.type ?? 'ok'}`)
    },
  })
  const context = ofBytes(4 * MIB) as never
  const send = (timeNs: number, work: (client: OrderEntry) => void) => ({ timeNs, send: work })
  bench.run([
    send(2, (client) => { client.place([placeEntry('taker', { price: 110, context })]) }),
    send(3, (client) => { client.place([placeEntry('crossing', { price: 110, postOnly: true, context })]) }),
    send(4, (client) => { client.place([placeEntry('resting', { price: 90, context })]) }),
    send(5, (client) => { client.orderContext([{ ownOrderId: 'resting', clientOrderId: 'resting', context: ofBytes(4 * MIB + 1) }]) }),
    send(6, (client) => { client.place([placeEntry('last', { price: 91, context: {} })]) }),
    send(7, (client) => { client.cancel([{ ownOrderId: 'resting' }]) }),
    send(8, (client) => { client.place([placeEntry('again', { price: 91, context })]) }),
  ])
  expect(answers).toEqual([
    '2 placeResponse ok', '3 placeResponse POST_ONLY_WOULD_CROSS', '4 placeResponse ok', '5 orderContextResponse CONTEXT_LIMIT_EXCEEDED', '6 placeResponse CONTEXT_LIMIT_EXCEEDED', '7 cancelResponse ok', '8 placeResponse ok',
  ])
})
