/** The quantile of ascending values by linear interpolation, as `numpy.quantile` has it; null without any. */
export function quantileOf(ascending: ArrayLike<number>, share: number): number | null {
  const { length } = ascending
  if (length === 0) return null
  const place = (length - 1) * share
  const below = Math.floor(place)
  const [low, high] = [ascending[below] as number, ascending[Math.min(below + 1, length - 1)] as number]
  return low + (high - low) * (place - below)
}
