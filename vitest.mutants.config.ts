import { defineConfig } from 'vitest/config'
import { builtSource } from './test/support/built-source.ts'

// Tests that npm run mutants holds against mutants of dist/: quick ones, and no build before them, which would undo the mutation.
export default defineConfig({
  plugins: [builtSource()],
  test: {
    include: ['test/exchange/**/*.test.ts', 'test/book/**/*.test.ts', 'test/strategy/**/*.test.ts'],
    exclude: ['test/exchange/conformance.test.ts', 'test/strategy/parameter-fields.test.ts'],
    server: { deps: { external: [/\/dist\//] } },
    testTimeout: 20_000,
  },
})
