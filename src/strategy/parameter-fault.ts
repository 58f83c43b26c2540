import { FaultsError, type Fault } from '../model/fault.js'

/** Thrown by whoever reads a value and cannot; caught with the path of the value. */
export class ValueRefusal extends Error {

  constructor(readonly expected: string, readonly found: string) {
    super(`expected ${expected}, found ${found}`)
  }
}

/** All faults of the parameters of one strategy. */
export class ParameterError extends FaultsError {
  constructor(owner: string, faults: readonly Fault[]) {
    super('OPTION_INVALID', `Cannot read the parameters of ${owner}`, faults, 'the config')
  }
}
