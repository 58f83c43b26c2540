import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { keepFresh } from '../../src/files/heartbeat-client.js'
import { removeLeftovers, ownerState, ownOwner, partName, partOwner } from '../../src/files/leftover-writer.js'
import { createWholeFile } from '../../src/files/whole-file-writer.js'

const folder = mkdtempSync(join(tmpdir(), 'backtape-left-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const own = ownOwner()
const ended = spawnSync(process.execPath, ['-e', '']).pid
const named = (name: string, { space = own.space, pid = own.pid, start = own.start } = {}): string =>
  `.${name}.backtape-part-${space}-${String(pid)}-${start}-0123456789ab`
const foreign = { space: 'ffffffff' }

describe('the owner of an unfinished file', () => {
  test.each([
    [named('day.parquet'), own],
    [`folder/${named('a')}`, own],
    [named('a', { space: '00000000', pid: 9, start: '0' }), { space: '00000000', pid: 9, start: '0' }],
    ['.day.parquet.backtape-part-123-4', 'unknown'],
    ['day.parquet', null],
    ['.day.backtape-part-x-1', null],
    ['day.backtape-part-1-1', null],
    [named('a').slice(1), null],
  ])('of %s', (name, owner) => {
    expect(partOwner(name)).toEqual(owner)
  })

  test.each([
    ['this process', own, 'running'],
    ['an earlier process of our number', { ...own, start: '1' }, 'ended'],
    ['a process that ended', { ...own, pid: ended }, 'ended'],
    ['another process of this namespace', { ...own, pid: process.ppid, start: startOf(process.ppid) }, 'running'],
    ['an earlier process of a number that is used again', { ...own, pid: process.ppid, start: '1' }, 'ended'],
    ['a process of another container', { ...own, ...foreign, pid: ended }, 'unknown'],
  ])('%s is %s', (_, owner, state) => {
    expect(ownerState(owner)).toBe(state)
  })

  test('a process counts as ended as soon as it was killed, though nobody has collected it', () => {
    // A shell that never waits keeps its child a zombie.
    const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
    return once(shell.stdout, 'data').then(([text]) => {
      const pid = Number(String(text))
      const owner = { ...own, pid, start: startOf(pid) }
      expect(ownerState(owner)).toBe('running')
      process.kill(pid, 'SIGKILL')
      expect(ownerState(owner)).toBe('ended')
      expect(() => process.kill(pid, 0)).not.toThrow()
      shell.kill('SIGKILL')
    })
  })

  test('no two names are the same', () => {
    expect(new Set(Array.from({ length: 100 }, () => partName('a'))).size).toBe(100)
  })
})

function startOf(pid: number): string {
  const text = readFileSync(`/proc/${String(pid)}/stat`, 'latin1')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

describe('leftovers', () => {
  const put = (...names: string[]): void => {
    for (const name of names) writeFileSync(join(folder, name), 'half')
  }
  const left = (): string[] =>
    readdirSync(folder)
      .filter((name) => name.includes('backtape-part'))
      .sort()
  const clear = (): void => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
  }

  test('of the same output go when it is created again: those of ended processes alone', async () => {
    const [gone, other, running, unseen, old] = [
      named('x.bin', { pid: ended }),
      named('y.bin', { pid: ended }),
      named('x.bin'),
      named('x.bin', { ...foreign, pid: ended }),
      '.x.bin.backtape-part-4194305-0',
    ]
    put(gone, other, running, unseen, old)
    await (await createWholeFile(join(folder, 'x.bin'))).abort()
    expect(left()).toEqual([other, running, unseen, old].sort())
    clear()
  })

  test('of other containers and machines go when nobody has refreshed their times', async () => {
    const [unseen, running, fresh] = [named('x.bin', foreign), named('z.bin'), partName('probe')]
    put(unseen, running)
    await new Promise((resolve) => setTimeout(resolve, 60))
    put(fresh)
    await removeLeftovers(join(folder, fresh), { leftoverMs: 10_000 })
    expect(left()).toEqual([unseen, running, fresh].sort())
    await removeLeftovers(join(folder, fresh), { leftoverMs: 50 })
    expect(left()).toEqual([running, fresh].sort())
    clear()
  })

  test('have no say in clocks: a time that a file was given counts for nothing, that of its change does', async () => {
    const [unseen, fresh] = [named('x.bin', foreign), partName('probe')]
    put(unseen)
    utimesSync(join(folder, unseen), 0, 0)
    put(fresh)
    await removeLeftovers(join(folder, fresh))
    expect(left()).toEqual([unseen, fresh].sort())
    clear()
  })

  test('keeping a file fresh ends, and a file that is gone harms nobody', () => {
    const release = keepFresh(join(folder, 'none'))
    release()
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })
})
