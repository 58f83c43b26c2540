import { BacktapeError } from '../model/error.js'

/** The system's code of a failed call, such as ENOSPC; "" where it has none. */
export function systemCode(cause: unknown): string {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : null
  return typeof code === 'string' ? code : ''
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space or choose another folder',
  EDQUOT: 'the disk quota is used up; free some space or choose another folder',
  EROFS: 'the file system is read-only; choose another folder',
  EACCES: 'permission denied; make its folder writable or choose another one',
  EPERM: 'permission denied; make its folder writable or choose another one',
  ENOENT: 'its folder does not exist; create it first',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file with this name stands where the folder should be; choose another name',
  EMFILE: 'this process has too many open files; raise the limit (ulimit -n) or lower --jobs',
  ENFILE: 'the system has too many open files; close some programs',
  ENAMETOOLONG: 'the name is too long for its file system; choose a shorter one',
  EFBIG: 'it is larger than the file system or the limit of the process allows (ulimit -f)',
  EIO: 'the disk failed to write; check it',
}

/**
 * Turns the system's refusal of an output into one sentence with path, reason and what to do; a BacktapeError passes
 * through.
 */
export function outputError(path: string, cause: unknown): BacktapeError {
  if (cause instanceof BacktapeError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  const code = systemCode(cause)
  const advice = ADVICE[code] ?? `the system reports ${reason}`
  return new BacktapeError(
    'OUTPUT_FAILED',
    `Cannot write ${path}: ${advice}`,
    { file: path, found: `${code} ${reason}`.trim().slice(0, 80) },
    cause,
  )
}

/** The refusal of a file or a folder in a folder that stands and takes nothing new, such as `/proc`. */
export function barrenError(path: string, parent: string, what: 'file' | 'folder', cause: unknown): BacktapeError {
  const sentence = `Cannot write ${path}: no ${what} can be made in ${parent}; choose another folder`
  return new BacktapeError('OUTPUT_FAILED', sentence, { file: path }, cause)
}

/** The refusal of an output whose name is taken. */
export function existsError(path: string): BacktapeError {
  return new BacktapeError(
    'OUTPUT_EXISTS',
    `Cannot write ${path}: it exists; choose another name or ask to overwrite it with --force`,
    { file: path },
  )
}
