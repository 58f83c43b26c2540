import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { makeFolder } from '../../src/files/folder-writer.js'
import { refusalOf } from '../support/collected.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-folder-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

describe('a folder', () => {
  test('is made with what is missing above it, and the topmost is returned', async () => {
    expect(await makeFolder(join(folder, 'a/b/c'))).toBe(join(folder, 'a'))
    expect(await makeFolder(join(folder, 'a/b/c'))).toBeNull()
    expect(await makeFolder(join(folder, 'a/d'))).toBe(join(folder, 'a/d'))
    expect(statSync(join(folder, 'a/b/c')).isDirectory()).toBe(true)
    expect(await makeFolder('.')).toBeNull()
    expect(await makeFolder('/')).toBeNull()
  })

  test('is made by many at once, also where a folder above it is missing for all of them', async () => {
    for (let round = 0; round < 30; round++) {
      const at = join(folder, `race-${round}`)
      const made = ['x/y', 'x/y', 'x/z', 'x', 'x/y/w'].map((path) => makeFolder(join(at, path)))
      await Promise.all(made)
      expect(statSync(join(at, 'x/y/w')).isDirectory()).toBe(true)
    }
  })

  test.each([
    [
      'in /proc, where Node never ends',
      '/proc/backtape/x',
      /Cannot write \/proc\/backtape: no folder can be made in \/proc; choose another folder/,
    ],
    ['directly in /proc', '/proc/backtape', /Cannot write \/proc\/backtape:/],
    ['where a file stands', join(folder, 'plain'), /a file with this name stands where the folder should be/],
    ['below a file', join(folder, 'plain/x/y'), /a part of its path is a file, not a folder/],
  ])('cannot be made %s', async (_, path, sentence) => {
    writeFileSync(join(folder, 'plain'), '')
    const refusal = await refusalOf(() => makeFolder(path))
    expect(refusal.code).toBe('OUTPUT_FAILED')
    expect(refusal.message).toMatch(sentence)
  })
})
