// runner.mjs ROOT digests FIRST COUNT: plays programs with a build; prints `SEED DIGEST RESUMED FINGERPRINTS` each.
// FIRST may be several, with commas between them: so many programs from each on.
// runner.mjs ROOT counts FIRST COUNT: prints as JSON in how many programs each thing was seen.
// runner.mjs ROOT show SEED 1: prints every text of one program, each with its place before a tab.
// Behind these ASSUMPTIONS, JSON of those that all programs have, and PATTERN, of places that are left out.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, knownAssumptions } from './build.mjs'
import { programOf } from './program.mjs'
import { seenIn } from './seen.mjs'
import { CLASSES } from './strategies.mjs'

const [, job, first, count = '1', assumed = '{}', leftOut = '^$'] = process.argv.slice(2)
const isLeftOut = new RegExp(leftOut)
const folder = mkdtempSync(join(tmpdir(), 'random-programs-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const TABLES = ['fills', 'orders', 'equity', 'roundTrips', 'hours', 'days']
const jsonText = (value) => JSON.stringify(value, (_key, own) => (typeof own === 'bigint' ? String(own) : own))

/** The options of a program for this build; several days are files, as bytes alone have no day. */
function optionsOf({ files, options, strategy, entries }) {
  const isNamed = files.some(({ name }) => name.includes('2026-07-02'))
  const data = files.map(({ name, bytes }) => {
    if (!isNamed) return bytes
    const path = join(folder, name)
    writeFileSync(path, bytes)
    return path
  })
  const classesOfRun =
    entries === null
      ? { strategy: CLASSES[strategy] }
      : { strategies: entries.map((entry) => ({ ...entry, strategy: CLASSES[entry.strategy] })) }
  const assumptions = knownAssumptions({ ...options.assumptions, ...JSON.parse(assumed) })
  return { ...options, ...classesOfRun, assumptions, data, ...(isNamed ? {} : { day: '2026-07-01' }) }
}

/** Plays once: results, and the lines of each journal. What a run throws is a text of it. */
async function played(options, more = {}) {
  const journals = []
  try {
    const results = await build.runBacktest({
      ...options,
      ...more,
      journal: (number) => ({ write: (line) => void (journals[number] ??= []).push(line) }),
    })
    return { journals, results, thrown: null }
  } catch (error) {
    return { journals, results: [], thrown: error }
  }
}

/** Every text of a run with its place: journals, rows of tables, summaries. */
function textsOf({ journals, results, thrown }) {
  const texts = []
  for (const [number, lines] of journals.entries())
    for (const [at, line] of (lines ?? []).entries()) texts.push([`journal ${number} line ${at}`, line])
  const all = [...texts, ...tablesOf(results), ...(thrown === null ? [] : [['thrown', String(thrown.message)]])]
  return all.filter(([place]) => !isLeftOut.test(place))
}

function tablesOf(results) {
  const texts = []
  for (const [number, result] of results.entries()) {
    for (const name of TABLES)
      for (const [at, row] of [...result[name].rows].entries())
        texts.push([`${name} ${number} row ${at}`, jsonText(row)])
    for (const [key, value] of Object.entries(result.summary)) texts.push([`summary ${number} ${key}`, jsonText(value)])
  }
  return texts
}

const joined = (texts) => texts.map(([place, text]) => `${place}\t${text}\n`).join('')

/** The first text in which a run in two parts differs from the whole; null where none does. */
async function resumed(program, options, whole) {
  let checkpoint = null
  const take = (taken) => {
    checkpoint = JSON.stringify(taken)
    return false
  }
  const before = await played(options, { checkpoints: { everySteps: program.cut, take } })
  if (checkpoint === null) return { isTaken: false, difference: null }
  const after = await played(options, { resume: JSON.parse(checkpoint) })
  // Behind its checkpoint the first part has the lines of its end.
  const parts = {
    ...after,
    journals: whole.journals.map((_, number) => {
      const later = after.journals[number] ?? []
      return [
        ...(before.journals[number] ?? []).slice(0, later.length === 0 ? undefined : JSON.parse(later[0]).seq),
        ...later,
      ]
    }),
  }
  const [wanted, found] = [textsOf(whole), textsOf(parts)]
  const at = wanted.findIndex(([place, text], index) => place !== found[index]?.[0] || text !== found[index][1])
  const difference =
    at < 0
      ? null
      : `after ${program.cut} steps: ${wanted[at].join(': ')} became ${(found[at] ?? ['nothing']).join(': ')}`
  return { isTaken: true, difference }
}

/** Everything of one program. */
async function outcomeOf(seed) {
  const program = programOf(seed)
  mkdirSync(folder, { recursive: true })
  const options = optionsOf(program)
  const whole = await played(options)
  const texts = textsOf(whole)
  const again = program.cut === null || whole.thrown !== null ? null : await resumed(program, options, whole)
  return { program, whole, texts, again, prints: whole.results.map(({ fingerprint }) => fingerprint).join() }
}

if (job === 'show') {
  const { texts, again } = await outcomeOf(Number(first))
  process.stdout.write(`${joined(texts)}resumed\t${again?.difference ?? 'the same'}\n`)
} else {
  const sums = new Map()
  const seeds = first.split(',').flatMap((one) => Array.from({ length: Number(count) }, (_, at) => Number(one) + at))
  for (const seed of seeds) {
    const outcome = await outcomeOf(seed)
    if (job === 'counts') for (const name of seenIn(outcome)) sums.set(name, (sums.get(name) ?? 0) + 1)
    else {
      const digest = createHash('sha256').update(joined(outcome.texts)).digest('hex')
      console.log(`${seed} ${digest} ${outcome.again?.difference ? 'DIFFERENT' : '-'} ${outcome.prints}`)
    }
  }
  if (job === 'counts') console.log(JSON.stringify(Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))))
}
