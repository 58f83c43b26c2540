// npm run mutants -- [--sample N] [--again] [--wide] [--minutes N] [--report] [--accept] [FILE...]: mutation testing
// (StrykerJS) of what is built of the rooms below, or of the files named (such as exchange/matching/queue-model).
// test/README.md describes it. Verdicts go to .cache/mutants/verdicts.jsonl as they fall, and a second call goes on
// where the first one ended. Survivors that are not in test/mutants/survivors.json are printed, with exit code 1, and
// --accept writes them down. It is no part of CI. Stryker lives in .cache/mutants, as users who only want to run
// Backtape need not install it.
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { acceptSurvivors, isKnown, nameVerdicts, readSurvivors, writeSurvivors } from './mutant-survivors.mjs'
import { contentHash, filesBelow, npmEntry, root } from './project.mjs'

const STRYKER = '9.6.1'
/** Rooms and files that are judged, and the folders of the tests that judge them. */
const AREAS = [
  {
    rooms: ['exchange', 'book', 'measures', 'strategy'],
    folders: ['test/exchange', 'test/book', 'test/measures', 'test/strategy'],
  },
  {
    rooms: [
      'panels', 'report/plots', 'report/pages', 'report/view', 'sweep',
      ...['order-entry-client', 'order-entry-socket-client', 'adapter-lookup-client', 'requests-in-flight']
        .map((name) => `order-entry/${name}`),
    ],
    folders: [
      'test/panels', 'test/report/plots', 'test/report/pages', 'test/report/view', 'test/sweep', 'test/order-entry',
    ],
  },
]
/** Slow ones, which ask for a compiler, recorded days or minutes, and those of a server's sockets. */
const LEFT_OUT = [
  'test/exchange/conformance.test.ts', 'test/exchange/faults.test.ts', 'test/exchange/rows.test.ts',
  'test/strategy/parameter-fields.test.ts', 'test/order-entry/order-entry-fuzz.test.ts',
  'test/order-entry/order-entry-server.test.ts',
]
/** Tests of whole runs that need neither a folder nor a compiler. */
const WIDE = [
  'backtest/checkpoint', 'backtest/interference', 'protocol/journal-text', 'results/summary',
  'results/summary-properties',
].map((name) => `test/${name}.test.ts`)
/**
 * Files are judged together up to this many lines: the first play of all tests is shared, but every instrumented file
 * slows it.
 */
const GROUP_LINES = 400
const home = join(root, '.cache/mutants')
const log = join(home, 'verdicts.jsonl')
const program = join(home, 'node_modules/@stryker-mutator/core/bin/stryker.js')

function prepare() {
  install()
  build()
  rmSync(join(home, 'work'), { recursive: true, force: true })
  if (existsSync(program)) return
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"private":true}\n')
  const { status } = spawnSync(
    process.execPath,
    [
      npmEntry(), 'install', '--prefix', home, '--no-audit', '--no-fund', '--ignore-scripts',
      `@stryker-mutator/core@${STRYKER}`,
    ],
    { stdio: 'inherit' },
  )
  if (status !== 0) process.exit(status ?? 1)
}

function groupsOf(files) {
  const groups = []
  let lines = Infinity
  for (const file of files) {
    const own = readFileSync(join(root, file), 'utf8').split('\n').length
    if (lines + own > GROUP_LINES) {
      groups.push([])
      lines = 0
    }
    groups.at(-1).push(file)
    lines += own
  }
  return groups
}

/** Judges the mutants of some files that no earlier run has judged. */
function judge(files, { sample, again, times, until, suite }) {
  const settings = {
    sample, again, times, until, log, ...suite,
    hashes: Object.fromEntries(files.map((file) => [file, contentHash([file]).slice(0, 12)])),
  }
  const config = join(home, 'stryker.config.json')
  writeFileSync(config, JSON.stringify({
    testRunner: 'plain', checkers: ['sample'], reporters: ['log'], plugins: [join(root, 'scripts/mutant-runner.mjs')],
    mutate: files, mutator: { excludedMutations: ['StringLiteral'] }, ignoreStatic: true, coverageAnalysis: 'perTest',
    disableTypeChecks: false,
    ignorePatterns: ['.cache', 'site', 'bench', 'out', 'coverage'], tempDirName: '.cache/mutants/work',
    concurrency: 1, timeoutMS: 3_000, timeoutFactor: 3, dryRunTimeoutMinutes: 60, allowEmpty: true, logLevel: 'error',
    allowConsoleColors: false,
  }, null, 2))
  const { BACKTAPE_PROPERTY_RUNS = '20' } = process.env
  // A mutant that is ended leaves the folders of its tests behind.
  const temporary = join(home, 'temporary')
  rmSync(temporary, { recursive: true, force: true })
  mkdirSync(temporary)
  const env = {
    ...process.env, BACKTAPE_PROPERTY_RUNS, BACKTAPE_MUTANTS: JSON.stringify(settings), TMPDIR: temporary,
    TMP: temporary, TEMP: temporary,
  }
  const status = spawnSync(process.execPath, [program, 'run', config], { stdio: 'inherit', cwd: root, env }).status ?? 1
  if (status === 0 && Date.now() < until) for (const file of files) {
    const { name } = suite
    const done = { key: `${file} ${sample} ${name}`, file, hash: settings.hashes[file], sample, suite: name }
    appendFileSync(log, `${JSON.stringify(done)}\n`)
  }
  return status
}

/**
 * The last result in the log of every mutant of the files as they are now, and the samples of them judged
 * to the end.
 */
function logged(files) {
  const current = new Map(files.map((file) => [file, contentHash([file]).slice(0, 12)]))
  const last = new Map()
  if (existsSync(log)) for (const line of readFileSync(log, 'utf8').split('\n')) {
    const entry = line === '' ? null : JSON.parse(line)
    if (entry !== null && current.get(entry.file) === entry.hash) last.set(entry.key, entry)
  }
  return [...last.values()]
}

function isJudged(file, sample, suiteName) {
  return logged([file]).some(
    (entry) => sample % entry.sample === 0 && (suiteName === null || entry.suite === suiteName),
  )
}

/** The tests that are played, and a name for what they say now. */
function suiteOf({ folders }, isWide) {
  const tests = [
    ...folders.flatMap((folder) => filesBelow(folder)).filter(
      (file) => file.endsWith('.test.ts') && !LEFT_OUT.includes(file),
    ),
    ...(isWide ? WIDE : []),
  ]
  return {
    tests, name: contentHash([...tests, ...filesBelow('test/support'), ...filesBelow('test/scenarios')]).slice(0, 12),
  }
}

const isAlive = ({ status }) => status === 'Survived' || status === 'NoCoverage'

/** Prints the survivors that nobody has accepted, and a table of scores; says whether all are known. */
function report(files, known) {
  const rows = []
  const total = { tried: 0, alive: 0, fresh: 0 }
  for (const file of files) {
    const judged = judgedOf(file)
    if (judged.length === 0) continue
    const alive = judged.filter(isAlive)
    const fresh = alive.filter((one) => !isKnown(known, nameOf(file), one))
    const text = readFileSync(join(root, file), 'utf8').split('\n')
    for (const { line, column, mutatorName, replacement, status } of fresh) {
      console.log(
        `${file}:${line}:${column} ${status} ${mutatorName}\n    ${text[line - 1].trim()}\n    -> ` +
          `${replacement.replace(/\s+/g, ' ').slice(0, 150)}`,
      )
    }
    rows.push(rowOf(nameOf(file), { tried: judged.length, alive: alive.length, fresh: fresh.length }))
    total.tried += judged.length
    total.alive += alive.length
    total.fresh += fresh.length
  }
  console.log(
    ['| file | mutants | score | survivors | new |', '|---|---|---|---|---|', ...rows, rowOf('all', total)].join('\n'),
  )
  return total.fresh === 0
}

function rowOf(name, { tried, alive, fresh }) {
  return `| ${name} | ${tried} | ${((1 - alive / tried) * 100).toFixed(0)} % | ${alive} | ${fresh} |`
}

const nameOf = (file) => file.slice('dist/'.length, -'.js'.length)

function judgedOf(file) {
  return nameVerdicts(
    logged([file]).filter(({ status }) => status !== undefined), readFileSync(join(root, file), 'utf8'),
  )
}

const flag = { type: 'boolean', default: false }
const {
  values: { again, wide, times, ...values }, positionals,
} = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '1' }, minutes: { type: 'string', default: '10000' }, again: flag, wide: flag,
    times: flag, report: flag, accept: flag,
  },
})
const sample = Number(values.sample)
const until = Date.now() + Number(values.minutes) * 60_000
if (!values.report) prepare()
const named = positionals.map((name) => `dist/${name.replace(/^(src|dist)\//, '').replace(/\.(ts|js)$/, '')}`)
const isBelow = (file, names) => names.some((name) => file === `${name}.js` || file.startsWith(`${name}/`))
const isMeant = (file) => named.length === 0 || isBelow(file, named)
const built = filesBelow('dist').filter((file) => file.endsWith('.js') && isMeant(file))
const files = []
let isOpen = false
for (const area of AREAS) {
  const own = built.filter((file) => isBelow(file, area.rooms.map((room) => `dist/${room}`)))
  const suite = suiteOf(area, wide)
  const open = values.report ? [] : own.filter((file) => !isJudged(file, sample, again ? suite.name : null))
  for (const group of groupsOf(open))
    if (Date.now() < until) process.exitCode ||= judge(group, { sample, again, times, until, suite })
  files.push(...own)
  isOpen ||= open.length > 0
}
const known = readSurvivors()
if (values.accept) {
  for (const file of files) {
    const judged = judgedOf(file)
    if (judged.length > 0) acceptSurvivors(known, nameOf(file), { judged, isAlive, isWhole: isJudged(file, 1, null) })
  }
  writeSurvivors(known)
}
if (!report(files, known)) process.exitCode ||= 1
if (isOpen && Date.now() >= until) console.error('The time is over: the same call goes on.')
