import { readEvents, type DataInput } from '../../src/index.js'

/** Exact sums of a day's events, row by row from the tick file, with integers alone. */
export interface EventSums {
  readonly rows: number
  /** Sum of the quantities by side, as shortest decimal texts. */
  readonly quantity: Readonly<Record<string, string>>
  /** Sum of price times quantity of all rows. */
  readonly turnover: string
}

const SCALE = 18

function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(SCALE, '0'))
}

function plain(value: bigint, scale: number): string {
  const digits = String(value).padStart(scale + 1, '0')
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`.replace(/\.?0+$/, '')
}

/** The sums of the trades, or of the levels of snapshots and updates (`depth`). */
export async function eventSums(input: DataInput | readonly DataInput[], of: 'trades' | 'depth'): Promise<EventSums> {
  const bySide = new Map<string, bigint>()
  let rows = 0
  let turnover = 0n
  const add = (side: string, price: string, quantity: string): void => {
    rows += 1
    bySide.set(side, (bySide.get(side) ?? 0n) + scaled(quantity))
    turnover += scaled(price) * scaled(quantity)
  }
  if (of === 'trades') {
    for await (const { trades } of readEvents(input, { kinds: ['trades'] }))
      for (const { aggressorSide, price, quantity } of trades) add(aggressorSide, price.toString(), quantity.toString())
  } else {
    for await (const { levels } of readEvents(input, { kinds: ['snapshot', 'update'] }))
      for (const { side, price, quantity } of levels) add(side, price.toString(), quantity.toString())
  }
  const quantity = Object.fromEntries([...bySide].sort().map(([side, sum]) => [side, plain(sum, SCALE)]))
  return { rows, quantity, turnover: plain(turnover, 2 * SCALE) }
}
