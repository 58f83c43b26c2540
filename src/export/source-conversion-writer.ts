import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { BacktapeError } from '../model/error.js'
import type { EventBatch } from '../model/event-batch.js'
import { refuseStopped } from '../model/stop-signal.js'
import { checkedMargins, fileRows, type Margins } from '../tickfile/days/margins.js'
import type { LeftOutEvents } from '../tickfile/days/stitching-report.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { TickSource } from '../tickfile/archive/tick-source.js'
import { createWholeFile, type WholeFile } from '../files/whole-file-writer.js'
import type { ConvertedOutput, ConvertOptions, ConvertProgress } from './convert-options.js'
import { PASSES_MAX } from './shape-needs.js'
import {
  exportFileName, type ExportTarget, lateMetadata, marginMetadata, metadataOf, shapeFromInstrument, shapeMetadata,
  type TableShape,
} from './export-kind.js'
import type { Manifest, ManifestEntry, ManifestOutput, ResultBatch } from './manifest-writer.js'
import type { OutputClient } from './output-client.js'
import { fileFacts } from './output-folder-writer.js'
import type { WrittenOutput } from './output-plan.js'
import { clockWords } from '../model/clock-words.js'
import { hashedSource, type SourceFacts, sourceFacts } from '../tickfile/source-checksum-reader.js'
import type { ReadingCut } from '../model/damage-words.js'
import { isTextFormat, metadataIn, type TableForm } from '../tables/table-form.js'
import type { ReadOptions } from '../tickfile/archive/read-options.js'

const PROGRESS_INTERVAL_MS = 100

/** The terms of one conversion of many. */
export interface SourceConversion {
  readonly options: ConvertOptions
  readonly targets: readonly ExportTarget[]
  /** The form of the tables, whatever their format. */
  readonly form: Omit<TableForm, 'format'>
  readonly manifest: Manifest
  readonly batch: ResultBatch
  /** Paths of all inputs of the conversion: no result may replace one of them. */
  readonly inputPaths: readonly string[]
  /** The options that change results, as text: part of the manifest's key. */
  readonly optionsText: string
}

/** The outcome for a source. */
interface SourceOutcome {
  readonly outcome: 'converted' | 'skipped'
  readonly outputs: readonly ConvertedOutput[]
  readonly eventCount: number
  readonly margins: Margins
  readonly openingSnapshot: 'made' | 'none'
  readonly leftOut: LeftOutEvents
  readonly damagedLineCount: number
  readonly cut: ReadingCut | null
  readonly clockNotes: readonly string[]
}

/** A source whose tables are written, or that was done before. */
export interface WrittenSource {
  /** Settles when its results have their names. Throws OUTPUT_EXISTS, OUTPUT_FAILED. */
  readonly outcome: Promise<SourceOutcome>
}

/** A table that is being written, and the shape it is written in. */
interface Draft {
  readonly target: ExportTarget
  readonly path: string
  readonly replace: boolean
  readonly form: TableForm
  metadata: readonly (readonly [string, string])[]
  shape: TableShape
  file: WholeFile
  written: WrittenOutput | null
}

/** Reports at most ten times a second. */
class ProgressReporter {
  private readonly begun: number = performance.now()
  private reported = 0
  private bytesDone = 0
  private eventCount = 0

  constructor(
    private readonly source: TickSource,
    private readonly report: ConvertOptions['onProgress'],
  ) {}

  /** The work ends here, with what was done of it. */
  end(error: unknown): void {
    const isStopped = error instanceof BacktapeError && error.code === 'STOPPED'
    this.tell(isStopped ? 'stopped' : 'failed', this.bytesDone, this.eventCount)
  }

  tell(
    phase: ConvertProgress['phase'], bytesDone: number, eventCount: number, clockNotes: readonly string[] = [],
  ): void {
    const now = performance.now()
    this.bytesDone = bytesDone
    this.eventCount = eventCount
    if (this.report === undefined || (phase === 'converting' && now - this.reported < PROGRESS_INTERVAL_MS)) return
    this.reported = now
    const elapsedSeconds = (now - this.begun) / 1000
    const bytesTotal = this.source.sizeBytes
    const isOver = phase === 'failed' || phase === 'stopped'
    const secondsLeft =
      bytesTotal === null || bytesDone === 0 || isOver
        ? null
        : (elapsedSeconds * Math.max(0, bytesTotal - bytesDone)) / bytesDone
    this.report({
      name: this.source.name, phase, bytesDone, bytesTotal, eventCount, clockNotes, elapsedSeconds, secondsLeft,
    })
  }
}

/**
 * The outputs of a manifest entry as results, where every one of them stands in the folder as the manifest says; null
 * otherwise.
 */
async function existingOutputs(entry: ManifestEntry, folder: string): Promise<ConvertedOutput[] | null> {
  const outputs: ConvertedOutput[] = []
  for (const output of entry.outputs) {
    const path = output.file === null ? null : join(folder, output.file)
    if (path !== null && !(await isAsListed(path, output))) return null
    outputs.push({
      kind: output.kind, format: output.format, path, rowCount: output.rows, sizeBytes: output.sizeBytes,
      checksum: output.checksum,
    })
  }
  return outputs
}

async function isAsListed(path: string, output: ManifestOutput): Promise<boolean> {
  const facts = await fileFacts(path)
  return facts !== null && facts.sizeBytes === output.sizeBytes && facts.checksum === output.checksum
}

/**
 * Converts one source, or finds that it is done. Nothing under a final name unless everything is whole. Returns when
 * all is written, so that the next source may begin while the results wait for their names.
 */
export async function convertSource(
  source: TickSource, conversion: SourceConversion, client: OutputClient,
): Promise<WrittenSource> {
  const progress = new ProgressReporter(source, conversion.options.onProgress)
  const reported = (error: unknown): never => {
    progress.end(error)
    throw error
  }
  const { outcome } = await convertFollowed(source, conversion, client, progress).catch(reported)
  const result = outcome.catch(reported)
  // Whoever waits for it does so later.
  result.catch(() => undefined)
  return { outcome: result }
}

async function convertFollowed(
  source: TickSource, conversion: SourceConversion, client: OutputClient, progress: ProgressReporter,
): Promise<WrittenSource> {
  const { options, manifest, optionsText } = conversion
  progress.tell('checking', 0, 0)
  const known = await manifest.entriesOf(source.fileName)
  const facts = known.length > 0 && source.repeatable ? await sourceFacts(source, options.signal) : null
  const same = known.filter(
    (entry) => entry.source.sha256 === facts?.sha256 && entry.source.sizeBytes === facts.sizeBytes,
  )
  const done = options.force === true ? undefined : same.find((entry) => entry.options === optionsText)
  const outputs = done === undefined ? null : await existingOutputs(done, options.out)
  if (done !== undefined && outputs !== null) {
    progress.tell('skipped', done.source.sizeBytes, done.events)
    const {
      events: eventCount, damagedLines: damagedLineCount, margins, openingSnapshot, leftOut, cut = null,
      clockNotes = [],
    } = done
    return {
      outcome: Promise.resolve({
        outcome: 'skipped', outputs, eventCount, margins, openingSnapshot, leftOut, damagedLineCount, cut,
        clockNotes,
      }),
    }
  }
  await conversion.batch.ready()
  const drafts = await createDrafts(source, conversion, same.flatMap((entry) => entry.outputs))
  const abort = async (): Promise<void> => {
    for (const draft of drafts) await draft.file.abort()
  }
  try {
    const written = await writeDrafts(source, conversion, client, drafts, progress)
    return { outcome: publish(written, conversion, progress).finally(abort) }
  } catch (error) {
    await abort()
    throw error
  }
}

async function createDrafts(
  source: TickSource, conversion: SourceConversion, ours: readonly ManifestOutput[],
): Promise<Draft[]> {
  const { options, targets, form, inputPaths: inputs } = conversion
  const drafts: Draft[] = []
  try {
    for (const target of targets) {
      const path = join(options.out, exportFileName(source.fileName, target))
      const listed = ours.filter((output) => output.file === basename(path))
      const replace = options.force === true || (await someAsync(listed, (output) => isAsListed(path, output)))
      const shape = { priceScale: 0, quantityScale: 0, idsAreText: false }
      const file = await createWholeFile(path, { force: replace, inputs, isSwept: true }).catch(
        (error: unknown) => { throw changedSince(error, path, listed) },
      )
      drafts.push({
        target, path, replace, form: { ...form, format: target.format }, metadata: [], shape, file, written: null,
      })
    }
    return drafts
  } catch (error) {
    for (const draft of drafts) await draft.file.abort()
    throw error
  }
}

/** The refusal of an own result that somebody has changed since, in words that say so; other errors pass. */
function changedSince(error: unknown, path: string, listed: readonly ManifestOutput[]): unknown {
  if (!(error instanceof BacktapeError) || error.code !== 'OUTPUT_EXISTS' || listed.length === 0) return error
  const sentence =
    `Cannot write ${path}: it is no longer what the manifest says; move it away to keep it, or write it again ` +
      'with --force'
  return new BacktapeError('OUTPUT_EXISTS', sentence, error.place, error)
}

async function someAsync<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await test(item)) return true
  return false
}

interface WrittenDrafts {
  readonly kept: readonly Draft[]
  readonly entry: ManifestEntry
  readonly rows: PassCounts['rows']
}

async function writeDrafts(
  source: TickSource, conversion: SourceConversion, client: OutputClient, drafts: readonly Draft[],
  progress: ProgressReporter,
): Promise<WrittenDrafts> {
  const { options, optionsText } = conversion
  let counts = await pass(source, conversion, client, drafts, progress, true)
  let again = drafts.filter((draft) => draft.written?.fits === false)
  // Scales and ids are known after one pass, numbers too long at those scales after the next: each needs more digits.
  for (let passes = 1; again.length > 0; passes++) {
    if (!source.repeatable) {
      const message = `Cannot convert ${source.name} in one go: it has finer digits or other ids than its master ` +
        'data says, and a stream cannot be read again; save it to a file first'
      throw new BacktapeError('VALUE_INEXACT', message, { file: source.name })
    }
    for (const draft of again) {
      await draft.file.abort()
      draft.file = await createWholeFile(draft.path, {
        force: draft.replace, inputs: conversion.inputPaths, isSwept: true,
      })
      draft.shape = draft.written?.neededShape ?? draft.shape
    }
    const second = await pass(source, conversion, client, again, progress, false)
    again = again.filter((draft) => draft.written?.fits === false)
    if (second.facts.sha256 !== counts.facts.sha256 || (again.length > 0 && passes === PASSES_MAX))
      throw changedError(source)
    counts = second
  }
  const explicit = new Set(options.kinds ?? [])
  const kept = drafts.filter((draft) => (draft.written?.rowCount ?? 0) > 0 || explicit.has(draft.target.kind))
  if (options.check === true) await check(source, options, kept)
  const listed = drafts.map((draft): ManifestOutput => {
    const { rowCount = 0, sizeBytes = 0, checksum = '' } = kept.includes(draft) ? (draft.written ?? {}) : {}
    const file = kept.includes(draft) ? basename(draft.path) : null
    return {
      ...draft.target, file, rows: rowCount, sizeBytes, checksum, ...(file === null ? {} : metadataForManifest(draft)),
    }
  })
  // What has no rows is no file: nothing of it waits.
  for (const draft of drafts) if (!kept.includes(draft)) await draft.file.abort()
  const { eventCount, damagedLineCount, cut, clockNotes, ...margins } = counts.rows
  const entry: ManifestEntry = {
    source: { file: source.fileName, ...counts.facts },
    options: optionsText,
    events: eventCount,
    ...margins,
    damagedLines: damagedLineCount,
    ...(cut === null ? {} : { cut }),
    ...(clockNotes.length === 0 ? {} : { clockNotes }),
    outputs: listed,
  }
  return { kept, entry, rows: counts.rows }
}

async function publish(
  { kept, entry, rows }: WrittenDrafts, { options, batch }: SourceConversion, progress: ProgressReporter,
): Promise<SourceOutcome> {
  await batch.add(
    entry, kept.map(({ file }) => file),
  )
  progress.tell('done', entry.source.sizeBytes, entry.events, entry.clockNotes)
  const outputs = entry.outputs.map(({ kind, format, file, rows: rowCount, sizeBytes, checksum }) => ({
    kind, format, path: file === null ? null : join(options.out, file), rowCount, sizeBytes, checksum,
  }))
  return { outcome: 'converted', outputs, ...rows }
}

/** The metadata that a format without a place for them leaves to the manifest. */
function metadataForManifest({ form, metadata, shape }: Draft): Pick<ManifestOutput, 'metadata'> {
  if (!isTextFormat(form.format)) return {}
  return { metadata: Object.fromEntries(metadataIn(form, new Map([...metadata, ...shapeMetadata(shape)]))) }
}

/** Loaded only where asked for: the readers weigh more than all the rest of a conversion. */
async function check(source: TickSource, options: ConvertOptions, drafts: readonly Draft[]): Promise<void> {
  const { checkResults } = await import('./result-check.js')
  const files = drafts.map(({ target, file, path, shape, form }) => ({
    ...target, path: file.temporaryPath, name: path, shape, form,
  }))
  await checkResults(source, { read: readOptions(options), margins: checkedMargins(options.margins) }, files)
}

function readOptions({ read, signal }: ConvertOptions): ReadOptions {
  return signal === undefined ? { ...read } : { ...read, signal }
}

function changedError({ name }: TickSource): BacktapeError {
  return new BacktapeError(
    'FILE_UNREADABLE',
    `Cannot convert ${name}: it changed while it was read; convert it again when nobody writes to it`, { file: name },
  )
}

interface PassCounts {
  readonly facts: SourceFacts
  readonly rows: Omit<SourceOutcome, 'outcome' | 'outputs'>
}

/**
 * A job keeps a reader and a decompressor busy beside its outputs: a second thread for these pays where cores are left,
 * and costs 25 MB.
 */
export function outputThreads(jobs: number): 1 | 2 {
  return jobs === 1 || availableParallelism() >= 3 * jobs ? 2 : 1
}

/** Reads the source once and writes the drafts; in the first pass their shape is the master data's. */
async function pass(
  source: TickSource, { options }: SourceConversion, client: OutputClient, drafts: readonly Draft[],
  progress: ProgressReporter, isFirst: boolean,
): Promise<PassCounts> {
  const hashed = hashedSource(source)
  const reading = await readTickFile(hashed.source, readOptions(options))
  const { instrument, summary, day } = reading
  const rows = fileRows(reading, checkedMargins(options.margins))
  const batches = rows.batches()
  let isWritten = false
  try {
    // What a table says of its begin is known with the first batch.
    const first = await batches.next()
    const margins = marginMetadata(rows, day)
    const plans = drafts.map((draft) => {
      if (isFirst) draft.shape = shapeFromInstrument(instrument)
      draft.metadata = [...metadataOf(instrument, draft.target), ...margins]
      const { target, shape, form, metadata, path, file } = draft
      return { ...target, shape, form, metadata, path, temporaryPath: file.temporaryPath }
    })
    client.begin(plans, source.sizeBytes)
    await pump(first, batches, client, () => {
      refuseStopped(options.signal, reading.name)
      progress.tell('converting', summary.compressedBytes, summary.eventCount)
    })
    const late = lateMetadata(rows, summary)
    const written = await client.finish(late)
    isWritten = true
    for (const draft of drafts) draft.metadata = [...draft.metadata, ...late]
    drafts.forEach((draft, i) => (draft.written = written[i] ?? null))
    const { openingSnapshot, leftOut } = rows.report ?? { openingSnapshot: 'none', leftOut: { before: 0, after: 0 } }
    const { damagedLineCount, cut } = summary
    const eventCount = summary.eventCount - leftOut.before - leftOut.after
    return {
      facts: hashed.facts(),
      rows: {
        eventCount, margins: rows.margins, openingSnapshot, leftOut, damagedLineCount, cut,
        clockNotes: clockWords(summary),
      },
    }
  } finally {
    await batches.return?.()
    await reading.close()
    if (!isWritten) await client.close()
  }
}

async function pump(
  first: IteratorResult<EventBatch>, batches: AsyncIterator<EventBatch>, client: OutputClient, between: () => void,
): Promise<void> {
  for (let step = first; step.done !== true; step = await batches.next()) {
    between()
    await client.write(step.value)
  }
}
