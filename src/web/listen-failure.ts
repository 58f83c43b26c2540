import { BacktapeError } from '../model/error.js'

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file, not a folder',
  ENOTFOUND: 'the name of the host is not known',
}

/**
 * Why a server cannot listen, as an error with a sentence: ADDRESS_TAKEN where another program does, else
 * OPTION_INVALID. `place` is an address or a path as a user wrote it.
 */
export function listenFailure(error: unknown, place: string): BacktapeError {
  const code = (error as { readonly code?: string }).code ?? ''
  const text = error instanceof Error ? error.message : String(error)
  return code === 'EADDRINUSE'
    ? new BacktapeError('ADDRESS_TAKEN', `Cannot listen at ${place}: another program does`, { found: place }, error)
    : new BacktapeError(
      'OPTION_INVALID', `Cannot listen at ${place}: ${REASONS[code] ?? text}`, { found: place }, error,
    )
}
