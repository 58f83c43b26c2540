import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from './shared-data.ts'

/** A section of an interface document: its own text, and its tables as rows of cells without their heads. */
export interface SpecSection {
  readonly text: string
  readonly tables: readonly (readonly (readonly string[])[])[]
}

/** The sections of a document in ../shared/spec by their headings: `Errors`, `Quote response`. */
export function specSections(file: string): ReadonlyMap<string, SpecSection> {
  const parts = readFileSync(join(sharedFolder, 'spec', file), 'utf8').split(/^#{1,6} /m).slice(1)
  return new Map(parts.map((part) => {
    const end = part.indexOf('\n')
    const text = part.slice(end + 1)
    return [part.slice(0, end).trim(), { text, tables: tablesOf(text) }]
  }))
}

function tablesOf(text: string): string[][][] {
  const blocks = text.split(/\n\s*\n/).map((block) => block.trim()).filter((block) => block.startsWith('|'))
  return blocks.map((block) => block.split('\n').slice(2)
    .map((line) => line.replace(/^\|\s*|\s*\|$/g, '').split(/\s*\|\s*/)))
}
