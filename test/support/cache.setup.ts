import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'

let folder: string | undefined

/** Tests have a folder for caches of their own, which goes with them. */
export function setup({ config }: TestProject): void {
  folder = config.env['BACKTAPE_CACHE']
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
