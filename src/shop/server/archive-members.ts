import { BacktapeError } from '../../model/error.js'
import type { Segments } from './segments.js'

/** A file in an archive that is served. */
export interface ArchiveMember {
  /** A relative path with `/`, of at most 1024 bytes of UTF-8. */
  readonly name: string
  readonly content: Segments
}

const NAME_BYTES_MAX = 1024
/** Control characters, the backslash of Windows, and half a surrogate pair, which UTF-8 cannot have. */
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\\]|\p{Surrogate}/u

/**
 * The names of members as UTF-8, in their order. Throws OPTION_INVALID for one that leads out of the folder in which
 * the archive is unpacked, that a file system cannot have, or that another member has too, in other cases also.
 */
export function memberNames(members: readonly ArchiveMember[]): readonly Uint8Array[] {
  const encoder = new TextEncoder()
  const seen = new Set<string>()
  return members.map(({ name }) => {
    const bytes = encoder.encode(name)
    const steps = name.split('/')
    const isSafe = !FORBIDDEN.test(name) && !/^[A-Za-z]:/.test(name) && bytes.length <= NAME_BYTES_MAX
    if (!isSafe || steps.some((step) => ['', '.', '..'].includes(step))) throw refused('a relative path', name)
    const folded = name.normalize('NFC').toLowerCase()
    if (seen.has(folded)) throw refused('a name of its own', name)
    seen.add(folded)
    return bytes
  })
}

function refused(expected: string, name: string): BacktapeError {
  const found = JSON.stringify(name).slice(0, 80)
  return new BacktapeError(
    'OPTION_INVALID', `Cannot make the archive: the name of a member must be ${expected}, found ${found}`,
    { field: 'name', expected, found },
  )
}
