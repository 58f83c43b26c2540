// What our tests use of vitest, without its workers: tests are collected here and called by mutant-runner.mjs in its
// own process, so that a mutant costs the tests that reach it and nothing else.
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend, addCustomEqualityTesters, chai } from '@vitest/expect'
import fastCheck from 'fast-check'

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin)

export const expect = Object.assign((value, message) => chai.expect(value, message), chai.expect, {
  addEqualityTesters: addCustomEqualityTesters,
})

const RUNS = Number(process.env.BACKTAPE_PROPERTY_RUNS)

/**
 * fast-check: the same examples for every mutant, few of them; a counterexample is enough, as nobody reads the smallest
 * one.
 */
export const fc = {
  ...fastCheck,
  assert: (property, parameters) =>
    fastCheck.assert(property, {
      ...parameters, seed: 1, endOnFailure: true, numRuns: Math.min(RUNS, parameters?.numRuns ?? RUNS),
    }),
}

/** Every test collected so far: its words, its function, what goes before it, and what behind it. */
export const collected = []
const suites = []
let isSkipping = false

/** `%s` and `$field` in the title of a table, well enough to tell rows apart; the number makes sure. */
function titled(title, row, number) {
  const values = Array.isArray(row) ? [...row] : [row]
  return `${title.replace(/%[sdij]/g, () => String(values.shift()))} [${number}]`
}

function add(title, body) {
  if (isSkipping) return
  const [before, after] = [suites.flatMap((suite) => suite.before), suites.flatMap((suite) => suite.after)]
  collected.push({ title: suites.slice(1).map((suite) => `${suite.title} > `).join('') + title, body, before, after })
}

/** The function of a test or suite, whose options go before or behind it. */
const bodyOf = (rest) => rest.find((part) => typeof part === 'function')

function table(take) {
  return (rows) => (title, ...rest) => {
    const body = bodyOf(rest)
    for (const [number, row] of [...rows].entries())
      take(titled(title, row, number), () => (Array.isArray(row) ? body(...row) : body(row)))
  }
}

/** Collects nothing of what is skipped. */
function skipping(take) {
  return (isSkipped) => (title, ...rest) => {
    const outer = isSkipping
    isSkipping ||= isSkipped
    take(title, bodyOf(rest))
    isSkipping = outer
  }
}

export function test(title, ...rest) {
  add(title, bodyOf(rest))
}
test.each = table(add)
test.skipIf = skipping(add)
export const it = test

export function describe(title, ...rest) {
  suites.push({ title, before: [], after: [] })
  bodyOf(rest)()
  suites.pop()
}
describe.each = table(describe)
describe.skipIf = skipping(describe)

/** Collects a file; its own hooks are those of a suite around it. */
export async function collectFile(load) {
  suites.push({ title: '', before: [], after: [] })
  await load()
  suites.pop()
}

export function beforeAll(body) {
  let done = null
  suites.at(-1).before.push(() => (done ??= Promise.resolve(body())))
}

export function beforeEach(body) {
  suites.at(-1).before.push(body)
}

export function afterEach(body) {
  suites.at(-1).after.push(body)
}

/** Nothing: files are open to the end of the process. */
export function afterAll() {}
