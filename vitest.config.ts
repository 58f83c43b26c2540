import { defineConfig } from 'vitest/config'
import { builtSource } from './test/support/built-source.ts'

export default defineConfig({
  plugins: [builtSource()],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/system/**', 'node_modules/**'],
    globalSetup: ['test/support/build.setup.ts'],
    server: { deps: { external: [/\/dist\//] } },
    testTimeout: 30_000,
    // The default leaves one core idle, half of a machine with two.
    maxWorkers: '100%',
    passWithNoTests: true,
    // Runs of tests leave no records beside their run files.
    env: { CI: 'true' },
  },
})
