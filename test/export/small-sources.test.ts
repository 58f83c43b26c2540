import { appendFileSync, existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { convertFiles } from '../../src/export/convert.js'
import { EVERY_KIND, masterLine, resultNames, T0, writeTickFile } from '../support/export-lines.js'
import { newFolder } from '../support/new-folder.ts'

// The first sources of at most 256 KiB together are written in the thread that converts, the next ones in threads of their own.
const lines = [masterLine(), ...EVERY_KIND]
const named = (folder: string, name: string, more: readonly string[] = []): Promise<string> => writeTickFile(folder, `${name}-ABC-2026-07-01.txt.zst`, [...lines, ...more])

/** The same, made large by a frame that is skipped: it and what follows are written in threads. */
async function large(folder: string, name: string): Promise<string> {
  const path = await named(folder, name)
  const frame = Buffer.alloc(262_144)
  frame.writeUInt32LE(0x184d2a50, 0)
  frame.writeUInt32LE(frame.length - 8, 4)
  appendFileSync(path, frame)
  return path
}

test.each(['parquet', 'arrow', 'csv'] as const)('the bytes of %s are the same wherever they are written', async (to) => {
  const folder = newFolder()
  const [a, b, c] = [await named(folder, 'a'), await named(folder, 'b'), await large(folder, 'c')]
  const [first, second] = [newFolder(), newFolder()]
  expect(await convertFiles([a, b], { out: first, to })).toMatchObject({ convertedCount: 2 })
  expect(await convertFiles([c, a, b], { out: second, to })).toMatchObject({ convertedCount: 3 })
  expect(resultNames(first)).toHaveLength(16)
  for (const name of resultNames(first)) expect(readFileSync(join(first, name)).equals(readFileSync(join(second, name)))).toBe(true)
})

/** Files of the bad source in a folder that this process holds open: those of the good one get their names meanwhile. */
function openIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)].filter((path) => path.startsWith(folder) && path.includes('bad-'))
    } catch {
      // The one that listed them.
      return []
    }
  })
}

test.each([['first of two, without threads', 'bad'], ['second of two, in threads', 'good']])('a damaged line in the middle of the %s, leaves no file of it, and none open', async (which, begin) => {
  const [folder, out] = [newFolder(), newFolder()]
  const trades = Array.from({ length: 60_000 }, (_, i) => `[2,7,"0","t",${String(T0 + 10n)},0,[[0,"100.2","1","${i}",0]]]`)
  const files = [await named(folder, 'bad', [...trades, '[1,7,"1","2",x]']), await large(folder, 'good')]
  expect(statSync(files[0]!).size).toBeLessThan(262_144)
  const open: number[] = []
  const result = await convertFiles(begin === 'bad' ? files : files.reverse(), { out, to: 'csv', onProgress: ({ phase }) => {
    if (phase === 'failed' && existsSync('/proc/self/fd')) open.push(openIn(out).length)
  } })
  expect(result).toMatchObject({ convertedCount: 1, failedCount: 1, stopped: false })
  expect(result.inputs.find(({ name }) => name.includes('bad'))).toMatchObject({ outcome: 'failed', error: { code: 'LINE_MALFORMED' } })
  expect(resultNames(out).every((name) => name.startsWith('good-'))).toBe(true)
  expect(resultNames(out)).toHaveLength(8)
  expect([which, ...open]).toEqual(existsSync('/proc/self/fd') ? [which, 0] : [which])
})
