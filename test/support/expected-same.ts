import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

/** Expects large plain values to be equal: the quick comparison is the stricter one, the other names what differs. */
export function expectSame(found: unknown, wanted: unknown, words?: string): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found, words).toEqual(wanted)
}
