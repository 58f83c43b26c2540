import { BacktapeError } from '../../model/error.js'
import type { Instrument } from '../../model/instrument.js'
import type { TickSource } from '../../tickfile/archive/tick-source.js'
import { readTickFile, readTickFrames } from '../../tickfile/tick-file-reader.js'
import type { ExpectedDay, ShopCheckLevel } from '../client/byte-checks.js'
import { wrongFile } from '../client/shop-failure.js'

/** The depth of a check that looks at bytes. */
export type CheckDepth = Exclude<ShopCheckLevel, 'none'>

/**
 * Reads a tick file to its end: its frames with their checksums, line 1, which must be of the instrument that was
 * bought; with `audit` every event. Throws ZSTD_*, NOT_ZSTD, MASTER_DATA_MALFORMED, SHOP_FILE_WRONG.
 */
export async function checkTickSource(source: TickSource, day: ExpectedDay | null, depth: CheckDepth): Promise<void> {
  if (depth === 'whole') {
    const { instrument } = await readTickFrames(source)
    if (day !== null) refuseOther(source.name, instrument, day)
    return
  }
  const reading = await readTickFile(source, { onDamage: 'count', ...(day === null ? {} : { day: day.date }) })
  try {
    if (day !== null) refuseOther(source.name, reading.instrument, day)
    const { auditReading } = await import('../../tickfile/audit/audit.js')
    const { auditVerdict } = await import('../../tickfile/audit/audit-report.js')
    const report = await auditReading(reading)
    const { failure } = report
    if (failure !== null) throw new BacktapeError(failure.code, failure.message, failure.place)
    const { ok, reasons } = auditVerdict(report)
    if (!ok) throw wrongFile(source.name, 'a sound recording', reasons[0] ?? 'another one')
  } finally {
    await reading.close()
  }
}

function refuseOther(name: string, { id, code, exchangeCode }: Instrument, day: ExpectedDay): void {
  const pairs = [
    ['the instrument', String(day.instrumentId), String(id)], ['the code', day.code, code],
    ['the exchange', day.exchangeCode, exchangeCode === '' ? null : exchangeCode],
  ] as const
  for (const [what, expected, found] of pairs)
    if (expected !== null && found !== null && expected !== found) throw wrongFile(name, `${what} ${expected}`, found)
}
