import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { builtSource } from './test/support/built-source.ts'
import { timeLimitMs } from './test/support/time-limit.ts'

/** Properties have fewer cases by day than by night: tests get fast-check through a file that counts them. */
const manyCases = resolve(import.meta.dirname, 'test/support/many-cases.ts')
const caseCounter = {
  name: 'many-cases',
  enforce: 'pre' as const,
  resolveId: (id: string, importer: string | undefined) =>
    id === 'fast-check' && importer !== undefined && importer !== manyCases ? manyCases : undefined,
}

/** TypeScript is required: an import looks for exports in its nine megabytes first, half a second of processor time. */
const REQUIRED = '\0required:'
const requiredCompilers = {
  name: 'required-compilers',
  enforce: 'pre' as const,
  resolveId: (id: string) => (id === 'typescript' || id === 'typescript-5.0' ? `${REQUIRED}${id}` : undefined),
  load: (id: string) => (id.startsWith(REQUIRED)
    ? `import { createRequire } from 'node:module'\nexport default createRequire(${JSON.stringify(import.meta.url)})('${id.slice(REQUIRED.length)}')`
    : undefined),
}

export default defineConfig({
  plugins: [builtSource(), caseCounter, requiredCompilers],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/system/**', 'test/nightly/**', 'node_modules/**'],
    setupFiles: ['test/support/shipped-threads.ts', 'test/support/equal-texts.ts', 'test/support/emptied-folder.ts'],
    globalSetup: ['test/support/build.setup.ts', 'test/support/temporary.setup.ts'],
    server: { deps: { external: [/\/(dist|lib)\//] } },
    // Only what hangs is ended: a slow machine must not fail a test.
    testTimeout: timeLimitMs(180_000),
    hookTimeout: timeLimitMs(180_000),
    // The default leaves one core idle, half of a machine with two.
    maxWorkers: '100%',
    passWithNoTests: true,
    // Modules are loaded once a worker: a third of the time of a test file is loading them anew.
    isolate: false,
    // Runs of tests leave no records beside their run files.
    env: { CI: 'true' },
  },
})
