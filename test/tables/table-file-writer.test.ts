import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTableFile, metadataPath } from '../../src/tables/table-file-writer.js'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backtape-table-file-'))
  path = join(folder, 'x.csv')
  return () => { rmSync(folder, { recursive: true }) }
})

const encoder = new TextEncoder()

async function write(text: string, force = false): Promise<void> {
  const file = await createTableFile(path, { format: 'csv' }, { force })
  try {
    await file.write(encoder.encode(text))
    await file.commit(new Map([['table', text]]))
  } finally {
    await file.abort()
  }
}

interface Description {
  readonly file: string
  readonly sizeBytes: number
  readonly checksum: string
  readonly metadata: { readonly table: string }
}

const description = (): Description => JSON.parse(readFileSync(metadataPath(path), 'utf8')) as Description

describe('the file of a table', () => {
  it('has its metadata beside it, which name its size and checksum', async () => {
    await write('a\n1\n')
    expect(readdirSync(folder).sort()).toEqual(['x.csv', 'x.csv.json'])
    const checksum = `crc32:${crc32('a\n1\n').toString(16).padStart(8, '0')}`
    expect(description()).toMatchObject({ backtape: 'table', file: 'x.csv', format: 'csv', sizeBytes: 4, checksum, metadata: { table: 'a\n1\n' } })
  })

  it.each(['parquet', 'arrow', 'arrows'] as const)('stands alone where its format has a place for metadata (%s)', async (format) => {
    const file = await createTableFile(join(folder, `x.${format}`), { format })
    await file.commit(new Map())
    expect(readdirSync(folder)).toEqual([`x.${format}`])
  })

  it('is replaced together with its metadata, by force alone', async () => {
    await write('one')
    await expect(write('two')).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' })
    expect([readFileSync(path, 'utf8'), description().metadata.table]).toEqual(['one', 'one'])
    await write('two', true)
    expect([readFileSync(path, 'utf8'), description().metadata.table]).toEqual(['two', 'two'])
  })

  it('leaves both as they were where the work fails before its end', async () => {
    await write('one')
    const file = await createTableFile(path, { format: 'csv' }, { force: true })
    await file.write(encoder.encode('two'))
    await file.abort()
    expect(readdirSync(folder).sort()).toEqual(['x.csv', 'x.csv.json'])
    expect([readFileSync(path, 'utf8'), description().metadata.table]).toEqual(['one', 'one'])
  })

  it.each([['mine'], ['{"backtape":"table","file":"y.csv"}'], ['null'], ['{']])('does not replace a file that is not its metadata: %s', async (text) => {
    writeFileSync(metadataPath(path), text)
    await expect(write('one')).rejects.toMatchObject({ code: 'OUTPUT_EXISTS', place: { file: metadataPath(path) } })
    expect(readdirSync(folder)).toEqual(['x.csv.json'])
    expect(readFileSync(metadataPath(path), 'utf8')).toBe(text)
  })

  it('is not published where its metadata cannot be', async () => {
    mkdirSync(metadataPath(path))
    await expect(write('one', true)).rejects.toMatchObject({ code: 'OUTPUT_FAILED' })
    expect(existsSync(path)).toBe(false)
  })
})

/** Kills itself at the n-th change of a name, and writes over what stands. */
const PROGRAM = `
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
const [folder, at] = [process.argv[1], Number(process.argv[2])]
let changes = 0
for (const name of ['rename', 'link', 'rm', 'unlink']) {
  const real = fs[name]
  fs[name] = (...args) => {
    if (String(args.at(-1)?.force === undefined ? args.at(-1) : args[0]).startsWith(folder) && changes++ === at) process.kill(process.pid, 'SIGKILL')
    return real(...args)
  }
}
syncBuiltinESMExports()
const { createTableFile } = await import(process.argv[4])
const file = await createTableFile(process.argv[3], { format: 'csv' }, { force: true })
await file.write(new TextEncoder().encode('two'))
await file.commit(new Map([['table', 'two']]))
`

describe('a kill at any change of a name', () => {
  const module = new URL('../../dist/tables/table-file-writer.js', import.meta.url).href

  it.each([[true], [false]])('leaves no table without its own metadata (a table stood there: %s)', async (stood) => {
    const outcomes = new Set<string>()
    for (let at = 0; ; at++) {
      rmSync(folder, { recursive: true })
      mkdirSync(folder)
      if (stood) await write('one')
      const { signal, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM, folder, String(at), path, module])
      expect(String(stderr)).toBe('')
      const table = existsSync(path) ? readFileSync(path, 'utf8') : null
      if (table !== null) expect(description()).toMatchObject({ sizeBytes: table.length, metadata: { table } })
      outcomes.add(table ?? 'none')
      if (signal === null) {
        expect([status, table]).toEqual([0, 'two'])
        break
      }
      // The same call goes on where the killed one ended, without force where no table stands.
      await write('three', table !== null)
      expect([readFileSync(path, 'utf8'), description().metadata.table]).toEqual(['three', 'three'])
      expect(readdirSync(folder).filter((name) => !name.startsWith('.')).sort()).toEqual(['x.csv', 'x.csv.json'])
    }
    expect([...outcomes].sort()).toEqual(stood ? ['none', 'one', 'two'] : ['none', 'two'])
  })
})
