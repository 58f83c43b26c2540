import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/*
 * Notebooks are kept so that their diffs can be read: no outputs, one line of source a line, cells that fit a screen,
 * and nothing that tslab cannot run (docs/guide/notebooks.md).
 */

interface Cell {
  readonly cell_type: string
  readonly id: string
  readonly metadata: object
  readonly source: readonly string[]
  readonly outputs?: readonly unknown[]
  readonly execution_count?: number | null
}

interface Notebook {
  readonly cells: readonly Cell[]
  readonly metadata: { readonly kernelspec: unknown; readonly language_info: unknown }
  readonly nbformat: number
  readonly nbformat_minor: number
}

const CELL_LINES_MAX = 40
/** As wide as the cells of a rendered page. */
const COLUMNS_MAX = 110
const KERNEL = { display_name: 'TypeScript', language: 'typescript', name: 'tslab' }
/** Begins of absolute paths on the systems that people have. */
const ABSOLUTE_PATH = /(^|[\s'"`(])(\/(home|root|Users|tmp|work|mnt|usr|var|opt)\/|[A-Za-z]:\\|~\/|file:\/\/)/

const folder = join(import.meta.dirname, '../../notebooks')

/** The text without its comments and strings, so that rules about code do not read prose. */
function bare(text: string): string {
  return text.replace(/'[^'\n]*'|"[^"\n]*"/g, "''").replace(/\/\/.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '')
}

/** Faults of one code cell in tslab. */
function tslabFaults(text: string): string[] {
  const code = bare(text)
  const faults: string[] = []
  // A statement at the begin of a line is at top level.
  const hasOtherAwait = /(^|[^\w.])await\s+(?!\()\w/m.test(code.replace(/for\s+await/g, ''))
  if (/^for\s+await\b/m.test(code) && !hasOtherAwait) faults.push('a lone for await is no cell in tslab')
  if (/\bawait\s*\(/.test(code.replace(/for\s+await/g, ''))) faults.push('await ( fails in tslab')
  if (/^\s*(await\s+)?using\s+\w/m.test(code)) faults.push('using fails in tslab')
  if (/^export\b/m.test(code)) faults.push('a cell exports nothing')
  return faults
}

/** Faults of a notebook, each with its cell. */
function notebookFaults(text: string): string[] {
  const notebook = JSON.parse(text) as Notebook
  const { cells, metadata, nbformat, nbformat_minor } = notebook
  const faults: string[] = []
  if (text !== `${JSON.stringify(notebook, null, 1)}\n`) faults.push('the JSON is not that of `npm run notebooks -- --clean`')
  if (JSON.stringify(metadata.kernelspec) !== JSON.stringify(KERNEL)) faults.push('the kernel is not tslab')
  if (nbformat !== 4 || nbformat_minor !== 5) faults.push('the format is not 4.5')
  if (new Set(cells.map(({ id }) => id)).size < cells.length) faults.push('two cells have one id')
  if (cells[0]?.cell_type !== 'markdown' || !/^# \d+\. /.test(cells[0].source[0] ?? ''))
    faults.push('the first cell is no heading with the number of the notebook')
  cells.forEach((cell, index) => {
    const source = cell.source.join('')
    const found: string[] = []
    if (cell.cell_type === 'code' && cell.outputs?.length !== 0) found.push('outputs are not stripped')
    if (cell.cell_type === 'code' && cell.execution_count !== null) found.push('the execution count is not stripped')
    if (Object.keys(cell.metadata).length > 0) found.push('cell metadata are not stripped')
    if (cell.source.some((line, at) => line.indexOf('\n') !== (at < cell.source.length - 1 ? line.length - 1 : -1)))
      found.push('a piece of source is not one line')
    if (source.trim() === '') found.push('the cell is empty')
    if (cell.cell_type === 'code' && cell.source.length > CELL_LINES_MAX) found.push(`more than ${CELL_LINES_MAX} lines`)
    if (cell.cell_type === 'code' && cell.source.some((line) => line.trimEnd().length > COLUMNS_MAX)) found.push('a line over 110 columns')
    if (ABSOLUTE_PATH.test(source)) found.push('an absolute path')
    if (cell.cell_type === 'code') found.push(...tslabFaults(source))
    faults.push(...found.map((fault) => `cell ${index + 1} (${cell.id}): ${fault}`))
  })
  return faults
}

const names = readdirSync(folder).filter((name) => name.endsWith('.ipynb')).sort()

describe('the check finds', () => {
  const [first = ''] = names
  const good = JSON.parse(readFileSync(join(folder, first), 'utf8')) as Notebook
  const written = (notebook: unknown): string => `${JSON.stringify(notebook, null, 1)}\n`
  const withCell = (changes: object): string => {
    const at = good.cells.findIndex(({ cell_type }) => cell_type === 'code')
    return written({ ...good, cells: good.cells.map((cell, index) => (index === at ? { ...cell, ...changes } : cell)) })
  }

  test.each([
    ['outputs', withCell({ outputs: [{ output_type: 'stream' }] }), 'outputs are not stripped'],
    ['counts', withCell({ execution_count: 3 }), 'the execution count is not stripped'],
    ['metadata', withCell({ metadata: { collapsed: true } }), 'cell metadata are not stripped'],
    ['a text in one piece', withCell({ source: ['a\nb'] }), 'a piece of source is not one line'],
    ['an empty cell', withCell({ source: [''] }), 'the cell is empty'],
    ['a long cell', withCell({ source: Array.from({ length: 41 }, (_, at) => (at < 40 ? '1\n' : '1')) }), 'more than 40 lines'],
    ['a wide line', withCell({ source: ['1'.repeat(111)] }), 'a line over 110 columns'],
    ['a path of Linux', withCell({ source: ["open('/home/me/day.zst')"] }), 'an absolute path'],
    ['a path of Windows', withCell({ source: ["open('C:\\\\days')"] }), 'an absolute path'],
    ['a lone for await', withCell({ source: ['for await (const a of b) c(a)'] }), 'a lone for await is no cell in tslab'],
    ['await of brackets', withCell({ source: ['const a = await (b ? c : d)'] }), 'await ( fails in tslab'],
    ['an export', withCell({ source: ['export class A {}'] }), 'a cell exports nothing'],
    ['using', withCell({ source: ['await using a = b()'] }), 'using fails in tslab'],
    ['another kernel', written({ ...good, metadata: { ...good.metadata, kernelspec: { name: 'deno' } } }), 'the kernel is not tslab'],
    ['two ids', written({ ...good, cells: good.cells.map((cell) => ({ ...cell, id: 'a' })) }), 'two cells have one id'],
    ['another form of JSON', JSON.stringify(good), 'the JSON is not that of `npm run notebooks -- --clean`'],
    ['no heading', written({ ...good, cells: good.cells.slice(1) }), 'the first cell is no heading with the number of the notebook'],
  ])('%s', (_, text, fault) => {
    expect(notebookFaults(text).map((one) => one.replace(/^cell \d+ \([^)]*\): /, ''))).toContain(fault)
  })
})

describe('notebooks', () => {
  test.each(names)('%s', (name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    expect(notebookFaults(text)).toEqual([])
    expect(name).toMatch(/^\d\d-[a-z-]+\.ipynb$/)
    expect((JSON.parse(text) as Notebook).cells[0]?.source[0]).toMatch(new RegExp(`^# ${Number(name.slice(0, 2))}\\. `))
  })
})
