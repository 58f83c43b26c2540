import { NaiveMoney, ONE, rounded, type NaiveLeg } from './naive-money.ts'

/** 8.3: closes legs that are due at `price`, one after the other; what is missing of cash after the last is a debt. In 10^-18. */
export function liquidate(money: NaiveMoney, legs: readonly NaiveLeg[], price: bigint): void {
  let fees = 0n
  for (const leg of legs) fees += close(money, leg, price, fees)
  money.owe(money.isolatedMargin() - money.cash)
}

/**
 * Closes a leg where its loss has used up what stands for it, on the grid and never beyond; the fee of a hundredth, which it returns where
 * others bear it, comes on top. Behind it may be nothing at all: then it closes no better than at the price of now.
 */
function close(money: NaiveMoney, leg: NaiveLeg, price: bigint, fees: bigint): bigint {
  const isLong = leg.quantity > 0
  const size = BigInt(Math.abs(leg.quantity))
  const isIsolated = money.isIsolated(leg)
  const { entryValue } = leg
  const others = money.legs.filter((one) => one !== leg && !money.isIsolated(one))
  const behind = isIsolated ? leg.margin : others.reduce((sum, one) => sum + profit(one, price), money.cash - money.isolatedMargin()) + fees
  const value = isLong ? entryValue - behind : entryValue + behind
  const used = value > 0n ? rounded(value, size) : price
  const isBetter = isLong ? used > price : used < price
  const exact = behind <= 0n && isBetter ? price : used
  const whole = isLong ? (exact + ONE - 1n) / ONE : exact / ONE
  const at = whole < 1n ? 1n : whole
  money.close(leg, Number(at))
  const fee = at * size * ONE / 100n
  money.cash -= fee
  if (!isIsolated) return fee
  // Loss and fee beyond its margin are no matter of the wallet.
  const closed = at * size * ONE
  money.owe((isLong ? entryValue - closed : closed - entryValue) + fee - behind)
  return 0n
}

function profit({ quantity, entryValue }: NaiveLeg, price: bigint): bigint {
  const value = BigInt(Math.abs(quantity)) * price
  return quantity > 0 ? value - entryValue : entryValue - value
}
