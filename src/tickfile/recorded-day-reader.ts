import { open, readdir, rename, rm, truncate } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ownerState, ownOwner } from '../files/leftover-writer.js'
import { outputError, systemCode } from '../files/output-fault.js'
import { publishNew } from '../files/whole-file-writer.js'
import { createBareDecompressor } from '../files/zstd-compressor.js'
import { BacktapeError } from '../model/error.js'
import { isJsonObject } from '../model/json-object.js'
import { readWholeFrames, type FramePlace } from './zstd/frame-places-reader.js'

/** A field of line 1 that says who wrote the file: a recording goes on in no other. */
export const RECORDED_BY = { recorded_by: 'backtape' } as const

const UNFINISHED = /^(.+\.txt\.zst)\.unfinished-([0-9a-f]{8})-(\d{1,10})-(\d{1,20})$/s
/** A line's adapter time: of a state its third element, of any other the fifth. */
const LINE_TIME = /^\[(?:5,\d+,(\d+)|\d+,\d+,"(?:[^"\\]|\\.)*","(?:[^"\\]|\\.)*",(\d+)),/

/** The name of a file while this process records it. */
export function unfinishedPath(path: string): string {
  const { space, pid, start } = ownOwner()
  return `${path}.unfinished-${space}-${String(pid)}-${start}`
}

/** A recording as it stands on disk. */
export interface RecordingLook {
  /** The end of its last whole frame. */
  readonly sizeBytes: number
  /** Adapter time of its last line, epoch nanoseconds; null where it has line 1 alone. */
  readonly lastTime: bigint | null
}

/**
 * Looks at a file that a recording is to go on in. Throws OUTPUT_EXISTS where no recording has written it, or one of
 * another instrument.
 */
export async function lookAtRecording(path: string, instrumentId: number): Promise<RecordingLook> {
  const frames = await readWholeFrames(path)
  const [first] = frames
  const last = frames.at(-1)
  const head = first === undefined ? '' : await frameText(path, first)
  if (last === undefined || !isRecordingOf(head, instrumentId)) {
    const words = 'a day that no recording of this instrument has written stands there, and is never written over; ' +
      'record into another folder'
    throw new BacktapeError('OUTPUT_EXISTS', `Cannot record into ${path}: ${words}`, { file: path })
  }
  const line = (await frameText(path, last)).trimEnd().split('\n').at(-1) ?? ''
  const [, ofState, ofEvent] = LINE_TIME.exec(line) ?? []
  const time = ofState ?? ofEvent
  return { sizeBytes: last.byteOffset + last.sizeBytes, lastTime: time === undefined ? null : BigInt(time) }
}

function isRecordingOf(text: string, instrumentId: number): boolean {
  const [line = ''] = text.split('\n', 1)
  try {
    const master: unknown = JSON.parse(line)
    if (!isJsonObject(master) || master['recorded_by'] !== RECORDED_BY.recorded_by) return false
    const { instrument } = master
    return isJsonObject(instrument) && instrument['id'] === instrumentId
  } catch {
    return false
  }
}

/** Frames of a recording are small; those of other files may be of any size, and their begin says enough. */
const LOOKED_BYTES = 64 * 1024 * 1024

async function frameText(path: string, { byteOffset, sizeBytes, contentBytes }: FramePlace): Promise<string> {
  if (contentBytes === null || contentBytes > LOOKED_BYTES || sizeBytes > LOOKED_BYTES) return ''
  const handle = await open(path, 'r')
  try {
    const packed = new Uint8Array(sizeBytes)
    await handle.read(packed, 0, sizeBytes, byteOffset)
    const decompress = await createBareDecompressor()
    return new TextDecoder().decode(decompress(packed, contentBytes))
  } catch {
    return ''
  } finally {
    await handle.close()
  }
}

/** Throws OUTPUT_FAILED where another process records the same day. */
export async function refuseOtherRecorder(path: string): Promise<void> {
  const own = basename(unfinishedPath(path))
  for (const name of await readdir(dirname(path))) {
    const found = UNFINISHED.exec(name)
    if (found?.[1] !== basename(path) || name === own) continue
    const sentence = `Cannot record into ${path}: another process records it, or was ended; where none does, give ` +
      `${name} the name ${basename(path)}`
    throw new BacktapeError('OUTPUT_FAILED', sentence, { file: path, found: name.slice(0, 80) })
  }
}

/**
 * Gives what ended processes left unfinished in a folder its name, up to the last whole frame. Returns sentences about
 * what could not be named. Throws OUTPUT_FAILED for a folder that cannot be read.
 */
export async function finishRecordings(folder: string): Promise<readonly string[]> {
  const sentences: string[] = []
  const names = await readdir(folder).catch((error: unknown) => { throw outputError(folder, error) })
  for (const name of names) {
    const [, day, space = '', pid = '', start = ''] = UNFINISHED.exec(name) ?? []
    if (day === undefined || ownerState({ space, pid: Number(pid), start }) !== 'ended') continue
    const sentence = await finish(join(folder, name), join(folder, day))
    if (sentence !== null) sentences.push(sentence)
  }
  return sentences
}

async function finish(left: string, path: string): Promise<string | null> {
  const own = unfinishedPath(path)
  try {
    // Of two processes that find it, one gets it.
    await rename(left, own)
    const last = (await readWholeFrames(own)).at(-1)
    if (last === undefined) await rm(own, { force: true })
    else {
      await truncate(own, last.byteOffset + last.sizeBytes)
      await publishNew(own, path)
    }
    return null
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    const reason = error instanceof Error ? error.message : String(error)
    await rename(own, left).catch(() => undefined)
    return `Cannot finish ${left}: ${reason}`
  }
}
