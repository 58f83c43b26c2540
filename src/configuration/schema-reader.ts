import { readFile } from 'node:fs/promises'
import type { ValidateFunction } from 'ajv'

/** A published schema: as it stands, and compiled. */
export interface Schema<Content> {
  readonly root: object
  readonly validate: ValidateFunction<Content>
}

/** Reads and compiles a schema of `schemas/`; ajv is loaded with it, as most users never need it. */
export async function readSchema<Content>(name: string): Promise<Schema<Content>> {
  const { Ajv } = await import('ajv')
  const root = JSON.parse(
    await readFile(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8'),
  ) as object
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: true, strictRequired: false, allowUnionTypes: true })
  return { root, validate: ajv.compile<Content>(root) }
}
