import { describe, expect, test } from 'vitest'
import { callValue, impliedVolatility } from '../../src/synthetic/option-pricing.js'

describe('Black and Scholes', () => {
  test('the textbook call: spot 42, strike 40, half a year, 20 %, no interest', () => {
    const call = callValue(42, 40, 0.5, 0.2)
    expect(call.value * 42).toBeCloseTo(3.4472, 4)
    expect(call.delta).toBeCloseTo(0.6612, 4)
  })
  test('greeks are the differences of the value', () => {
    const quote = (spot: number, years: number, volatility: number): number => callValue(spot, 68_000, years, volatility).value * spot
    const call = callValue(61_000, 68_000, 0.03, 0.55)
    expect(call.delta).toBeCloseTo((quote(61_001, 0.03, 0.55) - quote(60_999, 0.03, 0.55)) / 2, 6)
    expect(call.gamma).toBeCloseTo(quote(61_001, 0.03, 0.55) - 2 * quote(61_000, 0.03, 0.55) + quote(60_999, 0.03, 0.55), 7)
    expect(call.vega).toBeCloseTo((quote(61_000, 0.03, 0.551) - quote(61_000, 0.03, 0.549)) * 5, 3)
    expect(call.theta).toBeCloseTo((quote(61_000, 0.03 - 1e-6, 0.55) - quote(61_000, 0.03, 0.55)) / 1e-6 / 365, 1)
  })
  test.each([0.2, 0.55, 1.3])('the implied volatility of a value at %d is that', (volatility) => {
    const { value } = callValue(61_000, 68_000, 0.03, volatility)
    expect(impliedVolatility(value, 61_000, 68_000, 0.03)).toBeCloseTo(volatility, 7)
  })
  test('far in and far out of the money', () => {
    expect(callValue(1e6, 1, 0.1, 0.5).delta).toBe(1)
    expect(callValue(1, 1e6, 0.1, 0.5)).toMatchObject({ value: 0, delta: 0 })
  })
})
