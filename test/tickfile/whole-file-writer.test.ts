import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createWholeFile, temporaryOwner } from '../../src/tickfile/whole-file-writer.js'
import { refusalOf } from '../support/collected.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-whole-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

describe('a whole file', () => {
  test('appears when committed, with all its bytes, and leaves nothing else', async () => {
    const path = join(folder, 'new.bin')
    const file = await createWholeFile(path)
    await file.write(text('one '))
    const during = readdirSync(folder)
    expect(during).toHaveLength(1)
    expect(temporaryOwner(during[0] as string)).toBe(process.pid)
    await file.write(text('two'))
    await file.commit()
    expect(readFileSync(path, 'utf8')).toBe('one two')
    expect(readdirSync(folder)).toEqual(['new.bin'])
    await file.abort()
    expect(readFileSync(path, 'utf8')).toBe('one two')
  })

  test('removes what a killed process left of the same output, and nothing else', async () => {
    const gone = String(spawnSync(process.execPath, ['-e', '']).pid)
    const names = [`.left.bin.backtape-part-${gone}-0`, `.other.bin.backtape-part-${gone}-0`, `.left.bin.backtape-part-${String(process.ppid)}-0`]
    for (const name of names) writeFileSync(join(folder, name), 'half')
    await (await createWholeFile(join(folder, 'left.bin'))).abort()
    expect(names.map((name) => existsSync(join(folder, name)))).toEqual([false, true, true])
    for (const name of names) rmSync(join(folder, name), { force: true })
  })

  test('leaves a part under another name, over what has it, and takes no more bytes', async () => {
    const [path, part] = [join(folder, 'cut.bin'), join(folder, 'cut.failed.bin')]
    writeFileSync(part, 'of before')
    const file = await createWholeFile(path)
    await file.write(text('half'))
    await file.commitPart(part)
    expect([existsSync(path), readFileSync(part, 'utf8')]).toEqual([false, 'half'])
    expect((await refusalOf(() => file.write(text('more')))).code).toBe('OUTPUT_FAILED')
    await file.abort()
    expect(readdirSync(folder).filter((name) => name.includes('cut'))).toEqual(['cut.failed.bin'])
    rmSync(part)
  })

  test('never appears when aborted, and takes no more bytes', async () => {
    const path = join(folder, 'aborted.bin')
    const file = await createWholeFile(path)
    await file.write(text('half'))
    await file.abort()
    await file.abort()
    expect(readdirSync(folder)).not.toContain('aborted.bin')
    expect((await refusalOf(() => file.write(text('more')))).code).toBe('OUTPUT_FAILED')
    expect((await refusalOf(() => file.commit())).code).toBe('OUTPUT_FAILED')
  })

  test('refuses what exists, replaces it with force', async () => {
    const path = join(folder, 'there.bin')
    writeFileSync(path, 'old')
    const refusal = await refusalOf(() => createWholeFile(path))
    expect(refusal.code).toBe('OUTPUT_EXISTS')
    expect(refusal.message).toMatch(/--force$/)
    const file = await createWholeFile(path, { force: true })
    await file.write(text('new'))
    expect(readFileSync(path, 'utf8')).toBe('old')
    await file.commit()
    expect(readFileSync(path, 'utf8')).toBe('new')
  })

  test('of two that write one name, one wins and the other is told', async () => {
    const path = join(folder, 'race.bin')
    const files = await Promise.all(['a', 'b', 'c'].map(async (name) => {
      const file = await createWholeFile(path)
      await file.write(text(name))
      return file
    }))
    const ends = await Promise.allSettled(files.map((file) => file.commit()))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'OUTPUT_EXISTS' })
    expect('abc').toContain(readFileSync(path, 'utf8'))
    expect(readdirSync(folder).filter((name) => temporaryOwner(name) !== null)).toEqual([])
  })

  test('a name left by a killed process of our number is not reused', async () => {
    const path = join(folder, 'left.bin')
    const first = await createWholeFile(path)
    const number = Number(/-(\d+)$/.exec(first.temporaryPath)?.[1])
    await first.abort()
    const left = first.temporaryPath.replace(/\d+$/, String(number + 1))
    writeFileSync(left, 'left')
    const next = await createWholeFile(path)
    expect(next.temporaryPath).not.toBe(left)
    expect(readFileSync(left, 'utf8')).toBe('left')
    await next.abort()
    rmSync(left)
  })

  test.each([
    ['.day.parquet.backtape-part-123-4', 123],
    ['folder/.a.backtape-part-9-0', 9],
    ['day.parquet', null],
    ['.day.backtape-part-x-1', null],
    ['day.backtape-part-1-1', null],
  ])('the owner of %s is %s', (name, owner) => {
    expect(temporaryOwner(name)).toBe(owner)
  })
})

describe('an output that cannot be', () => {
  test.each([
    ['in a folder that is missing', join(folder, 'none', 'a.bin'), /its folder does not exist; create it first/],
    ['where a folder is', join(folder, 'dir'), /it is a folder/],
  ])('%s', async (_, path, sentence) => {
    mkdirSync(join(folder, 'dir'), { recursive: true })
    for (const force of [false, true]) {
      const refusal = await refusalOf(() => createWholeFile(path, { force }))
      expect(refusal.code).toBe('OUTPUT_FAILED')
      expect(refusal.message).toMatch(sentence)
    }
  })

  test.skipIf(process.platform === 'win32')('under a file', async () => {
    writeFileSync(join(folder, 'plain'), '')
    expect((await refusalOf(() => createWholeFile(join(folder, 'plain', 'a.bin')))).code).toBe('OUTPUT_FAILED')
  })

  test.skipIf(process.platform === 'win32')('behind a broken link is refused, not written through', async () => {
    const path = join(folder, 'broken')
    symlinkSync(join(folder, 'nowhere', 'x'), path)
    const file = await createWholeFile(path)
    expect((await refusalOf(() => file.commit())).code).toBe('OUTPUT_EXISTS')
  })

  const canMount = process.platform === 'linux' && process.getuid?.() === 0 && mounts()

  /** Whether this machine lets us mount a small file system. */
  function mounts(): boolean {
    const at = mkdtempSync(join(tmpdir(), 'backtape-mount-'))
    const done = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', at]).status === 0
    if (done) spawnSync('umount', [at])
    rmSync(at, { recursive: true })
    return done
  }

  test.skipIf(!canMount)('on a full disk says so and cleans up; on a read-only one too', async () => {
    const at = join(folder, 'small')
    mkdirSync(at)
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', at])
    try {
      const file = await createWholeFile(join(at, 'big.bin'))
      const full = await refusalOf(async () => {
        for (let i = 0; i < 100; i++) await file.write(new Uint8Array(4096))
      })
      expect(full.code).toBe('OUTPUT_FAILED')
      expect(full.message).toMatch(/the disk is full; free some space/)
      expect(readdirSync(at)).toEqual([])
      spawnSync('mount', ['-o', 'remount,ro', at])
      expect((await refusalOf(() => createWholeFile(join(at, 'a.bin')))).message).toMatch(/read-only; choose another folder/)
    } finally {
      spawnSync('umount', [at])
    }
  })
})
