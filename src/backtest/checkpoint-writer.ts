import { readFile, rm } from 'node:fs/promises'
import { BacktapeError } from '../model/error.js'
import { createWholeFile } from '../files/whole-file-writer.js'
import type { Checkpoint, CheckpointContent } from './checkpoint-state.js'

/** Writes a checkpoint, in the place of an older one: whole or not at all. Throws OUTPUT_FAILED. */
export async function writeCheckpoint(path: string, checkpoint: Checkpoint): Promise<void> {
  const file = await createWholeFile(path, { force: true })
  try {
    await file.write(new TextEncoder().encode(`${JSON.stringify(checkpoint)}\n`))
    await file.commit()
  } catch (error) {
    await file.abort()
    throw error
  }
}

/** Reads a checkpoint. Throws FILE_NOT_FOUND, FILE_UNREADABLE where it is no JSON of ours. */
export async function readCheckpoint(path: string): Promise<Checkpoint> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const isAbsent = (error as { readonly code?: string }).code === 'ENOENT'
    const words = isAbsent ? 'there is no such file; a run with --checkpoint-every writes it' : (error as Error).message
    throw new BacktapeError(isAbsent ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE', `Cannot go on from ${path}: ${words}`, { file: path }, error)
  })
  try {
    const checkpoint = JSON.parse(text) as CheckpointContent | null
    if (typeof checkpoint === 'object' && checkpoint !== null && Array.isArray(checkpoint.worlds)) return checkpoint
  } catch (error) {
    throw new BacktapeError('FILE_UNREADABLE', `Cannot go on from ${path}: it must be a checkpoint in JSON, found ${(error as Error).message}`, { file: path }, error)
  }
  throw new BacktapeError('FILE_UNREADABLE', `Cannot go on from ${path}: it must be a checkpoint, found other JSON`, { file: path })
}

/** Removes the checkpoint of a run that has ended. */
export async function removeCheckpoint(path: string): Promise<void> {
  await rm(path, { force: true })
}
