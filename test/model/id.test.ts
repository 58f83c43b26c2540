import fc from 'fast-check'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { canonicalJson } from '../../src/model/canonical-json.js'
import { DrawnId, isId, type Id } from '../../src/model/id.js'
import { RandomNumbers } from '../../src/model/random.js'
import { jsonCopy, restoredState, savedState } from '../../src/model/saved-state.js'
import { uuidFromRandom } from '../../src/model/uuid.js'
import { uuidText, writeId, writeUuid } from '../../src/protocol/id-bytes.js'

const seed = fc.maxSafeInteger().map(Math.abs)
const drawn = (count = 0, from = 7): DrawnId => new DrawnId(new RandomNumbers(from, 'test', 0), count)
const TEXT = uuidFromRandom(new RandomNumbers(7, 'test', 0), 0)

test('its text is the UUID of its random numbers, and its words are the digits of the text', () => {
  fc.assert(fc.property(seed, fc.string(), seed, fc.boolean(), (from, purpose, count, isReadFirst) => {
    const random = new RandomNumbers(from, purpose, 0)
    const id = new DrawnId(random, count)
    const text = uuidFromRandom(random, count)
    if (isReadFirst) expect(String(id)).toBe(text)
    const words = new Uint32Array(4)
    id.words(words)
    expect([...words].map((word) => word.toString(16).padStart(8, '0')).join('')).toBe(text.replaceAll('-', ''))
    expect([String(id), `${id.toString()}!`, id.toJSON()]).toEqual([text, `${text}!`, text])
    const [ofId, ofText] = [new Uint8Array(20), new Uint8Array(20)]
    expect([writeId(id, ofId, 3), writeUuid(text, ofText, 3), uuidText(ofId, 3)]).toEqual([true, true, text])
    expect(ofId).toEqual(ofText)
  }), { numRuns: 1000 })
})

test('the text is made once, when somebody reads it', () => {
  const random = new RandomNumbers(7, 'test', 0)
  let draws = 0
  const id = new DrawnId({ bits: (count: number, part: number) => {
    draws++
    return random.bits(count, part)
  } } as RandomNumbers, 0)
  expect(draws).toBe(0)
  expect([String(id), String(id), JSON.stringify(id), draws]).toEqual([TEXT, TEXT, `"${TEXT}"`, 4])
})

test('JSON and consoles have its text, alone and inside of others', () => {
  const message = { ownOrderId: drawn(), list: [drawn(), null], of: { id: drawn(1) } }
  const texts = { ownOrderId: TEXT, list: [TEXT, null], of: { id: String(drawn(1)) } }
  expect(JSON.stringify(message)).toBe(JSON.stringify(texts))
  expect(inspect(drawn())).toBe(TEXT)
  expect(inspect({ id: drawn() })).toBe(`{ id: ${TEXT} }`)
})

test('jsonCopy and savedState give texts, as keys of maps too', () => {
  const state = { id: drawn(), ids: [drawn(1), 'text'], open: new Map([['A', new Map<Id, number>([[drawn(2), 5]])]]) }
  expect(typeof jsonCopy(drawn())).toBe('string')
  expect(jsonCopy({ id: drawn(), ids: [drawn()] })).toStrictEqual({ id: TEXT, ids: [TEXT] })
  const restored = restoredState(savedState(state))
  expect([restored.id, ...restored.ids, ...restored.open.get('A')!.keys()].map((one) => typeof one)).toEqual(['string', 'string', 'string', 'string'])
  expect(canonicalJson(jsonCopy(state.ids) as string[])).toBe(JSON.stringify([String(drawn(1)), 'text']))
  expect(restored.open.get('A')!.get(String(drawn(2)))).toBe(5)
  expect(JSON.stringify(savedState(state))).toBe(JSON.stringify(savedState(restored)))
})

test('the numbers of one numbering are not those of another, and the last numbering counts', () => {
  const [id, other, first, second] = [drawn(), drawn(), {}, {}]
  expect([id.numberIn(first), id.numberIn(second)]).toEqual([0, 0])
  id.takeNumber(first, 7)
  expect([id.numberIn(first), id.numberIn(second), other.numberIn(first)]).toEqual([7, 0, 0])
  id.takeNumber(second, 9)
  expect([id.numberIn(first), id.numberIn(second)]).toEqual([0, 9])
})

test.each<readonly [string, unknown, boolean]>([
  ['a drawn id', drawn(), true], ['a text', TEXT, true], ['an empty text', '', true], ['null', null, false], ['undefined', undefined, false], ['a number', 7, false], ['an object of its form', { toString: () => TEXT }, false],
])('isId of %s', (_what, value, expected) => {
  expect(isId(value)).toBe(expected)
})
