import { expect, test } from 'vitest'
import { repeated } from '../support/repetitions.ts'
import { SlowReader } from '../support/slow-reader.ts'
import { servers, type ServedDays } from '../support/served-days.ts'

const serve = servers()
const PIECE = 65_536

/** A reader of the whole feed. */
async function connected(served: ServedDays, name: string, answersPings = true): Promise<SlowReader> {
  const url = `${served.serving.addresses.feeds[0]!.json}?apiKey=k`
  const reader = await SlowReader.connect(url, [`[13,"org","app","1","${name}"]`, `[11,${served.instrumentId},{}]`], answersPings)
  const isThere = (): boolean => [...served.serving.feed.connections].some((one) => one.processId === name && one.commandCount > 0)
  while (!isThere()) await new Promise((resolve) => setImmediate(resolve))
  return reader
}

/** Reads so many bytes; each 64 KiB take some time of the server's wall. */
async function readAt(reader: SlowReader, bytes: number, wall: { nowMs: number }, msPerPiece: number): Promise<void> {
  for (let left = bytes; left > 0 && !reader.isEnded; left -= PIECE) {
    await reader.read(PIECE)
    if (msPerPiece <= 1_000) wall.nowMs += msPerPiece
    // The server looks at its clock meanwhile.
    else for (let looks = Math.ceil(msPerPiece / 1_000), look = 0; look < looks; look++, wall.nowMs += msPerPiece / looks) await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

const warnings = (served: ServedDays): string[] => served.log.filter((text) => text.startsWith('Warning'))

test.each(repeated([[900, '73 kB/s'], [327, '200 kB/s'], [65, '1 MB/s']]))(
  'a reader that takes %d ms for each 64 KiB (%s) sets the pace of a loop at max, and is not cut off', { timeout: 60_000 }, async (msPerPiece) => {
    const wall = { nowMs: 0 }
    const served = await serve({ replay: { loop: true } }, { nowMs: () => wall.nowMs })
    const reader = await connected(served, 'slow')
    await served.post('resume')
    // More than the system and the limit of a slow reader hold together.
    await readAt(reader, 20_000_000, wall, msPerPiece)
    expect(reader.closeCode).toBeNull()
    expect(warnings(served)).toEqual([])
    expect(served.serving.feed.connections.size).toBe(1)
    reader.destroy()
  },
)

test('a reader of 10 kB/s is cut off with a notice, and the screen names it', { timeout: 60_000 }, async () => {
  const wall = { nowMs: 0 }
  const served = await serve({ replay: { loop: true } }, { nowMs: () => wall.nowMs })
  const reader = await connected(served, 'trickle')
  await served.post('resume')
  await readAt(reader, Infinity, wall, 6_500)
  expect([reader.texts.at(-1), reader.closeCode]).toEqual(['protocol violation: slow consumer', 1008])
  expect(warnings(served)).toEqual(['Warning: synthetic_swap: json connection of org app 1 trickle was cut off: protocol violation: slow consumer'])
  // Before the notice lies what it was on its way already, and what it was to be sent does not come.
  const isWhole = (text: string): boolean => text.startsWith('[') && text.endsWith(']')
  expect(reader.texts.slice(0, -1).every(isWhole)).toBe(true)
})

test('the server ends when a slow reader has read everything, and the notice of the end is the last', { timeout: 60_000 }, async () => {
  const wall = { nowMs: 0 }
  const served = await serve({}, { nowMs: () => wall.nowMs })
  const fast = await served.reader()
  const reader = await connected(served, 'slow')
  await served.post('resume')
  const [count] = await Promise.all([
    served.ended.then(async () => {
      const read = reader.byteCount
      await served.serving.close()
      return read
    }),
    readAt(reader, Infinity, wall, 327),
  ])
  expect(reader.texts).toEqual(fast.texts)
  expect([reader.texts.at(-1), reader.closeCode]).toEqual(['service shutdown', 1001])
  // The rest are the notice, the close frame and the last chunk.
  expect(reader.byteCount - count).toBeLessThan(PIECE)
})

test('at the end one that reads nothing is waited for a second, and no longer', { timeout: 60_000 }, async () => {
  const wall = { nowMs: 0 }
  const served = await serve({ to: '23:55:30' }, { nowMs: () => wall.nowMs++ })
  const [silent, mute] = [await connected(served, 'silent'), await connected(served, 'mute', false)]
  await served.post('resume')
  await mute.read(PIECE)
  expect(await served.ended).toBe('ended')
  for (const one of [silent, mute]) one.destroy()
})
