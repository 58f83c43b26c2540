import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createExclusiveFile } from '../../src/files/whole-file-writer.js'
import { ownOwner } from '../../src/files/leftover-writer.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-exclusive-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

async function addOne(path: string): Promise<void> {
  const file = await createExclusiveFile(path)
  const count = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
  await new Promise((resolve) => setTimeout(resolve, 2))
  await file.write(new TextEncoder().encode(String(count + 1)))
  await file.commit()
}

test('changes take turns: none is lost', async () => {
  const path = join(folder, 'count')
  await Promise.all(Array.from({ length: 12 }, () => addOne(path)))
  expect(readFileSync(path, 'utf8')).toBe('12')
  expect(readdirSync(folder)).toEqual(['count'])
})

test('a turn waits while another is open, and comes when that one is aborted', async () => {
  const path = join(folder, 'waits')
  const first = await createExclusiveFile(path)
  let isThere = false
  const second = createExclusiveFile(path).then((file) => {
    isThere = true
    return file
  })
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(isThere).toBe(false)
  await first.abort()
  await (await second).abort()
  expect(existsSync(path)).toBe(false)
})

test('what an ended process left ends no turn of others', async () => {
  const path = join(folder, 'left')
  const { space } = ownOwner()
  const ended = String(spawnSync(process.execPath, ['-e', '']).pid)
  writeFileSync(join(folder, `.left.backtape-part-${space}-${ended}-7-0123456789ab`), '')
  await addOne(path)
  expect(readFileSync(path, 'utf8')).toBe('1')
  expect(readdirSync(folder).filter((name) => name.includes('left'))).toEqual(['left'])
})

test('a file that was taken for a leftover is not published', async () => {
  const path = join(folder, 'taken')
  const file = await createExclusiveFile(path)
  rmSync(file.temporaryPath)
  await expect(file.commit()).rejects.toMatchObject({ code: 'OUTPUT_FAILED' })
  expect(existsSync(path)).toBe(false)
})
