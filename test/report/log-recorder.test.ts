import { describe, expect, test } from 'vitest'
import { LogRecorder } from '../../src/report/log-recorder.js'
import { throughJson } from '../support/through-json.ts'

function logged(recorder: LogRecorder, count: number, from = 0): LogRecorder {
  for (let i = from; i < from + count; i++) recorder.add('log', { timeNs: i, clientId: 'a', text: `line ${String(i)}` })
  return recorder
}

describe('the recorder of logs', () => {
  test.each([[0, 0, null], [1, 1, 'line 0'], [200, 200, 'line 0'], [201, 200, 'line 1'], [1000, 200, 'line 800']])('of %d lines keeps the last %d', (count, kept, first) => {
    const recorder = logged(new LogRecorder(true), count)
    expect([recorder.countOf('log'), recorder.linesOf('log').length, recorder.linesOf('log')[0]?.text ?? null]).toEqual([count, kept, first])
    expect(recorder.linesOf('log').at(-1)?.timeNs).toBe(count === 0 ? undefined : count - 1)
  })

  test('keeps levels apart: many lines push out no warning', () => {
    const recorder = new LogRecorder(true)
    recorder.add('warning', { timeNs: 0, clientId: 'a', text: 'first' })
    logged(recorder, 1000)
    expect(recorder.linesOf('warning').map(({ text }) => text)).toEqual(['first'])
  })

  test('cuts long lines, and keeps none where no rows are kept', () => {
    const [recorder, bare] = [new LogRecorder(true), logged(new LogRecorder(false), 3)]
    recorder.add('log', { timeNs: 0, clientId: 'a', text: 'x'.repeat(501) })
    recorder.add('log', { timeNs: 0, clientId: 'a', text: 'y'.repeat(500) })
    expect(recorder.linesOf('log').map(({ text }) => text)).toEqual([`${'x'.repeat(500)}\u2026`, 'y'.repeat(500)])
    expect([bare.countOf('log'), bare.linesOf('log')]).toEqual([3, []])
  })

  test('goes on from its state', () => {
    const whole = logged(new LogRecorder(true), 500)
    const resumed = new LogRecorder(true)
    resumed.restore(throughJson(logged(new LogRecorder(true), 321).state()))
    logged(resumed, 179, 321)
    expect([resumed.state(), resumed.countOf('log')]).toEqual([whole.state(), 500])
  })
})
