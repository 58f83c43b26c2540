import { expect, test } from 'vitest'
import { FairValue } from '../../src/synthetic/fair-value.js'
import { PROFILES } from '../../src/synthetic/instrument-profile.js'

/** Distances of the paired spot from the perpetual, in basis points, by steps. */
function distancesBps(spotSeed: number): number[] {
  const perpetual = new FairValue(PROFILES.perpetual, 11, 0)
  const spot = new FairValue(PROFILES['paired-spot'], spotSeed, 0)
  return Array.from({ length: 36_000 }, () => {
    perpetual.step()
    spot.step()
    return 10_000 * (spot.ticks(0) / perpetual.ticks(0) - 1)
  })
}

test('a paired spot market of the same seed stays near its perpetual, on both sides of it', () => {
  const distances = distancesBps(11)
  const meanBps = distances.reduce((sum, one) => sum + one, 0) / distances.length
  const deviationBps = Math.sqrt(distances.reduce((sum, one) => sum + (one - meanBps) ** 2, 0) / distances.length)
  expect(Math.abs(meanBps)).toBeLessThan(1)
  expect(deviationBps).toBeGreaterThan(6)
  expect(deviationBps).toBeLessThan(10)
  expect(Math.max(...distances.map(Math.abs))).toBeLessThan(45)
})

test('that of another seed has a path of its own', () => {
  expect(Math.max(...distancesBps(12).map(Math.abs))).toBeGreaterThan(45)
})
