import { BacktapeError } from '../model/error.js'

/** The ending of a page. */
export const PAGE_NAME: RegExp = /\.html?$/i

/** Where `report.json` of a page lies: beside it, by its name. Throws OPTION_INVALID for a name that is no page's. */
export function reportDataPath(path: string): string {
  if (/[^\\/]\.html?$/i.test(path)) return path.replace(PAGE_NAME, '.json')
  const sentence = `Cannot write the report to ${path}: the name must end in .html`
  throw new BacktapeError('OPTION_INVALID', sentence, { file: path, field: 'report', expected: '.html', found: path })
}
