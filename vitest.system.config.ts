import { defineConfig } from 'vitest/config'
import { builtSource } from './test/support/built-source.ts'
import { isNight } from './test/support/repetitions.ts'

// Tests that need system software (Python, mounts, signals): run by .ci/run, not by npm test.
export default defineConfig({
  plugins: [builtSource()],
  test: {
    // Those of the night take minutes.
    include: ['test/system/*.test.ts', ...(isNight ? ['test/nightly/*.test.ts'] : [])],
    globalSetup: ['test/support/build.setup.ts', 'test/support/temporary.setup.ts'],
    setupFiles: ['test/support/emptied-folder.ts'],
    env: { CI: 'true' },
    server: { deps: { external: [/\/(dist|lib)\//] } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
