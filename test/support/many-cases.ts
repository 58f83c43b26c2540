import fastCheck from 'fast-check'
import { caseCount } from './repetitions.ts'

const USUAL_RUNS = 100

/** fast-check as vitest.config.ts hands it to the tests: each property has the cases of the day or of the night. */
const fc: typeof fastCheck = {
  ...fastCheck,
  assert: ((property: fastCheck.IRawProperty<unknown>, parameters: fastCheck.Parameters<unknown> = {}) =>
    fastCheck.assert(property, { ...parameters, numRuns: caseCount(parameters.numRuns ?? USUAL_RUNS, parameters.examples?.length) })) as typeof fastCheck.assert,
}
export { fc as default }
