import fc from 'fast-check'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { DrawnId, isId, type Id } from '../../src/model/id.js'
import { IdMap } from '../../src/model/id-map.js'
import { RandomNumbers } from '../../src/model/random.js'
import { uuidFromRandom } from '../../src/model/uuid.js'
import { uuidText, writeId, writeUuid } from '../../src/protocol/id-bytes.js'
import { throughJson } from '../support/through-json.ts'

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

test('an id comes back from a checkpoint as one that was drawn, one object wherever it stands, and a text as a text', () => {
  const random = new RandomNumbers(7, 'test', 0)
  const of = (count: number): DrawnId => new DrawnId(random, count)
  const open = new IdMap<number>()
  for (let count = 0; count < 40; count += 2) open.set(of(count), count)
  open.set('text', -1)
  const list: Id[] = Array.from({ length: 40 }, (_, count) => (count % 7 === 6 ? `text ${count}` : of(count)))
  const state = { id: of(2), list, open, byId: new Map<Id, number>([[of(2), 5]]), same: new RandomNumbers(7, 'test', 0), random }
  const restored = throughJson(state)
  expect([restored.id, restored.list, restored.open.state()]).toEqual([state.id, list, open.state()])
  expect([restored.list[2] === restored.id, restored.byId.get(restored.id), restored.open.get(restored.id)]).toEqual([true, 5, 2])
  // Two sources of the same keys stay two: each world has its own.
  expect([restored.id.source === restored.random, restored.same === restored.random, restored.same]).toEqual([true, false, restored.random])
  expect(restored.open.delete(new DrawnId(restored.random, 38))).toBe(true)
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
