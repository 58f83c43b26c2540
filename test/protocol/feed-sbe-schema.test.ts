import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { EVENT_KINDS } from '../../src/model/event-kind.js'
import { FEED_MESSAGES, FEED_TOPICS } from '../../src/protocol/feed-messages.js'
import {
  BLOCK_BYTES, ENTRY_BYTES, EVENT_FIELDS, GROUP_BYTES, GROUP_LIMIT, HEADER_BYTES, LONG_TEXT_LIMIT, MESSAGE_FIELDS, ROW_FIELDS, SBE_SCHEMA_ID, SBE_VERSION,
  SHORT_TEXT_LIMIT,
} from '../../src/protocol/sbe-layout.js'

interface Field { readonly at: number, readonly name: string, readonly type: string, readonly bytes: number }
interface Text { readonly name: string, readonly type: string }
interface Group { readonly name: string, readonly fields: readonly Field[], readonly entryBytes: number, readonly texts: readonly Text[] }
interface Message { readonly id: number, readonly name: string, readonly blockLength: number, readonly fields: readonly Field[], readonly groups: readonly Group[], readonly texts: readonly Text[] }
interface Schema { readonly id: number, readonly version: number, readonly byteOrder: string, readonly types: readonly { readonly name: string, readonly bytes: number, readonly form: string }[], readonly messages: readonly Message[] }

function readSchema(): Schema {
  const url = new URL('../../scripts/sbe-page.mjs', import.meta.url).href
  const code = `const { sbeSchema } = await import(${JSON.stringify(url)}); console.log(JSON.stringify(sbeSchema()))`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
  expect(run.status, run.stderr).toBe(0)
  return JSON.parse(run.stdout) as Schema
}

describe('schemas/feed.xml', () => {
  const schema = readSchema()
  const messages = new Map(schema.messages.map((message) => [message.id, message]))
  const placesOf = (id: number): Readonly<Record<string, number>> => Object.fromEntries(messages.get(id)!.fields.map(({ name, at }) => [name, at]))
  const events = Object.values(EVENT_KINDS).filter((kind) => kind !== EVENT_KINDS.state)

  test('is schema 1, version 6, little-endian', () => {
    expect([schema.id, schema.version, schema.byteOrder]).toEqual([SBE_SCHEMA_ID, SBE_VERSION, 'littleEndian'])
  })

  test('has a template for each message type, and no other', () => {
    expect([...messages.keys()].sort((a, b) => a - b)).toEqual([...Object.values(EVENT_KINDS), ...Object.values(FEED_MESSAGES)].sort((a, b) => a - b))
  })

  test('has the block lengths of the codec', () => {
    expect(BLOCK_BYTES.map((bytes, id) => messages.get(id)?.blockLength ?? -1)).toEqual(BLOCK_BYTES)
    expect(Math.max(...messages.keys())).toBe(BLOCK_BYTES.length - 1)
  })

  test('has header, group size and limits of the codec', () => {
    const types = new Map(schema.types.map((type) => [type.name, type]))
    expect([types.get('messageHeader')!.bytes, types.get('groupSize')!.bytes]).toEqual([HEADER_BYTES, GROUP_BYTES])
    expect(types.get('messageHeader')!.form).toBe('blockLength uint16, templateId uint16, schemaId uint16, version uint16')
    expect([GROUP_LIMIT, SHORT_TEXT_LIMIT, LONG_TEXT_LIMIT]).toEqual([2 ** 20, 65_534, 2 ** 24])
  })

  test.each(events)('has the fields of event %i where the codec has them', (kind) => {
    const places = placesOf(kind)
    const { instrumentId, previousEventId, eventId, adapterTime, exchangeTime } = EVENT_FIELDS
    expect(places).toMatchObject({ instrumentId, previousEventId, eventId, adapterTime, exchangeTime })
    const own = Object.entries(places).filter(([, at]) => at >= 48)
    for (const [name, at] of own) expect([name, EVENT_FIELDS[name as keyof typeof EVENT_FIELDS]]).toEqual([name, at])
    expect(messages.get(kind)!.texts).toEqual([{ name: 'previousEventIdText', type: 'shortText', words: '' }, { name: 'eventIdText', type: 'shortText', words: '' }])
  })

  test.each([[0, 'book'], [1, 'book'], [6, 'book'], [2, 'trade'], [17, 'liquidation'], [7, 'greeks']] as const)('has the entries of %i where the codec has them', (id, entry) => {
    const [group] = messages.get(id)!.groups
    expect(group!.entryBytes).toBe(ENTRY_BYTES[entry])
    if (entry === 'greeks') return
    const rows: Record<string, number> = { ...ROW_FIELDS, exchangeTradeTime: ROW_FIELDS.time, exchangeLiquidationTime: ROW_FIELDS.time }
    for (const { name, at } of group!.fields) expect([name, rows[name]]).toEqual([name, at])
    expect(group!.texts.map(({ name }) => name)).toEqual(entry === 'trade' ? ['tradeIdText'] : [])
  })

  test('has the fields of the other messages where the codec has them', () => {
    const { instrumentId, adapterTime, textGiven, topics, serverTime } = MESSAGE_FIELDS
    expect(placesOf(5)).toEqual({ instrumentId, adapterTime, textGiven })
    expect(placesOf(12)).toEqual({ instrumentId })
    expect(placesOf(14)).toEqual({ serverTime })
    expect(messages.get(11)!.fields.map(({ name, at }) => [name, at])).toEqual([
      ['instrumentId', instrumentId], ...[...Object.keys(FEED_TOPICS), 'topOfBookCoalescing'].map((name, i) => [name, topics + i]),
    ])
    expect(messages.get(13)!.texts.map(({ name }) => name)).toEqual(['organization', 'applicationName', 'applicationVersion', 'processId'])
    expect(messages.get(14)!.texts.map(({ name, type }) => [name, type])).toEqual([['processId', 'shortText'], ['protocolVersion', 'shortText'], ['capabilities', 'longText']])
  })

  test('has field ids that are unique in each message', () => {
    for (const { fields, groups, texts } of schema.messages) {
      const names = [...fields, ...texts, ...groups].map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
    }
  })
})
