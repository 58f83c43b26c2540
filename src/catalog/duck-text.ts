/** A text as a literal of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A name as SQL takes it whatever it holds. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A path as DuckDB's patterns of names state it: a bracket, a star and a question mark stand for themselves. */
export function globPath(path: string): string {
  return path.replace(/[[*?]/g, '[$&]')
}

/** {@link globPath} as a literal of SQL. */
export function globLiteral(path: string): string {
  return sqlText(globPath(path))
}

/** DuckDB's own words on an error: its first paragraph in one line, without the lines that point into the statement. */
export function reasonText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const [words = ''] = message.replace('Failed to extract statements: ', '').split(/\n\s*\nLINE \d+:|\nLINE \d+:|\n\n/)
  return words.split('\n').map((line) => line.trim()).filter((line) => line !== '').join('; ')
}
