import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Agenda, type AgendaEntry } from '../../src/exchange/agenda.js'

type Key = readonly [timeNs: number, phase: number, instrumentId: number, worldNumber: number, sequence: number]

const entryOf = ([timeNs, phase, instrumentId, worldNumber, sequence]: Key): AgendaEntry<string> => ({ timeNs, phase, instrumentId, worldNumber, sequence, message: [timeNs, phase, instrumentId, worldNumber, sequence].join(' ') })

/** Rule 1.3 as anybody would write it: the first of the five numbers that differs decides. */
function inOrder(keys: readonly Key[]): string[] {
  const before = (a: Key, b: Key): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3] || a[4] - b[4]
  return [...keys].sort(before).map((key) => key.join(' '))
}

function agendaOf(keys: readonly Key[]): Agenda<string> {
  const agenda = new Agenda<string>()
  for (const key of keys) agenda.put(entryOf(key))
  return agenda
}

function takeAll(agenda: Agenda<string>): (string | undefined)[] {
  return Array.from({ length: agenda.size }, () => agenda.take()?.message)
}

test('time before phase, phase before instrument, instrument before world, world before the order of making', () => {
  const keys: Key[] = [[2, 1, 1, 1, 1], [1, 4, 1, 1, 1], [1, 2, 7, 1, 1], [1, 2, 5, 3, 1], [1, 2, 5, 2, 9], [1, 2, 5, 2, 8]]
  expect(takeAll(agendaOf(keys))).toEqual(['1 2 5 2 8', '1 2 5 2 9', '1 2 5 3 1', '1 2 7 1 1', '1 4 1 1 1', '2 1 1 1 1'])
})

test('nothing waits: no entry, no time', () => {
  const agenda = new Agenda<string>()
  expect([agenda.size, agenda.nextTimeNs, agenda.peek(), agenda.take(), agenda.entries()]).toEqual([0, Infinity, undefined, undefined, []])
  agenda.put(entryOf([7, 1, 1, 1, 1]))
  expect([agenda.size, agenda.nextTimeNs, agenda.peek()?.message, agenda.take()?.message, agenda.size, agenda.nextTimeNs]).toEqual([1, 7, '7 1 1 1 1', '7 1 1 1 1', 0, Infinity])
})

const key = fc.tuple(fc.nat(4), fc.constantFrom(1, 2, 4), fc.nat(2), fc.nat(2), fc.nat(3))
const keys = fc.uniqueArray(key, { selector: String, maxLength: 60 })

test('whatever is put in, and taken between, comes out as a sort would say', () => {
  fc.assert(fc.property(keys, fc.array(fc.boolean(), { maxLength: 60 }), (all, takes) => {
    const agenda = new Agenda<string>()
    let waiting: Key[] = []
    all.forEach((one, at) => {
      agenda.put(entryOf(one))
      waiting.push(one)
      if (takes[at] !== true) return
      const first = inOrder(waiting)[0]!
      waiting = waiting.filter((other) => other.join(' ') !== first)
      expect(agenda.take()?.message).toBe(first)
    })
    expect([agenda.size, agenda.nextTimeNs]).toEqual([waiting.length, Math.min(...waiting.map(([timeNs]) => timeNs))])
    expect(takeAll(agenda)).toEqual(inOrder(waiting))
  }))
})

test('entries that a world makes one after the other come out as a sort would say too, others of the instant among them', () => {
  const made = fc.array(fc.record({ at: fc.tuple(fc.nat(2), fc.constantFrom(1, 4), fc.nat(1), fc.nat(1)), count: fc.integer({ min: 1, max: 5 }), takes: fc.nat(4) }), { maxLength: 30 })
  fc.assert(fc.property(made, (all) => {
    const agenda = new Agenda<string>()
    const sequences = [0, 0]
    let waiting: Key[] = []
    for (const { at, count, takes } of all) {
      for (let i = 0; i < count; i++) {
        const one: Key = [...at, sequences[at[3]]!++]
        agenda.put(entryOf(one))
        waiting.push(one)
      }
      const order = inOrder(waiting).slice(0, takes)
      expect(order.map(() => agenda.take()?.message)).toEqual(order)
      waiting = waiting.filter((other) => !order.includes(other.join(' ')))
      expect([agenda.size, agenda.nextTimeNs]).toEqual([waiting.length, Math.min(...waiting.map(([timeNs]) => timeNs))])
      expect(agenda.entries().map(({ message }) => message)).toEqual(inOrder(waiting))
    }
    expect(takeAll(agenda)).toEqual(inOrder(waiting))
  }), { numRuns: 500 })
})

test('a checkpoint lists entries in their order, however they came to lie, and a restored agenda goes on from there alone', () => {
  fc.assert(fc.property(keys, keys, (all, others) => {
    const agenda = agendaOf(all)
    const listed = agenda.entries()
    expect(listed.map(({ message }) => message)).toEqual(inOrder(all))
    const restored = agendaOf(others)
    restored.restore(listed)
    expect([takeAll(restored), takeAll(agenda)]).toEqual([inOrder(all), inOrder(all)])
  }))
})
