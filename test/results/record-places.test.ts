import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recordPlaces } from '../../src/results/record-places-reader.js'

let top = ''
beforeEach(() => { top = realpathSync(mkdtempSync(join(tmpdir(), 'places-'))) })
afterEach(() => { rmSync(top, { recursive: true }) })

/** Folders with records, and the projects among others. */
function make(recorded: readonly string[], projects: readonly string[], others: readonly string[] = []): void {
  for (const one of others) mkdirSync(join(top, one), { recursive: true })
  for (const one of recorded) mkdirSync(join(top, one, '.backtape/runs'), { recursive: true })
  for (const one of projects) {
    mkdirSync(join(top, one), { recursive: true })
    writeFileSync(join(top, one, 'package.json'), '{}')
  }
}

describe('records of runs are found', () => {
  test.each<[name: string, recorded: string[], projects: string[], from: string, found: string[]]>([
    ['in the folder itself', ['.'], [], '.', ['.']],
    ['below the folder of a project, as init lays it out', ['p/strategies'], ['p'], 'p', ['p/strategies']],
    ['from a folder beside them in the project', ['p/strategies'], ['p'], 'p/notebooks', ['p/strategies']],
    ['in all folders below, the upper ones first', ['p', 'p/a', 'p/a/b', 'p/c'], ['p'], 'p', ['p', 'p/a', 'p/c', 'p/a/b']],
    ['in the nearest folder above, without a project', ['.', 'a'], [], 'a/b/c', ['a']],
    ['below before above', ['.', 'a/b'], [], 'a', ['a/b']],
    ['no higher than the project', ['.', 'q'], ['p'], 'p/src', []],
    ['not in packages or hidden folders', ['p/node_modules/x', 'p/.cache/y'], ['p'], 'p', []],
    ['not deeper than four folders', ['a/b/c/d/e'], [], '.', []],
    ['nowhere', [], ['p'], 'p', []],
  ])('%s', async (_name, recorded, projects, from, found) => {
    make(recorded, projects, [from])
    expect(await recordPlaces(join(top, from))).toEqual(found.map((one) => join(top, one)))
  })
})
