// node scripts/random-programs.mjs ROOT_A ROOT_B [COUNT=10000] [FIRST_SEED=1]: plays random programs (market data,
// venues, strategies, faults, all of one seed) with two builds, and compares every text of theirs: journals, rows of
// tables, summaries. Ends with 1 at the first difference, in words, also where ROOT_B alone resumes to another end.
// Options of both: --assume NAME=VALUE, an assumption of all programs in the builds that know it; --leave-out PATTERN,
// a regular expression of places that are not compared, such as 'summary \d+ assumptions'.
// node scripts/random-programs.mjs --counts ROOT [COUNT=1000] [FIRST_SEED=1]: in how many programs each thing was seen.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

const RUNNER = join(import.meta.dirname, 'random-programs/runner.mjs')
const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    assume: { type: 'string', multiple: true, default: [] },
    'leave-out': { type: 'string', default: '^$' },
    counts: { type: 'boolean', default: false },
  },
})
const assumed = JSON.stringify(Object.fromEntries(values.assume.map((text) => text.split('='))))
const children = []

function started(root, job, first, count) {
  const all = [RUNNER, root, job, String(first), String(count), assumed, values['leave-out']]
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]()
}

/** The lines that a runner prints of one program, each as place and text. */
async function textsOf(root, seed) {
  const texts = []
  const lines = { [Symbol.asyncIterator]: () => started(root, 'show', seed, 1) }
  for await (const line of lines) texts.push(line.split('\t'))
  return texts
}

function shown([place, text] = ['the end', '']) {
  return `  ${place}: ${text.length > 1500 ? `${text.slice(0, 1500)} ...` : text}`
}

/** The first text of a program in which two builds differ, in words. */
async function differenceOf(roots, seed) {
  const [before, after] = await Promise.all(roots.map((root) => textsOf(root, seed)))
  const at = before.findIndex(([place, text], index) => place !== after[index]?.[0] || text !== after[index][1])
  if (at < 0 && after.length === before.length) return '  none when it is played alone: the programs before it count'
  const index = at < 0 ? before.length : at
  return `${roots[0]}\n${shown(before[index])}\n${roots[1]}\n${shown(after[index])}`
}

async function compare(roots, count, first) {
  const [a, b] = roots.map((root) => started(root, 'digests', first, count))
  const sums = { fingerprints: 0, resumed: 0 }
  for (let seed = first; seed < first + count; seed++) {
    const [before, after] = (await Promise.all([a.next(), b.next()])).map(({ value = '' }) => value.split(' '))
    if (before[0] !== String(seed) || after[0] !== String(seed)) return `a runner has ended before seed ${seed}`
    if (before[1] !== after[1]) return `seed ${seed} differs\n${await differenceOf(roots, seed)}`
    if (after[2] === 'DIFFERENT' && before[2] !== 'DIFFERENT')
      return `seed ${seed} is resumed to another end by ${roots[1]}\n${shown((await textsOf(roots[1], seed)).at(-1))}`
    if (before[2] === 'DIFFERENT') sums.resumed++
    if (before[3] !== after[3]) sums.fingerprints++
    if ((seed - first + 1) % 500 === 0) console.log(`${seed - first + 1} programs are the same`)
  }
  const { fingerprints, resumed } = sums
  console.log(
    `${count} programs are the same; ${fingerprints} have other fingerprints; ` +
      `${resumed} ${roots[0]} resumes to another end`,
  )
  return null
}

const isCounting = values.counts
const roots = words.slice(0, isCounting ? 1 : 2)
const [count = isCounting ? 1000 : 10_000, first = 1] = words.slice(roots.length).map(Number)
if (roots.length < (isCounting ? 1 : 2) || !Number.isInteger(count) || !Number.isInteger(first)) {
  console.error('Cannot compare: name two built checkouts, then how many programs and the first seed in digits')
  process.exit(2)
}
let difference = null
if (isCounting) {
  const { value } = await started(roots[0], 'counts', first, count).next()
  for (const [name, seen] of Object.entries(JSON.parse(value))) console.log(String(seen).padStart(6), name)
} else difference = await compare(roots, count, first)
for (const child of children) child.kill()
if (difference !== null) {
  console.log(difference)
  process.exitCode = 1
}
