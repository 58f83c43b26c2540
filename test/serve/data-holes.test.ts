import { expect, onTestFinished, test } from 'vitest'
import { holesOf, holesText } from '../../src/serve/data-holes.js'
import { bookLines, MadeDaysFolder } from '../support/made-days-folder.ts'
import { servers } from '../support/served-days.ts'

const serve = servers()
const DAY = 86_400_000_000_000

test.each<[string, number[], [number, number], [number, number][]]>([
  ['days side by side', [0, 1, 2], [0, Infinity], []],
  ['a fortnight', [0, 14], [0, Infinity], [[1, 14]]],
  ['days of two instruments fill each other', [0, 2, 1, 3, 0], [0, Infinity], []],
  ['two holes', [0, 2, 5], [0, Infinity], [[1, 2], [3, 5]]],
  ['a begin before the data, in the middle of a day', [2], [0.5, Infinity], [[0.5, 2]]],
  ['a begin in a hole', [0, 5], [2.25, Infinity], [[2.25, 5]]],
  ['an end in a hole', [0, 5], [0, 3.5], [[1, 3.5]]],
  ['an end behind the data', [0], [0, 2], [[1, 2]]],
  ['an end at a midnight', [0, 5], [0, 1], []],
  ['unknown days', [], [0, Infinity], []],
])('%s', (_name, days, [from, to], wanted) => {
  expect(holesOf(days, from * DAY, to * DAY).map(({ fromNs, toNs }) => [fromNs / DAY, toNs / DAY])).toEqual(wanted)
})

test.each<[number | 'max' | 'lockstep', boolean, string]>([
  [60, false, ': the replay waits there for 312min; replay.holes "skip" passes over them'],
  [60, true, ': the replay does not wait there'], ['max', false, ''], ['lockstep', true, ''],
])('at %s, skipping %s', (speed, isSkipping, wanted) => {
  expect(holesText([{ fromNs: DAY, toNs: 14 * DAY }], { epochDay: 20_000, speed, isSkipping })).toBe(`The data have no file of 2024-10-05 to 2024-10-17${wanted}`)
  expect(holesText([], { epochDay: 20_000, speed, isSkipping })).toBeNull()
})

test('days a fortnight apart at a factor: the hole is passed over at once, actions in it are done in their turn', { timeout: 60_000 }, async () => {
  const wall = { nowMs: 0 }
  const folder = new MadeDaysFolder()
  onTestFinished(() => { folder.remove() })
  const lines = bookLines([1000, 1002, 1004])
  const served = await serve({
    data: folder.write(new Map([[0, lines], [14, lines]])), from: '2026-07-01T00:00:00Z', accounts: { paper: { exchange: 'test', balances: { CASH: '1' }, fees: { maker: '0', taker: '0' } } },
    keys: [{ key: 'k', markets: ['test'], days: 'always' }], replay: { speed: 86_400, start: 'paused', holes: 'skip' },
    controlPlan: [{ at: '2026-07-09T12:00:00Z', action: 'directory-down' }],
  }, { nowMs: () => wall.nowMs })
  expect(served.serving.sentences).toEqual(['The data have no file of 2026-07-02 to 2026-07-14: the replay does not wait there'])
  const reader = await served.reader()
  await served.post('resume')
  // At this factor a day is a second: the first one and the begin of the last are all that is waited for.
  while (!served.serving.replay.hasEnded && wall.nowMs < 2_000) {
    wall.nowMs += 10
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  expect(await served.ended).toBe('ended')
  expect(served.log).toContain('plan: directory-down')
  const texts = reader.texts.join('\n')
  expect(texts).toContain('no file of 2026-07-02')
  expect(texts.slice(texts.indexOf('no file of 2026-07-02')).match(/^\[0,/gm)).toHaveLength(3)
})
