import { describe, expect, test } from 'vitest'
import { accessTo, checkTopicType, isWritten, topicAccesses } from '../../src/broker/topic-access.js'

describe('topics by their suffix', () => {
  test.each([
    ['a', 'a', 'w', true], ['a:w', 'a', 'w', true], ['a:r', 'a', 'r', false], ['a:rw', 'a', 'rw', true],
    ['Prices_1.x-y:r', 'Prices_1.x-y', 'r', false], ['constructor', 'constructor', 'w', true], [`${'n'.repeat(249)}:rw`, 'n'.repeat(249), 'rw', true],
  ] as const)('%s', (text, name, access, written) => {
    const { topics, faults } = topicAccesses([text])
    expect(faults).toEqual([])
    expect([accessTo(topics, name), isWritten(topics, name)]).toEqual([access, written])
  })

  test.each(['', ':r', 'a:', 'a:x', 'a:wr', 'a:R', 'a b', 'a/b', 'é', '.', '..', '..:r', 'a:r:w', 'n'.repeat(250), `${'n'.repeat(250)}:r`, 'a\n', ' a'])('%j is none', (text) => {
    const { topics, faults } = topicAccesses(['first', text])
    expect(Object.keys(topics)).toEqual(['first'])
    expect(faults.map(({ path }) => path)).toEqual(['broker_topics[1]'])
    expect(faults[0]!.expected).toBe('a name of 1 to 249 of A-Z a-z 0-9 . _ -, then nothing, :r, :w or :rw')
  })

  test('one that is there twice, with another suffix too', () => {
    expect(topicAccesses(['a', 'b', 'a:r', 'b:w']).faults.map(({ path, expected }) => `${path} ${expected}`)).toEqual(['broker_topics[2] a name that is there once', 'broker_topics[3] a name that is there once'])
  })

  test('none for other channels, whatever an object has', () => {
    for (const channel of ['b', 'toString', '__proto__']) expect([accessTo({ a: 'rw' }, channel), isWritten({ a: 'rw' }, channel)]).toEqual([null, false])
  })
})

describe('types of channels', () => {
  test.each([['w', 'String', true], ['w', 'BrokerMessage', true], ['r', 'BrokerMessage', true], ['rw', 'BrokerMessage', true], ['r', 'String', false], ['rw', 'String', false]] as const)('%s as %s: %s', (access, type, may) => {
    const check = (): void => { checkTopicType({ prices: access }, 'prices', type) }
    if (may) return expect(check).not.toThrow()
    expect(check).toThrow('Cannot open channel "prices": its type must be BrokerMessage, as it is read from the broker, found String')
  })

  test('channels in memory have any', () => {
    for (const type of ['String', 'BrokerMessage'] as const) expect(() => { checkTopicType({ prices: 'r' }, 'other', type) }).not.toThrow()
  })
})
