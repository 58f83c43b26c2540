// A statement over a converted day against the DuckDB command line on the same Parquet, connection open on both sides,
// in interleaved rounds; wall time from the statement to its last row, planning and a look at the folder included.
// node bench/sql.mjs [FILE=the big day] [ROUNDS=5]   (DUCKDB_CLI: the program; default: `duckdb-cli` of PyPI, fetched
// into the temporary folder. Results go to BACKTAPE_BENCH_OUT, default the system's temporary folder.)
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { bigDay, tableRow } from '../scripts/big-day.mjs'
import { convertFiles, openCatalog } from '../dist/index.js'

const DAY = '2024-08-08'
const VERSION = '1.5.5'
const MARK = 'end of the result'

/** Fetches the peer once; the version is that of the library in `package.json`. */
function peer(folder) {
  if (process.env.DUCKDB_CLI !== undefined) return process.env.DUCKDB_CLI
  const home = join(folder, `duckdb-cli-${VERSION}`)
  const found = () => readdirSync(home, { recursive: true }).find((name) => /(^|\/)duckdb$/.test(name))
  if (!existsSync(home)) {
    mkdirSync(home)
    const fetch = `import sys, zipfile, glob, subprocess
pip = [sys.executable, '-m', 'pip', 'download', '-q', '--no-deps']
subprocess.run([*pip, '-d', ${JSON.stringify(home)}, 'duckdb-cli==${VERSION}'], check=True)
zipfile.ZipFile(glob.glob(${JSON.stringify(`${home}/*.whl`)})[0]).extractall(${JSON.stringify(home)})`
    const { status, stderr } = spawnSync('python3', ['-c', fetch], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`Cannot fetch duckdb-cli ${VERSION}: ${stderr}`)
    chmodSync(join(home, found()), 0o755)
  }
  return join(home, found())
}

/** The command line, open; asks it one statement at a time. */
class CommandLine {
  constructor(program) {
    this.child = spawn(program, ['-csv', ':memory:'], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  async ask(statement) {
    const started = performance.now()
    this.child.stdin.write(`${statement};\n.print ${MARK}\n`)
    const rows = []
    for (;;) {
      const { value, done } = await this.lines.next()
      if (done) throw new Error('the command line ended')
      if (value === MARK) return { ms: performance.now() - started, rows }
      rows.push(value)
    }
  }

  close() {
    this.child.stdin.end('.quit\n')
  }
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

const TRADES = 'select side, sum(qty) as volume, count(*) as n from trades group by side order by side'

/** The texts of a round: the same each time, but for the last, which is one that was never asked before. */
const STATEMENTS = [
  ['trades', () => TRADES],
  ['depth', () => TRADES.replace('trades', 'depth')],
  ['quotes by minute', () => 'select ts // 60000000000 as m, max(bid_price) as high, min(ask_price) as low from ' +
    '(select epoch_ns(ts) as ts, bid_price, ask_price from bbo) group by m order by m'],
  ['trades, a new statement', (round) => `${TRADES} -- ${round}`],
]

async function compare(catalog, cli, rounds) {
  for (const [name, statementOf] of STATEMENTS) {
    const own = []
    const others = []
    for (let round = 0; round <= rounds; round++) {
      const statement = statementOf(round)
      const started = performance.now()
      const table = await catalog.sql(statement)
      const ms = performance.now() - started
      const other = await cli.ask(`${statement}\n`)
      const found = other.rows.length - 1
      if (table.rowCount !== found) throw new Error(`${name}: ${table.rowCount} rows against ${found}`)
      // The first round of both reads the disk.
      if (round > 0) own.push(ms)
      if (round > 0) others.push(other.ms)
    }
    const ratio = median(own) / median(others)
    const text = (ms) => `${ms.toFixed(0).padStart(6)} ms`
    console.log(`${name.padEnd(24)} ${text(median(own))}  command line ${text(median(others))}  ${ratio.toFixed(2)} x`)
    const found = `${ratio.toFixed(2)} x the DuckDB command line (${median(own).toFixed(0)} ms)`
    tableRow(`SQL over a converted day: ${name}`, found, '1.2 x')
  }
}

async function main() {
  const [path = bigDay(), rounds = '5'] = process.argv.slice(2)
  const out = process.env.BACKTAPE_BENCH_OUT ?? tmpdir()
  const folder = mkdtempSync(join(out, 'backtape-sql-'))
  try {
    const named = join(folder, `big_swap-BIG-${DAY}.txt.zst`)
    symlinkSync(resolve(path), named)
    const archive = join(folder, 'archive')
    const { failedCount, inputs } = await convertFiles([named], { out: archive, kinds: ['trades', 'bbo', 'depth'] })
    if (failedCount > 0) throw inputs[0].error
    const cli = new CommandLine(peer(out))
    for (const name of readdirSync(archive).filter((one) => one.endsWith('.parquet'))) {
      const kind = /\.(\w+)\.parquet$/.exec(name)[1]
      await cli.ask(`create view ${kind} as from read_parquet('${join(archive, name)}')`)
    }
    const catalog = await openCatalog(archive, { cache: join(folder, 'cache') })
    await compare(catalog, cli, Number(rounds))
    await catalog.close()
    cli.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
