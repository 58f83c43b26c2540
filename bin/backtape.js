#!/usr/bin/env node
import { existsSync } from 'node:fs'
import module from 'node:module'

// Node 22.8 and newer keep compiled modules: where NODE_COMPILE_CACHE says, else beside the temporary files.
module.enableCompileCache?.()
const main = new URL('../lib/chunks/main.js', import.meta.url)
if (existsSync(main)) {
  const cli = await import(main.href)
  process.exitCode = await cli.main(process.argv.slice(2))
} else {
  console.error('Cannot run backtape: it is not built yet; run `npm start` in its folder once.')
  process.exitCode = 2
}
