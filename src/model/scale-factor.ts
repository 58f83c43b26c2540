/** 10^(to - from) by multiplication; 1 where `to` is not above `from`. */
export function factorBetween(from: number, to: number): number {
  let factor = 1
  for (let i = from; i < to; i++) factor *= 10
  return factor
}
