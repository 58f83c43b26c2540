import { describe, expect, it } from 'vitest'
import {
  chooseOutput, formatOfName, type OutputRequest, EXPORT_FORMATS, type ExportFormat,
} from '../../src/tables/output-format.js'

const FILE: OutputRequest<ExportFormat> = { option: 'out', path: undefined, isFolder: false, formats: EXPORT_FORMATS, fallback: 'csv', writes: 'file' }
const FOLDER: OutputRequest<ExportFormat | 'shop'> = { ...FILE, formats: [...EXPORT_FORMATS, 'shop'], fallback: 'parquet', writes: 'folder' }
const JOURNAL: OutputRequest<ExportFormat> = {
  ...FILE, option: 'journal', formats: ['jsonl', 'jsonl.gz'], fallback: 'jsonl', standardOutput: { refusedBecause: 'the summary goes there' },
}

type Row = readonly [base: OutputRequest<string>, change: { path?: string; to?: string; isFolder?: boolean }, place: string, path: string, format: string]

const CHOSEN: readonly Row[] = [
  [FILE, {}, 'standard output', '', 'csv'],
  [FILE, { to: 'parquet' }, 'standard output', '', 'parquet'],
  [FILE, { path: '-' }, 'standard output', '', 'csv'],
  [FILE, { path: '-', to: 'jsonl' }, 'standard output', '', 'jsonl'],
  ...EXPORT_FORMATS.map((format): Row => [FILE, { path: `days/x.${format}` }, 'file', `days/x.${format}`, format]),
  [FILE, { path: 'X.CSV.GZ' }, 'file', 'X.CSV.GZ', 'csv.gz'],
  [FILE, { path: 'x.csv.parquet' }, 'file', 'x.csv.parquet', 'parquet'],
  [FILE, { path: 'x.csv', to: 'parquet' }, 'file', 'x.csv', 'parquet'],
  [FILE, { path: 'x', to: 'arrow' }, 'file', 'x', 'arrow'],
  [FILE, { path: 'x.xls', to: 'arrow-stream' }, 'file', 'x.xls', 'arrows'],
  [FILE, { path: 'out/' }, 'folder', 'out/', 'csv'],
  [FILE, { path: 'x.parquet', isFolder: true }, 'folder', 'x.parquet', 'csv'],
  [FILE, { path: 'out', isFolder: true, to: 'jsonl.gz' }, 'folder', 'out', 'jsonl.gz'],
  [FOLDER, {}, 'folder', '.', 'parquet'],
  [FOLDER, { path: 'archive' }, 'folder', 'archive', 'parquet'],
  [FOLDER, { path: 'archive.v2', to: 'shop' }, 'folder', 'archive.v2', 'shop'],
  [FOLDER, { path: 'archive.csv/' }, 'folder', 'archive.csv/', 'parquet'],
  [FOLDER, { path: 'archive.csv', isFolder: true }, 'folder', 'archive.csv', 'parquet'],
  [JOURNAL, { path: 'maker.jsonl' }, 'file', 'maker.jsonl', 'jsonl'],
  [JOURNAL, { path: 'maker.JSONL.gz' }, 'file', 'maker.JSONL.gz', 'jsonl.gz'],
]

type Refused = readonly [base: OutputRequest<string>, change: { path?: string; to?: string; isFolder?: boolean }, ...words: string[]]

const REFUSED: readonly Refused[] = [
  [FILE, { path: 'grid.xls' }, 'Cannot use --out', '.parquet, .arrows, .arrow, .csv.gz, .csv, .jsonl.gz, .jsonl, .json', 'or - for standard output', '"grid.xls"'],
  [FILE, { path: 'grid' }, '.parquet', '"grid"'],
  [FILE, { path: 'csv' }, '"csv"'],
  [FILE, { path: '.gz' }, '".gz"'],
  [FILE, { path: 'x.csv.zst' }, '"x.csv.zst"'],
  [FILE, { path: 'x.csv', to: 'parqet' }, 'Cannot use --to', 'one of parquet', '"parqet"'],
  [FILE, { path: 'x.csv', to: 'shop' }, 'Cannot use --to', '"shop"'],
  [{ ...FILE, formats: ['csv', 'parquet'] }, { path: 'x.json' }, '.parquet, .csv, a folder', '"x.json"'],
  [{ ...FILE, formats: ['csv', 'parquet'] }, { to: 'arrow' }, 'one of csv, parquet', '"arrow"'],
  [FOLDER, { path: '-' }, 'a folder', 'several files do not fit into standard output'],
  [FOLDER, { path: 'x.parquet' }, 'a folder', '--to parquet', '"x.parquet"'],
  [FOLDER, { path: 'x.csv', to: 'parquet' }, 'a folder', '"x.csv"'],
  [JOURNAL, { path: '-' }, 'Cannot use --journal', 'the summary goes there'],
  [JOURNAL, { path: 'maker.json' }, 'a name ending in .jsonl.gz, .jsonl', '"maker.json"'],
  [JOURNAL, { path: 'maker.csv' }, '"maker.csv"'],
  [JOURNAL, { path: 'maker' }, '"maker"'],
]

describe('the format of an output', () => {
  it.each(CHOSEN)('%#', (base, change, place, path, format) => {
    expect(chooseOutput({ ...base, ...change })).toEqual({ place, path, format })
  })

  it.each(REFUSED.map((row) => ({ row })))('is refused %#', ({ row: [base, change, ...words] }) => {
    const refused = (): unknown => chooseOutput({ ...base, ...change })
    for (const word of words) expect(refused).toThrow(word)
    expect(refused).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
  })

  it('is known from a name, whatever stands before the ending', () => {
    expect(['a.b.csv', 'a.tar.gz', 'a.jsonl.GZ', 'arrow', ''].map(formatOfName)).toEqual(['csv', null, 'jsonl.gz', null, null])
  })
})
