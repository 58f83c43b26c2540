import type { SkippedMember, TickSource } from '../tickfile/archive/tick-source.js'
import { isInstrumentDays, type DataInput } from '../tickfile/data-input.js'
import type { SelectionOptions } from '../tickfile/data-selection-reader.js'
import { NamedSources } from '../tickfile/named-sources.js'

/** An input that cannot be opened. */
interface UnopenedInput {
  readonly name: string
  readonly error: unknown
}

/** The sources that inputs hold, in order: files, members of archives, what is no tick file, what cannot be opened. */
type FoundInput = TickSource | SkippedMember | UnopenedInput

/** Inputs that have been looked into, and how many there are. */
export interface InputList {
  /** Members of archives counted one by one; null where a stream may hold any number of them. */
  readonly total: number | null
  found(): AsyncGenerator<FoundInput, void, undefined>
}

async function* foundIn(input: DataInput, named: NamedSources): AsyncGenerator<FoundInput, void, undefined> {
  try {
    yield* named.open(input)
  } catch (error) {
    yield { name: typeof input === 'string' ? input : isInstrumentDays(input) ? input.in : 'input', error }
  }
}

/** A stream gives its bytes once: it is opened when its turn comes. */
function isStream(input: DataInput): boolean {
  return input === '-' || (typeof input === 'object' && !(input instanceof Uint8Array) && !isInstrumentDays(input))
}

/**
 * Looks into all inputs but streams: no file is read beyond the headers of an archive, and line 1 of what a folder or
 * pattern names.
 */
export async function listInputs(inputs: readonly DataInput[], options: SelectionOptions = {}): Promise<InputList> {
  const parts: (FoundInput[] | DataInput)[] = []
  const named = new NamedSources(options)
  let total: number | null = 0
  for (const input of inputs) {
    if (isStream(input)) {
      parts.push(input)
      total = null
      continue
    }
    const list: FoundInput[] = []
    for await (const found of foundIn(input, named)) list.push(found)
    parts.push(list)
    if (total !== null) total += list.length
  }
  return {
    total,
    async *found() {
      for (const part of parts) {
        if (Array.isArray(part)) yield* part
        else yield* foundIn(part, named)
      }
    },
  }
}
