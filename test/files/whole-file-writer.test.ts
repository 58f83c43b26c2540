import { spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { checkDistinctOutputs } from '../../src/files/output-place-reader.js'
import { ownOwner, partOwner } from '../../src/files/leftover-writer.js'
import { commitWholeFiles, createWholeFile } from '../../src/files/whole-file-writer.js'
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
    const during = readdirSync(folder).filter((name) => name.includes('new'))
    expect(during).toHaveLength(1)
    expect(partOwner(during[0] as string)).toEqual(ownOwner())
    await file.write(text('two'))
    await file.commit()
    expect(readFileSync(path, 'utf8')).toBe('one two')
    expect(readdirSync(folder).filter((name) => name.includes('new'))).toEqual(['new.bin'])
    await file.abort()
    expect(readFileSync(path, 'utf8')).toBe('one two')
  })

  test('leaves a part under another name, over what has it, and takes no more bytes', async () => {
    const [path, part] = [join(folder, 'cut.bin'), join(folder, 'cut.failed.bin')]
    writeFileSync(part, 'of before')
    const file = await createWholeFile(path)
    await file.write(text('half'))
    file.commitPart(part)
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
    const files = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const file = await createWholeFile(path)
        await file.write(text(name))
        return file
      }),
    )
    const ends = await Promise.allSettled(files.map((file) => file.commit()))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'OUTPUT_EXISTS' })
    expect('abc').toContain(readFileSync(path, 'utf8'))
    expect(readdirSync(folder).filter((name) => partOwner(name) !== null)).toEqual([])
  })

  test('that somebody took away says so, and nothing gets its name', async () => {
    for (const force of [false, true]) {
      const path = join(folder, 'lost.bin')
      const file = await createWholeFile(path, { force })
      await file.write(text('whole'))
      rmSync(file.temporaryPath)
      const refusal = await refusalOf(() => file.commit())
      expect([refusal.code, existsSync(path)]).toEqual(['OUTPUT_FAILED', false])
      expect(refusal.message).toMatch(/its unfinished file is gone; another process took it for a leftover/)
    }
  })

  test('of several that are committed together each gets its name or its own error', async () => {
    const paths = ['g1.bin', 'g2.bin', 'g3.bin'].map((name) => join(folder, name))
    const files = await Promise.all(paths.map((path) => createWholeFile(path)))
    for (const file of files) await file.write(text(file.path))
    writeFileSync(paths[1] as string, 'of another')
    expect((await commitWholeFiles(files)).map((error) => error?.code ?? null)).toEqual([null, 'OUTPUT_EXISTS', null])
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual([paths[0], 'of another', paths[2]])
  })
})

describe('an output that is an input', () => {
  const input = join(folder, 'day.txt.zst')
  const bundle = join(folder, 'bundle.tar')
  for (const path of [input, bundle]) writeFileSync(path, 'bought')
  mkdirSync(join(folder, 'sub'), { recursive: true })
  symlinkSync(input, join(folder, 'link'))
  linkSync(input, join(folder, 'hard'))

  test.each([
    ['by its name', input, [input]],
    ['by another spelling', join(folder, 'sub/../day.txt.zst').replace('day', './day'), [input]],
    ['through a link', join(folder, 'link'), [input]],
    ['by a hard link', join(folder, 'hard'), [input]],
    ['named by a link', input, ['none', join(folder, 'link')]],
    ['as a bundle of which a member is read', bundle, [`${bundle}#a/b.zst`]],
  ])('%s is refused, with force too', async (_, path, inputs) => {
    for (const force of [false, true]) {
      const refusal = await refusalOf(() => createWholeFile(path, { force, inputs }))
      expect(refusal.code).toBe('OUTPUT_EXISTS')
      expect(refusal.message).toMatch(/input.*never overwritten; choose another name/)
    }
    expect(readFileSync(input, 'utf8')).toBe('bought')
  })

  test('a device or a pipe is no output', async () => {
    for (const path of ['/dev/null', '/dev/fd/0'])
      expect((await refusalOf(() => createWholeFile(path, { force: true }))).message).toMatch(
        /it is a (device|pipe|socket), and an output must be a plain file/,
      )
  })

  test.each([[['a', 'b', './a']], [['a', 'sub/../a']], [[join(folder, 'x'), join(folder, 'linked', 'x')]]])(
    'two outputs of one name are refused: %j',
    async (paths) => {
      if (!existsSync(join(folder, 'linked'))) symlinkSync(folder, join(folder, 'linked'))
      expect((await refusalOf(() => checkDistinctOutputs(paths))).code).toBe('OPTION_INVALID')
      await checkDistinctOutputs(['a', 'b', 'sub/a'])
    },
  )
})

describe('an output that cannot be', () => {
  test.each([
    ['in a folder that is missing', join(folder, 'none', 'a.bin'), /its folder does not exist; create it first/],
    ['in a folder that takes nothing', '/proc/a.bin', /Cannot write \/proc\/a.bin: no file can be made in \/proc; choose another folder/],
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
      expect((await refusalOf(() => createWholeFile(join(at, 'a.bin')))).message).toMatch(
        /read-only; choose another folder/,
      )
    } finally {
      spawnSync('umount', [at])
    }
  })
})
