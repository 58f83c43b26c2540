import { readFile, rm, stat } from 'node:fs/promises'
import { BacktapeError } from '../model/error.js'
import { CHECKPOINT_DEPTH_LIMIT, parseNestedJson } from '../model/nested-json.js'
import { checkOutputPlace } from '../files/output-place-reader.js'
import { createWholeFile, writeWholeText } from '../files/whole-file-writer.js'
import type { Checkpoint } from './checkpoint-state.js'

/** Reads a checkpoint. Throws FILE_NOT_FOUND, FILE_UNREADABLE where it is no JSON of ours. */
async function readCheckpoint(path: string): Promise<Checkpoint> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const isAbsent = (error as { readonly code?: string }).code === 'ENOENT'
    const words = isAbsent
      ? 'there is no checkpoint; a run with --checkpoint-every writes it'
      : (error as Error).message
    throw new BacktapeError(
      isAbsent ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE', `Cannot go on from ${path}: ${words}`, { file: path }, error,
    )
  })
  try {
    const checkpoint = parseNestedJson(text, CHECKPOINT_DEPTH_LIMIT) as Checkpoint | null
    if (typeof checkpoint?.configuration === 'string') return checkpoint
  } catch (error) {
    throw new BacktapeError(
      'FILE_UNREADABLE',
      `Cannot go on from ${path}: it must be a checkpoint in JSON, found ${(error as Error).message}`, { file: path },
      error,
    )
  }
  throw new BacktapeError('FILE_UNREADABLE', `Cannot go on from ${path}: it must be a checkpoint, found other JSON`, {
    file: path,
  })
}

/** The options of a run's checkpoint file. */
export interface CheckpointFileOptions {
  readonly path: string
  /** The run resumes from it. */
  readonly resumes: boolean
  /** Whatever plain file stands there may go. */
  readonly force: boolean
  /** Files that the run reads: the checkpoint is none of them. */
  readonly inputs: readonly string[]
}

/** Number of a file and of its version; null where there is none. */
async function versionOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  return found === null ? null : [found.dev, found.ino, found.size, found.mtimeNs].join(':')
}

/**
 * The file of a run's checkpoints. Nothing in it is replaced or removed but checkpoints that this run wrote or resumed
 * from, and one that an earlier run of the same configuration left.
 */
export class CheckpointFile {
  readonly path: string
  /** The checkpoint to resume from; null for a run from its beginning. */
  readonly resume: Checkpoint | null
  #isOurs: boolean

  private constructor(
    private readonly options: CheckpointFileOptions,
    private readonly standing: Checkpoint | null,
    /** The version that may be replaced and removed; null where nothing may stand there. */
    private version: string | null,
  ) {
    this.path = options.path
    this.#isOurs = options.resumes
    this.resume = options.resumes ? standing : null
  }

  /**
   * Opens the place of the checkpoints before anything runs. Throws OUTPUT_EXISTS for a file that is no checkpoint
   * (without `force`) or an input, OUTPUT_FAILED where nothing can be written, and what {@link readCheckpoint} throws.
   */
  static async open(options: CheckpointFileOptions): Promise<CheckpointFile> {
    const { path, resumes, force, inputs } = options
    await checkOutputPlace(path, { force: true, inputs })
    const version = await versionOf(path)
    let standing: Checkpoint | null = null
    if (resumes) standing = await readCheckpoint(path)
    else if (version !== null && !force)
      standing = await readCheckpoint(path).catch(() => {
        throw foreignError(path, 'it is no checkpoint')
      })
    // A folder that cannot be written is found now and not after an hour.
    await (await createWholeFile(path, { force: true, inputs })).abort()
    return new CheckpointFile(options, standing, version)
  }

  /** Sees, before the first event, that what stands there is of a run of this configuration. Throws OUTPUT_EXISTS. */
  begin(configuration: string): void {
    const { resumes, force, path } = this.options
    if (resumes || force || this.standing === null || this.standing.configuration === configuration) return
    throw foreignError(path, 'it is a checkpoint of a run of another configuration')
  }

  /** Writes a checkpoint in the place of the last one: whole or not at all. Throws OUTPUT_EXISTS, OUTPUT_FAILED. */
  async write(checkpoint: Checkpoint): Promise<void> {
    const { path, force, inputs } = this.options
    const found = await versionOf(path)
    if (found !== null && found !== this.version && !force)
      throw foreignError(path, 'another process wrote it while this run went on')
    await writeWholeText(path, `${JSON.stringify(checkpoint)}\n`, { force: true, inputs })
    this.version = await versionOf(path)
    this.#isOurs = true
  }

  /** Removes the checkpoint of a run that has ended, where it is the one that the run wrote or resumed from. */
  async remove(): Promise<void> {
    if (this.#isOurs && (await versionOf(this.path)) === this.version) await rm(this.path, { force: true })
  }
}

function foreignError(path: string, why: string): BacktapeError {
  const advice = 'choose another name with --checkpoint, resume it with --resume, or overwrite it with --force'
  return new BacktapeError('OUTPUT_EXISTS', `Cannot write the checkpoint ${path}: ${why}; ${advice}`, {
    file: path, found: why,
  })
}
