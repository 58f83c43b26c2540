// SQL over thirty made-up days, half of them converted and half as tick files: counts and exact sums of every day equal
// those of the tick files, read event by event; then a day goes, another comes and a third is damaged.
// node test/system/sql-days.mjs
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { writeDays } from '../../dist/columns.js'
import { convertFiles, openCatalog, readEvents } from '../../dist/index.js'

const DAYS = 30
const STATEMENT = `select day, count(*) as n, sum(qty) as volume,
  sum(price::decimal(38, 8) * qty::decimal(38, 8)) as turnover
  from trades group by day order by day`

function fail(words) {
  throw new Error(words)
}

/** A decimal text as an integer of 18 decimals. */
function scaled(text) {
  const [whole, fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(18, '0'))
}

async function sumsOf(path) {
  let n = 0
  let volume = 0n
  let turnover = 0n
  for await (const { trades } of readEvents(path, { kinds: ['trades'] })) {
    for (const { price, quantity } of trades) {
      n += 1
      volume += scaled(quantity.toString())
      turnover += scaled(price.toString()) * scaled(quantity.toString())
    }
  }
  return { n, volume, turnover }
}

async function compare(catalog, expected) {
  const { rows } = await catalog.sql(STATEMENT)
  if (rows.length !== expected.size) fail(`${rows.length} days instead of ${expected.size}`)
  for (const { day, n, volume, turnover } of rows) {
    const sums = expected.get(day) ?? fail(`no ${day}`)
    const isEqual = Number(n) === sums.n && scaled(volume) === sums.volume &&
      scaled(turnover) * 10n ** 18n === sums.turnover
    if (!isEqual) fail(`${day}: ${n}, ${volume}, ${turnover} instead of ${sums.n}, ${sums.volume}, ${sums.turnover}`)
  }
}

async function main(folder) {
  const ticks = join(folder, 'ticks')
  const made = await writeDays(join(folder, 'made'), {
    seed: 30, kind: 'perpetual', minutes: 1, days: DAYS, day: '2026-06-01',
  })
  mkdirSync(ticks)
  const expected = new Map()
  for (const { path } of made) expected.set(/\d{4}-\d\d-\d\d/.exec(basename(path))[0], await sumsOf(path))
  const converted = made.filter((_, at) => at % 2 === 0).map(({ path }) => path)
  const archive = join(folder, 'archive')
  const { failedCount } = await convertFiles(converted, { out: archive, kinds: ['trades'] })
  if (failedCount > 0) fail('a conversion failed')
  for (const { path } of made.filter((_, at) => at % 2 === 1)) copyFileSync(path, join(ticks, basename(path)))
  const catalog = await openCatalog([archive, ticks], { cache: join(folder, 'cache') })
  await compare(catalog, expected)
  const [first, second, third] = made.map(({ path }) => path)
  const table = (path) => join(archive, basename(path).replace('.txt.zst', '.trades.parquet'))
  const kept = readFileSync(table(third))
  truncateSync(table(third), kept.length - 100)
  const error = await catalog.sql(STATEMENT).then(() => fail('a damaged table was read'), (found) => found)
  if (error.place?.file !== table(third)) fail(`the damaged table is not named: ${error.message}`)
  rmSync(table(third))
  rmSync(table(first))
  rmSync(join(ticks, basename(second)))
  copyFileSync(first, join(ticks, basename(first)))
  for (const path of [second, third]) expected.delete(/\d{4}-\d\d-\d\d/.exec(basename(path))[0])
  await compare(catalog, expected)
  await catalog.close()
  console.log(`${DAYS} days: counts and exact sums equal those of the tick files`)
}

const folder = mkdtempSync(join(tmpdir(), 'backtape-sql-days-'))
try {
  await main(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
