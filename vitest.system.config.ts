import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { builtSource } from './test/support/built-source.ts'

// Tests that need system software (Python, mounts, signals): run by .ci/run, not by npm test.
export default defineConfig({
  plugins: [builtSource()],
  test: {
    include: ['test/system/*.test.ts'],
    globalSetup: ['test/support/build.setup.ts', 'test/support/cache.setup.ts'],
    env: { BACKTAPE_CACHE: mkdtempSync(join(tmpdir(), 'backtape-test-cache-')) },
    server: { deps: { external: [/\/(dist|lib)\//] } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
