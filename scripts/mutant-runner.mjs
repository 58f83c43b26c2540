// StrykerJS's side of npm run mutants: a test runner that plays our quick tests in one process and switches mutants by
// a variable, a checker that picks the sample and leaves out what an earlier run has judged, and a reporter that writes
// every verdict down at once.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import esbuild from 'esbuild'
import { collected, collectFile } from './plain-vitest.mjs'

const settings = JSON.parse(process.env.BACKTAPE_MUTANTS ?? '{}')

/** The place that the instrumented files look at. */
const state = (globalThis.__stryker__ ??= {})

/** A mutant's name over runs: the file's content, where it is and what it says. Lines count from 1. */
function mutantKey({ fileName, location: { start, end }, mutatorName, replacement }, firstLine) {
  const file = relative(process.cwd(), resolve(fileName)).split(sep).join('/').replace(/^.*?dist\//, 'dist/')
  const place = [start, end].map(({ line, column }) => `${line + 1 - firstLine}:${column + 1 - firstLine}`).join('-')
  return {
    file, hash: settings.hashes[file], place,
    key: `${file} ${settings.hashes[file]} ${place} ${mutatorName} ${replacement}`,
  }
}

/**
 * Builds test files to modules that load the sandbox's dist/ and the plain vitest; other packages stay where they are.
 */
async function buildTests(home, files, out) {
  const source = join(home, 'src') + sep
  await esbuild.build({
    entryPoints: files.map((file) => join(home, file)),
    outdir: out,
    outbase: home,
    bundle: true,
    keepNames: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
    outExtension: { '.js': '.ts.mjs' },
    plugins: [{
      name: 'plain-tests',
      setup(build) {
        const path = new URL('plain-vitest.mjs', import.meta.url).href
        build.onResolve({ filter: /^vitest$/ }, () => ({ path, external: true }))
        build.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
          const file = resolve(resolveDir, path)
          if (!file.startsWith(source)) return undefined
          return { path: pathToFileURL(join(home, 'dist', file.slice(source.length))).href, external: true }
        })
        build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
          const words = { dirname: dirname(path), filename: path, url: pathToFileURL(path).href }
          const text = readFileSync(path, 'utf8').replace("import fc from 'fast-check'", "import { fc } from 'vitest'")
          const contents = text.replace(
            /import\.meta\.(dirname|filename|url)/g, (_all, word) => JSON.stringify(words[word]),
          )
          return { loader: 'ts', contents }
        })
      },
    }],
  })
}

/** Teaches `expect` to compare, before all tests. */
const SETUP = 'test/support/equal-texts.ts'

/** Where the first play leaves how long every test takes, for processes that start later. */
const TIMES = '.plain-tests/times.json'

class PlainRunner {
  static inject = []
  #tests = []
  /**
   * A killed mutant may leave something behind that fails tests by itself: then another process has to judge the next
   * one.
   */
  #isSpoilt = false
  #isFresh = true

  /**
   * Modules are loaded before a mutant is switched on: one that runs while they load too needs no process of its own.
   */
  capabilities() {
    return { reloadEnvironment: true }
  }

  async init() {
    const home = process.cwd()
    const out = join(home, '.plain-tests')
    await buildTests(home, [SETUP, ...settings.tests], out)
    await import(pathToFileURL(join(out, `${SETUP}.mjs`)).href)
    // Mutants run into promises that nobody waits for; the test that matters fails by itself.
    process.on('unhandledRejection', () => undefined)
    for (const file of settings.tests) {
      const from = collected.length
      await collectFile(() => import(pathToFileURL(join(out, `${file}.mjs`)).href))
      for (const [at, test] of collected.slice(from).entries())
        this.#tests.push({ ...test, id: `${file} ${at} ${test.title}`, file, timeMs: 0 })
    }
    if (!existsSync(TIMES)) return
    const times = new Map(JSON.parse(readFileSync(TIMES, 'utf8')))
    this.#tests = this.#tests.filter(({ id }) => times.has(id))
    for (const test of this.#tests) test.timeMs = times.get(test.id)
  }

  async dryRun() {
    const results = []
    const failing = new Set()
    for (const test of this.#tests) {
      state.currentTestId = test.id
      const from = performance.now()
      const failure = await failureOf(test)
      test.timeMs = performance.now() - from
      if (failure === null) {
        const { id, file, title, timeMs } = test
        results.push({ id, name: `${file} ${title}`, timeSpentMs: Math.round(timeMs), status: 0 })
      } else {
        // Some ask for more cases of a property than are drawn here.
        console.error(`Left out, as it fails before any mutant: ${test.id}: ${failure}`)
        failing.add(test)
      }
    }
    this.#tests = this.#tests.filter((test) => !failing.has(test))
    state.currentTestId = undefined
    writeFileSync(TIMES, JSON.stringify(this.#tests.map(({ id, timeMs }) => [id, timeMs])))
    if (settings.times)
      for (const { id, timeMs } of [...this.#tests].sort((a, b) => b.timeMs - a.timeMs).slice(0, 25))
        console.error(`${timeMs.toFixed(0).padStart(6)} ms ${id}`)
    return { status: 'complete', tests: results, mutantCoverage: state.mutantCoverage ?? { static: {}, perTest: {} } }
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    if (Date.now() > settings.until) return { status: 'error', errorMessage: 'no time left' }
    // Stryker starts another process and asks again.
    if (this.#isSpoilt) process.exit(1)
    const wanted = testFilter === undefined ? null : new Set(testFilter)
    const tests = this.#tests.filter(({ id }) => wanted === null || wanted.has(id)).sort((a, b) => a.timeMs - b.timeMs)
    Object.assign(state, { activeMutant: activeMutant.id, hitCount: 0, hitLimit, currentTestId: undefined })
    for (const [at, test] of tests.entries()) {
      const failure = await failureOf(test)
      if (hitLimit !== undefined && state.hitCount > hitLimit) return { status: 'timeout', reason: 'an endless loop' }
      if (failure === null) continue
      state.activeMutant = undefined
      this.#isSpoilt = await failureOf(test) !== null
      if (this.#isSpoilt && !this.#isFresh) process.exit(1)
      this.#isFresh = false
      return { status: 'killed', killedBy: [test.id], failureMessage: failure, nrOfTests: at + 1 }
    }
    this.#isFresh = false
    return { status: 'survived', nrOfTests: tests.length }
  }
}

async function failureOf({ before, body, after }) {
  const words = (error) => (error instanceof Error ? error.message.slice(0, 300) : String(error))
  let failure = null
  try {
    for (const hook of before) await hook()
    await body()
  } catch (error) {
    failure = words(error)
  }
  try {
    for (const hook of after) await hook()
  } catch (error) {
    failure ??= words(error)
  }
  return failure
}

const ALIVE = new Set(['Survived', 'NoCoverage'])

/** Of what an earlier run judged, and of what the sample leaves out, it says that it does not count. */
class SampleChecker {
  static inject = []
  #verdicts = new Map()

  async init() {
    if (!existsSync(settings.log)) return
    for (const line of readFileSync(settings.log, 'utf8').split('\n')) {
      if (line === '') continue
      const { key, status, suite } = JSON.parse(line)
      this.#verdicts.set(key, { status, suite })
    }
  }

  async check(mutants) {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.#judged(mutantKey(mutant, 0))]))
  }

  #judged({ file, place, key }) {
    const before = this.#verdicts.get(key)
    const isWanted =
      before === undefined || (settings.again && ALIVE.has(before.status) && before.suite !== settings.name)
    const isMeant = createHash('sha256').update(`${file} ${place}`).digest().readUInt32BE(0) % settings.sample === 0
    return isWanted && isMeant
      ? { status: 'passed' }
      : { status: 'compileError', reason: isMeant ? 'judged before' : 'not in the sample' }
  }
}

/** Results that are no verdict: left out, static, no time left. */
const COUNTED = new Set(['Killed', 'Timeout', 'Survived', 'NoCoverage'])

class LogReporter {
  static inject = []

  onMutantTested(result) {
    const {
      location: {
        start: { line, column },
      },
      mutatorName,
      replacement,
      status,
      statusReason,
      killedBy,
      coveredBy,
    } = result
    if (!COUNTED.has(status)) return
    const { file, hash, place, key } = mutantKey(result, 1)
    const base = { key, file, hash, place, line, column, mutatorName, replacement, status, suite: settings.name }
    const verdict = { ...base, tests: coveredBy?.length ?? 0, by: killedBy?.[0], reason: statusReason?.slice(0, 200) }
    appendFileSync(settings.log, `${JSON.stringify(verdict)}\n`)
  }
}

export const strykerPlugins = [
  { kind: 'TestRunner', name: 'plain', injectableClass: PlainRunner },
  { kind: 'Checker', name: 'sample', injectableClass: SampleChecker },
  { kind: 'Reporter', name: 'log', injectableClass: LogReporter },
]
