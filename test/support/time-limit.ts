import { propertyTimes } from './repetitions.ts'

/** The time limit of a test of properties, milliseconds: longer where they have more cases. */
export function timeLimitMs(usualMs: number): number {
  return Math.max(usualMs, 180_000) * Math.max(propertyTimes, 1)
}
