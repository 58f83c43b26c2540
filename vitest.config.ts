import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { builtSource } from './test/support/built-source.ts'

/** Properties of more cases: tests get fast-check through a file that multiplies them. */
const times = Number(process.env['BACKTAPE_PROPERTY_TIMES'] ?? 1)
const manyCases = resolve(import.meta.dirname, 'test/support/many-cases.ts')
const caseMultiplier = {
  name: 'many-cases',
  enforce: 'pre' as const,
  resolveId: (id: string, importer: string | undefined) =>
    id === 'fast-check' && importer !== undefined && importer !== manyCases ? manyCases : undefined,
}

export default defineConfig({
  plugins: [builtSource(), ...(times === 1 ? [] : [caseMultiplier])],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/system/**', 'node_modules/**'],
    setupFiles: ['test/support/equal-texts.ts'],
    globalSetup: ['test/support/build.setup.ts', 'test/support/cache.setup.ts'],
    server: { deps: { external: [/\/(dist|lib)\//] } },
    // Only what hangs is ended: a slow machine must not fail a test.
    testTimeout: 180_000 * Math.max(times, 1),
    hookTimeout: 180_000 * Math.max(times, 1),
    // The default leaves one core idle, half of a machine with two.
    maxWorkers: '100%',
    passWithNoTests: true,
    // Modules are loaded once a worker: a third of the time of a test file is loading them anew.
    isolate: false,
    // Runs of tests leave no records beside their run files, and nothing in the user's folder for caches.
    env: { CI: 'true', BACKTAPE_CACHE: mkdtempSync(join(tmpdir(), 'backtape-test-cache-')) },
  },
})
