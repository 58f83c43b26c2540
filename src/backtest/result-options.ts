import type { BacktestOptions } from './backtest-options.js'

/**
 * Every option of a run, by its part in a configuration. `given`: results depend on it, and the configuration states it
 * as it was given. `read`: results depend on it, and the configuration states what was made of it, such as digests of
 * the files for `data`. `none`: no result depends on it. The compiler asks for the row of a new option.
 */
const PARTS: { readonly [Name in keyof BacktestOptions]-?: 'given' | 'read' | 'none' } = {
  strategy: 'read', strategies: 'read', data: 'read', prefer: 'read', day: 'read', parameters: 'read',
  account: 'read', accounts: 'read', assumptions: 'read', equity: 'read', signals: 'read', seed: 'read',
  from: 'read', to: 'read', trim: 'read', faults: 'given', corporateActions: 'given', rates: 'given',
  outcomes: 'given', entryStates: 'given', masterChanges: 'given', shuffleSeed: 'given', journal: 'none',
  cache: 'none', cacheLimitBytes: 'none', tables: 'none', onProgress: 'none', signal: 'none', onNote: 'none',
  checkpoints: 'none', resume: 'none', otherEngine: 'none', strict: 'none', jobs: 'none',
}

/**
 * The options that results depend on and that a configuration states as they were given, in the order of their names in
 * the table; one that was not given is left out. The configuration of a world and that of a checkpoint both take them
 * from here.
 */
export function resultOptions(options: BacktestOptions): Readonly<Partial<BacktestOptions>> {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => value !== undefined && PARTS[name as keyof BacktestOptions] === 'given',
    ),
  )
}
