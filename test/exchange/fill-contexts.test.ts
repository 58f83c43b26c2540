import { describe, expect, test } from 'vitest'
import { KNOWN_FILLS, type AdapterOrderIndex } from '../../src/exchange/adapter/adapter-order-index.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import { DrawnId, type Id } from '../../src/model/id.js'
import { RandomNumbers } from '../../src/model/random.js'
import type { Fill } from '../../src/venue/account-messages.js'
import { ExchangeBench, placeEntry } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument } from '../support/market-lines.ts'
import { playedInTwo } from '../support/played-in-two.ts'
import { MadeAdapter } from '../support/made-orders.ts'
import { throughJson } from '../support/through-json.ts'

const instrument = madeInstrument()
const random = new RandomNumbers(1, 'fills', 0)
const drawn = (count: number): DrawnId => new DrawnId(random, count)

/** The forms in which a client may name a fill. */
const FORMS: readonly (readonly [form: string, of: (id: Id) => Id])[] = [['the id itself', (id) => id], ['its text', (id) => String(id)]]

describe('a fill context set by', () => {
  const made = (): AdapterOrderIndex => new MadeAdapter({ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' } }, { entries: [], get: () => undefined }).index
  const contextOf = (index: AdapterOrderIndex, ownFillId: Id): unknown => index.withContext({ ownFillId } as Fill).context

  test.each(FORMS)('%s goes with that fill and no other, also after a checkpoint, until the fill is forgotten', (_form, of) => {
    const index = made()
    const [first, second, unknown] = [drawn(0), drawn(1), drawn(2)]
    index.filled(first)
    index.filled(second)
    expect(index.fillContext([{ ownFillId: of(second), context: { n: 1 } }, { ownFillId: of(unknown), context: { n: 2 } }])).toMatchObject([{ ownFillId: String(second), result: { context: { n: 1 } } }, { ownFillId: String(unknown), error: { type: 'FILL_NOT_FOUND' } }])
    expect([contextOf(index, first), contextOf(index, second)]).toEqual([undefined, { n: 1 }])
    const again = made()
    again.restore(throughJson(index.state()))
    const [firstNow, secondNow] = again.state().fills as [DrawnId, DrawnId]
    expect([contextOf(again, firstNow), contextOf(again, secondNow)]).toEqual([undefined, { n: 1 }])
    again.fillContext([{ ownFillId: of(secondNow), context: { n: 3 } }])
    expect(contextOf(again, secondNow)).toEqual({ n: 3 })
    for (let count = 3; count < KNOWN_FILLS + 3; count++) index.filled(drawn(count))
    expect(index.fillContext([{ ownFillId: of(second), context: {} }])[0]?.error?.type).toBe('FILL_NOT_FOUND')
    expect([contextOf(index, second), index.state().contexts.size]).toEqual([undefined, 0])
  })

  test.each(FORMS)('%s goes with the late report of that fill, whenever the run is taken up again', (_form, of) => {
    let fillId = '' as Id
    const made = (received: string[]): ExchangeBench => new ExchangeBench({
      instruments: [{ instrument, batches: [lineBatch([{ kind: 'snapshot', timeNs: 1, rows: [[0, 100, 50], [1, 110, 50]] }], { instrument })] }],
      accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' }, profile: { ...GENERIC_PROFILE, messages: { lateFees: '50ns' } } }],
      delivered: (_world, _client, timeNs, message) => {
        if (message.kind === 'fillContextResponse') received.push(...message.results.map(({ error }) => `${timeNs} ${error?.type ?? 'set'}`))
        if (message.kind !== 'fill') return
        fillId = message.fills[0]!.ownFillId
        received.push(...message.fills.map(({ ownFillId, update, context }) => `${timeNs} ${String(ownFillId)}${update ? ' update' : ''} ${JSON.stringify(context)}`))
      },
    })
    const commands = [
      { timeNs: 2, send: (entry: ReturnType<ExchangeBench['entryOf']>) => { entry.place([placeEntry('a', { price: 110 })]) } },
      { timeNs: 10, send: (entry: ReturnType<ExchangeBench['entryOf']>) => { entry.fillContext([{ ownFillId: of(fillId), context: { why: 'test' } }]) } },
    ]
    const whole: string[] = []
    made(whole).run(commands)
    expect(fillId).toBeInstanceOf(DrawnId)
    expect(whole).toEqual([`2 ${String(fillId)} undefined`, '10 set', `52 ${String(fillId)} update {"why":"test"}`])
    for (const cutNs of [2, 10]) expect(playedInTwo(made, commands, cutNs).received).toEqual(whole)
  })
})
