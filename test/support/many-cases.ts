import fastCheck from 'fast-check'

/** Factor on the usual number of cases of each property. */
const times = Number(process.env['BACKTAPE_PROPERTY_TIMES'] ?? 1)
const USUAL_RUNS = 100

/** fast-check as vitest.config.ts hands it to the tests where BACKTAPE_PROPERTY_TIMES is set. */
const fc: typeof fastCheck = {
  ...fastCheck,
  assert: ((property: fastCheck.IRawProperty<unknown>, parameters: fastCheck.Parameters<unknown> = {}) =>
    fastCheck.assert(property, { ...parameters, numRuns: Math.ceil(times * (parameters.numRuns ?? USUAL_RUNS)) })) as typeof fastCheck.assert,
}
export { fc as default }
