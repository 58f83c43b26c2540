import { restoredState, savedState, type Saved } from '../../src/model/saved-state.js'

/** A state as a checkpoint gives it back. */
export function throughJson<State>(state: State): State {
  return restoredState(JSON.parse(JSON.stringify(savedState(state))) as Saved<State>)
}
