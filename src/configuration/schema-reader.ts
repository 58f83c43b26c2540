import { readFile } from 'node:fs/promises'
import type { SchemaPart } from './schema-check.js'

/** Reads a schema of `schemas/`, with every definition in its place. */
export async function readSchema(name: string): Promise<SchemaPart> {
  const url = new URL(`../../schemas/${name}.schema.json`, import.meta.url)
  const root = JSON.parse(await readFile(url, 'utf8')) as SchemaPart
  return withDefinitions(root, root['definitions'] as Readonly<Record<string, SchemaPart>>) as SchemaPart
}

function withDefinitions(part: unknown, definitions: Readonly<Record<string, SchemaPart>>): unknown {
  if (Array.isArray(part)) return part.map((one: unknown) => withDefinitions(one, definitions))
  if (typeof part !== 'object' || part === null) return part
  const { $ref, definitions: _, ...own } = part as SchemaPart
  const named = typeof $ref === 'string' ? definitions[$ref.replace('#/definitions/', '')] : {}
  const entries = Object.entries({ ...named, ...own })
  return Object.fromEntries(entries.map(([key, value]) => [key, withDefinitions(value, definitions)]))
}
