import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

let own: string | undefined
const temporary = () => join(own!, 'tmp')

/** Tests have a temporary folder and a folder for caches of their own, which go with them. */
export function setup({ config }: TestProject): void {
  own = mkdtempSync(join(tmpdir(), 'backtape-test-'))
  mkdirSync(temporary())
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) config.env[name] = temporary()
  config.env['BACKTAPE_CACHE'] = join(own, 'cache')
  // Node 22 and newer keep compiled modules.
  config.env['NODE_COMPILE_CACHE'] = join(own, 'compiled')
}

/** Removes what is left in the temporary folder, and fails the run then: {@link file://./emptied-folder.ts} says whose it was. */
export function teardown(): void {
  // A file whose tests were all left out (`-t`) has had its folder, and no hook that removes it.
  const left = readdirSync(temporary(), { recursive: true }).map(String)
    .filter((name) => !/^t\w{6}$/.test(name))
  rmSync(own!, { recursive: true, force: true })
  if (left.length === 0) return
  console.error(`FAILED: tests left in the temporary folder: ${left.join(', ')}`)
  // An error here would be printed, and the run would pass.
  process.exitCode = 1
}
