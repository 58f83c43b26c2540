import { BacktapeError } from '../model/error.js'
import { unlessStopped } from '../model/stop-signal.js'
import { DECODER_VERSION } from '../tickfile/decoder-version.js'
import { checkedMargins } from '../tickfile/days/margins.js'
import type { SkippedMember, TickSource } from '../tickfile/archive/tick-source.js'
import type { ConvertedInput, ConvertOptions, ConvertResult } from './convert-options.js'
import { EXPORT_KINDS, type ExportTarget, SHOP_EXPORTS } from './export-kind.js'
import { Manifest, ResultBatch } from './manifest-writer.js'
import { listInputs } from './input-list.js'
import { enterFolder } from './output-folder-writer.js'
import { OutputClient } from './output-client.js'
import { convertSource, outputThreads, type SourceConversion } from './source-conversion-writer.js'
import { isTextFormat, NUMBER_FORMS, TIME_FORMS, type TableForm } from '../tables/table-form.js'
import { EXPORT_FORMATS } from '../tables/output-format.js'
import type { DataInput } from '../tickfile/data-input.js'

function optionError(field: string, expected: string, found: unknown): BacktapeError {
  return new BacktapeError(
    'OPTION_INVALID', `Cannot convert: ${field} must be ${expected}, found ${JSON.stringify(found)}`,
    { field, expected, found: String(found).slice(0, 80) },
  )
}

/** The files that the options ask for, a source. */
function targetsOf(options: ConvertOptions): ExportTarget[] {
  const { to = 'parquet', kinds } = options
  for (const kind of kinds ?? [])
    if (!EXPORT_KINDS.includes(kind)) throw optionError('kinds', `some of ${EXPORT_KINDS.join(', ')}`, kind)
  if (kinds?.length === 0) throw optionError('kinds', `some of ${EXPORT_KINDS.join(', ')}`, kinds)
  if (to === 'shop') return SHOP_EXPORTS.filter((target) => kinds === undefined || kinds.includes(target.kind))
  if (!EXPORT_FORMATS.includes(to)) throw optionError('to', `one of ${EXPORT_FORMATS.join(', ')}, shop`, to)
  return EXPORT_KINDS.filter((kind) => kinds === undefined || kinds.includes(kind)).map((kind) => ({
    kind, format: to,
  }))
}

/** The options that change the bytes of the results. */
function optionsText(
  options: ConvertOptions, targets: readonly ExportTarget[], form: Omit<TableForm, 'format'>,
): string {
  const { day = null, onDamage = 'stop', lineLimitBytes = null } = options.read ?? {}
  const files = targets.map(({ kind, format }) => `${kind}.${format}`)
  return JSON.stringify({
    files, named: options.kinds !== undefined, day, onDamage, lineLimitBytes,
    margins: checkedMargins(options.margins), decoder: DECODER_VERSION, ...form,
  })
}

/**
 * The form of the tables; a value that changes none of the targets is left at its default, so that it makes no other
 * result.
 */
function formOf(
  { to, times = 'ns', numbers = 'decimal', comment = to === 'shop' }: ConvertOptions, targets: readonly ExportTarget[],
): Omit<TableForm, 'format'> {
  if (!TIME_FORMS.includes(times)) throw optionError('times', `one of ${TIME_FORMS.join(', ')}`, times)
  if (!NUMBER_FORMS.includes(numbers)) throw optionError('numbers', `one of ${NUMBER_FORMS.join(', ')}`, numbers)
  const texts = targets.filter(({ format }) => isTextFormat(format))
  return {
    times: texts.length > 0 ? times : 'ns',
    numbers: texts.length < targets.length ? numbers : 'decimal',
    comment: comment && texts.some(({ format }) => format.startsWith('csv')),
  }
}

const NOTHING = {
  outputs: [], eventCount: 0, margins: 'keep', openingSnapshot: 'none', leftOut: { before: 0, after: 0 },
  damagedLineCount: 0, cut: null, clockNotes: [],
} as const

function failed(name: string, error: unknown): ConvertedInput {
  const known =
    error instanceof BacktapeError
      ? error
      : new BacktapeError('OUTPUT_FAILED', `Cannot convert ${name}: ${String(error)}`, { file: name }, error)
  return {
    name, outcome: known.code === 'STOPPED' ? 'stopped' : 'failed', ...NOTHING, error: known, ignoredBecause: null,
  }
}

interface PlacedSource {
  readonly place: number
  readonly source: TickSource
}

/** One conversion of many inputs: hands out sources in order, at most `jobs` at a time. */
class Conversion {
  readonly results: ConvertedInput[] = []
  stopped = false
  private readonly sources: AsyncGenerator<PlacedSource>
  private readonly claimed = new Set<string>()
  private endedCount = 0
  private total: number | null = null
  private pulling: Promise<unknown> = Promise.resolve()
  /** Inputs end in the order in which they were written, each when its results have their names. */
  private ending: Promise<void> = Promise.resolve()

  constructor(
    inputs: readonly DataInput[],
    private readonly plan: SourceConversion,
  ) {
    this.sources = this.open(inputs)
  }

  /** Takes sources until there is none, `jobs` at a time, and publishes their results. */
  async run(jobs: number): Promise<void> {
    try {
      await Promise.all(Array.from({ length: jobs }, () => this.work(jobs)))
    } finally {
      await this.plan.batch.flush()
    }
    await this.ending
  }

  /** One worker of the pool: takes the next source until there is none. */
  private async work(jobs: number): Promise<void> {
    const client = new OutputClient(outputThreads(jobs))
    try {
      for (let next = await this.pull(client); next !== null; next = await this.pull(client)) {
        await this.convert(next, client)
      }
    } finally {
      await client.close()
    }
  }

  private end(place: number, result: Promise<ConvertedInput> | ConvertedInput): void {
    this.ending = this.ending.then(async () => {
      const ended = await result
      this.results[place] = ended
      this.plan.options.onInput?.(ended, { number: ++this.endedCount, total: this.total })
    })
    // Thrown where the conversion ends.
    this.ending.catch(() => undefined)
  }

  private isStopped(): boolean {
    if (this.plan.options.signal?.aborted === true) this.stopped = true
    return this.stopped
  }

  /**
   * One after the other; a source that gives its bytes once is done before the next is asked for, as an archive from a
   * stream needs.
   */
  private pull(client: OutputClient): Promise<PlacedSource | null> {
    const turn = this.pulling.then(async () => {
      for (;;) {
        if (this.isStopped()) return null
        const next = await this.next()
        if (next === null) return null
        if (next.done === true) return null
        if (next.value.source.repeatable) return next.value
        await this.convert(next.value, client)
      }
    })
    this.pulling = turn.catch(() => undefined)
    return turn
  }

  /** An input may hang before its first bytes: then it has no result. */
  private async next(): Promise<IteratorResult<PlacedSource> | null> {
    try {
      return await unlessStopped(this.sources.next(), this.plan.options.signal, 'the inputs')
    } catch (error) {
      if (!this.isStopped()) throw error
      return null
    }
  }

  private async *open(inputs: readonly DataInput[]): AsyncGenerator<PlacedSource> {
    const { prefer, onSelection } = this.plan.options
    const list = await listInputs(inputs, {
      ...(prefer === undefined ? {} : { prefer }), ...(onSelection === undefined ? {} : { onSelection }),
    })
    this.total = list.total
    let place = 0
    for await (const found of list.found()) {
      if ('error' in found) this.end(place++, failed(found.name, found.error))
      else if ('skippedBecause' in found) this.end(place++, ignored(found))
      else if (this.claimed.has(found.fileName)) this.end(place++, failed(found.name, sameNameError(found)))
      else {
        this.claimed.add(found.fileName)
        yield { place: place++, source: found }
      }
    }
  }

  /** Returns when the source is written; it ends when its results have their names. */
  private async convert({ place, source }: PlacedSource, client: OutputClient): Promise<void> {
    const ended = (error: unknown): ConvertedInput => {
      const result = failed(source.name, error)
      if (result.outcome === 'stopped') this.stopped = true
      return result
    }
    try {
      const { outcome } = await convertSource(source, this.plan, client)
      this.end(
        place, outcome.then((done) => ({ name: source.name, error: null, ignoredBecause: null, ...done }), ended),
      )
    } catch (error) {
      this.end(place, ended(error))
    }
  }
}

function ignored(member: SkippedMember): ConvertedInput {
  return { name: member.name, outcome: 'ignored', ...NOTHING, error: null, ignoredBecause: member.skippedBecause }
}

function sameNameError(source: TickSource): BacktapeError {
  const message = `Cannot convert ${source.name}: another input has the same base name, and both would write the ` +
    'same files; convert them into different folders'
  return new BacktapeError('OUTPUT_EXISTS', message, { file: source.name })
}

/**
 * Converts tick files to tables in files `OUT/{base name}.{kind}.{format}`, in bounded memory. Each file is written
 * under a temporary name and renamed when whole; a manifest in the folder lets the same call skip what is done and
 * finish what is not. A source counts as done when size and SHA-256 of its bytes and size and checksum of each of its
 * results are as the manifest says. Each table holds the UTC day of its file alone (`margins`): the tables of
 * consecutive days hold no event twice. What was left out is counted. A damaged input does not stop the others:
 * `failedCount` and the input's `error` say so. Throws only for bad options (OPTION_INVALID) and for a folder that
 * cannot be used (OUTPUT_FAILED, OUTPUT_EXISTS).
 *
 * @example
 * ```ts
 * import { convertFiles } from 'backtape'
 * const result = await convertFiles([], { out: 'out/archive', to: 'parquet' })
 * if (result.failedCount !== 0) throw new Error('nothing to fail')
 * ```
 */
export async function convertFiles(inputs: readonly DataInput[], options: ConvertOptions): Promise<ConvertResult> {
  const targets = targetsOf(options)
  const form = formOf(options, targets)
  const jobs = options.jobs ?? 1
  if (!Number.isSafeInteger(jobs) || jobs < 1 || jobs > 64)
    throw optionError('jobs', 'a whole number from 1 to 64', jobs)
  await enterFolder(options.out)
  const manifest = new Manifest(options.out, options.force === true)
  // A file that is no manifest is refused before any work.
  await manifest.entriesOf('')
  const batch = new ResultBatch(manifest)
  const conversion = new Conversion(inputs, {
    options, targets, form, manifest, batch, optionsText: optionsText(options, targets, form),
    inputPaths: inputs.filter((input) => typeof input === 'string'),
  })
  await conversion.run(jobs)
  const results = conversion.results.filter((result) => result as ConvertedInput | undefined)
  const count = (outcome: ConvertedInput['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length
  const counts = { convertedCount: count('converted'), skippedCount: count('skipped'), failedCount: count('failed') }
  return { inputs: results, ...counts, stopped: conversion.stopped, manifestPath: manifest.path }
}
