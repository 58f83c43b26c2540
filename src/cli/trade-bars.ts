import { leftOutTrades } from '../export/minutes-table.js'
import { MISSING_BAR_COLUMNS, tradeBarsTable } from '../export/trade-bars-table.js'
import { barRule, type BarRule, type BarSpan } from '../measures/bars/bar-span.js'
import { TradeBars, type TradeBarStatistics } from '../export/trade-bars.js'
import { clockSentences, readingMetadata } from '../model/clock-words.js'
import { damageSentences } from '../model/damage-words.js'
import { openTickFile } from '../day/tick-day.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import { writeTable } from '../tables/table-stream.js'
import { optionError, type Arguments } from './terminal/arguments.js'
import { dataWords } from './day-inputs.js'
import type { Output } from './terminal/output.js'
import { chooseTableOutput, formOf, openTableOutput } from './table-output.js'
import { counted } from './terminal/text-table.js'

function metadataOf(
  day: Awaited<ReturnType<typeof openTickFile>>, { label }: BarRule,
  { leftOverCount, leftOutTradeCount, usdRate }: TradeBarStatistics,
): ReadonlyMap<string, string> {
  const { exchangeCode, code, id } = day.instrument
  return new Map([
    ['table', 'bars'],
    ['source', `backtape minutes of ${day.fileName}, ${exchangeCode}:${code} (${String(id)})`],
    ['instrument_id', String(id)], ['exchange_code', exchangeCode], ['code', code], ['every', label],
    ['note', `in file order, times of the venue; columns of minutes left out: ${MISSING_BAR_COLUMNS.join(', ')}`],
    ['trades_left_over', String(leftOverCount)], ['trades_left_out', String(leftOutTradeCount)],
    ...readingMetadata(day.summary),
    ...(usdRate === null
      ? []
      : [
          ['usd_rate', `${usdRate.rate} USD for 1 ${usdRate.code}`] as const,
          ['usd_rate_time', usdRate.sampledAt ?? 'unknown'] as const,
        ]),
  ])
}

/** Writes the bars of one file that its trades end; true where there is any, and nothing was left out as damage. */
export async function tradeBarsOf(
  source: TickSource | string, span: BarSpan, inputs: readonly string[], args: Arguments, output: Output,
): Promise<boolean> {
  const rule = barRule(span)
  if (args.text('columns') !== undefined) throw optionError('columns', 'left out, as these bars have one set', 'both')
  const day = await openTickFile(source, args.readOptions())
  const to = args.text('to') ?? (args.flag('json') ? 'json' : undefined)
  const name = `${day.fileName.replace(/(\.txt)?\.zst$/, '')}.${rule.label.replace(' ', '-')}`
  const choice = await chooseTableOutput({ args, output }, to, name)
  const form = formOf(args, choice.format, 'iso')
  const file = await openTableOutput(choice, form, output, { force: args.flag('force'), inputs: [...inputs] })
  try {
    const bars = new TradeBars(day, rule)
    for await (const batch of day.batches()) bars.add(batch)
    const statistics = bars.finish()
    const metadata = metadataOf(day, rule, statistics)
    const { columns, rowCount, column } = tradeBarsTable(statistics)
    await writeTable({ columns, rowCount, column, metadata }, form, file)
    await file.commit(metadata)
    const count = `${counted(rowCount, 'bar')} of ${rule.label}`
    const rest = counted(statistics.leftOverCount, 'trade')
    if (choice.place === 'file') output.note(`Wrote ${count} to ${file.path}; ${rest} behind the last one fill none`)
    for (const words of leftOutTrades(statistics)) output.note(`${day.name}: ${words}`)
    const damage = damageSentences(day.summary, day.name)
    for (const sentence of [...damage, ...clockSentences(day.summary, day.name)]) output.note(`Warning: ${sentence}`)
    if (rowCount > 0) return damage.length === 0
    output.note(`${day.name}: no bar of ${rule.label}, ${rest}${await dataWords(day)}`)
    return false
  } finally {
    await file.abort()
  }
}
