// Compiles the schemas that run files, options, servers and profiles are compared with, so that no command does it: for
// each a module dist/configuration/NAME.check.js. Run by scripts/build.mjs when dist/ has its modules.
import { join } from 'node:path'
import { Ajv, _ } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'
import { CHECKED_SCHEMAS } from '../dist/configuration/run-check.js'
import { root } from './project.mjs'

/** The code of a schema's check; what its own keywords test is asked of `this` (`compiledCheck`). */
function checkCode(schema) {
  const ajv = new Ajv({
    allErrors: true, verbose: true, strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true,
    // The schemas are our own: a test checks them against the draft.
    meta: false, validateSchema: false, passContext: true, code: { source: true, esm: true },
  })
  ajv.addKeyword({
    keyword: 'x-meaning', type: 'string', code: (test) => test.fail(_`!this.meaning(${test.schema}, ${test.data})`),
  })
  ajv.addKeyword({ keyword: 'x-program', code: (test) => test.fail(_`!this.form(${test.schema}, ${test.data})`) })
  return standalone.default(ajv, ajv.compile(schema))
}

for (const [name, schemaOf] of Object.entries(CHECKED_SCHEMAS)) {
  await build({
    stdin: { contents: checkCode(await schemaOf()), resolveDir: root }, bundle: true, format: 'esm', platform: 'node',
    target: 'node20.19', charset: 'utf8', logLevel: 'warning',
    outfile: join(root, `dist/configuration/${name}.check.js`),
  })
}
