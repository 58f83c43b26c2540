import { Decimal } from '../../model/decimal.js'
import { BacktapeError } from '../../model/error.js'
import type { Instrument } from '../../model/instrument.js'

/** A value of the master data that no instrument can have. */
export interface MasterFault {
  /** As spec 4 names it. */
  readonly field: string
  /** The values that are possible. */
  readonly expected: string
  /** The value of the file. */
  readonly found: string
}

/** Beyond this no price or quantity fits 2^53 at any scale. */
const LARGEST: Decimal = new Decimal('1e24')
/** Digits behind the point that the scales of a file can have. */
const FINEST: Decimal = new Decimal('1e-18')

/**
 * Decimals that a division or a grid goes by: above 0 where they are stated. What a vendor leaves null is not known,
 * and no fault.
 */
function stepsOf({
  contractValue, multiplier, tickSize, lotSize, tickBands,
}: Instrument): (readonly [field: string, text: string | null])[] {
  return [
    ['contract_value', contractValue], ['multiplier', multiplier], ['ticksize', tickSize], ['lot_size', lotSize],
    ...tickBands.map(({ tickSize: tick }) => ['tick_table', tick] as const),
  ]
}

/**
 * Values that no instrument can have: a step, multiplier or contract value of 0 or less, and numbers that nothing here
 * can hold.
 */
export function masterFaults(instrument: Instrument): MasterFault[] {
  const faults: MasterFault[] = []
  for (const [field, text] of stepsOf(instrument)) {
    if (text === null) continue
    const value = new Decimal(text)
    if (!value.gt(0)) faults.push({ field, expected: 'above 0', found: text.slice(0, 80) })
    else if (value.gt(LARGEST) || value.lt(FINEST))
      faults.push({ field, expected: 'from 1e-18 to 1e24', found: value.toExponential() })
  }
  const { strikePrice, minOrder, maxOrder, minValue } = instrument
  for (const [field, text] of [
    ['strike_price', strikePrice], ['min_order', minOrder], ['max_order', maxOrder], ['min_value', minValue],
  ] as const) {
    if (text !== null && new Decimal(text).abs().gt(LARGEST))
      faults.push({ field, expected: 'at most 1e24', found: new Decimal(text).toExponential() })
  }
  return faults
}

/** Throws MASTER_DATA_INVALID where a run would count with values that no instrument can have. */
export function checkMaster(instrument: Instrument, file: string): void {
  const faults = masterFaults(instrument)
  const [first] = faults
  if (first === undefined) return
  const words = faults.map(({ field, expected, found }) => `${field} must be ${expected}, found ${found}`).join('; ')
  throw new BacktapeError('MASTER_DATA_INVALID', `Cannot run over ${file}: of its master data ${words}`, {
    file, line: 1, ...first,
  })
}
