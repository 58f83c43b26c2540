import { dayText, isoFromEpochNs } from '../model/time.js'
import { LAST_FRAME_BYTES, readQuickLook, type QuickLook } from '../tickfile/quick-look-reader.js'
import type { Arguments } from './terminal/arguments.js'
import { instrumentText, underlyingsText, unitsText } from './instrument-text.js'
import type { FailedFile, FailedFiles } from './failed-files.js'
import type { Output } from './terminal/output.js'
import { eachSource } from './source-inputs.js'
import { alignedLines, byteText, counted } from './terminal/text-table.js'

/** The rest of a file that `--quick` does not read. */
const NOT_READ = ['events by kind', 'their rows', 'lines', 'chain gaps', 'damage', 'clock jumps', 'checksums']

/** The fields of the whole record that `--quick` does not have. */
const FIELDS_NOT_READ = [
  'eventsByKind', 'rowsByKind', 'chainGapCount', 'clockStepBackCount', 'eventCount', 'lineCount', 'unknownTypes',
  'damagedLineCount', 'damages', 'jumpedLineCount', 'clockJumps', 'farTimeCount', 'odd',
]

function quickScreen(look: QuickLook): string[] {
  const { instrument, firstTimestampNs: first, lastTimestampNs: last, textBytes, frameCount, lastFrameBytes } = look
  const none = first === null ? 'none' : null
  const unread = lastFrameBytes > LAST_FRAME_BYTES
    ? `not read: the last zstd frame has ${byteText(lastFrameBytes)}`
    : 'not read: the last zstd frame holds no whole line of an event, or too much text'
  const notRead = [
    ...(last === null && first !== null ? ['the last event'] : []),
    ...(textBytes === null ? ['the size of the text'] : []), ...NOT_READ,
  ]
  return alignedLines([
    ['file', look.name],
    ['instrument', instrumentText(instrument)],
    ['units', unitsText(instrument)],
    ['underlyings', underlyingsText(instrument, look.underlyings)],
    ['day', look.epochDay === null ? 'unknown' : dayText(look.epochDay)],
    ['first event', none ?? isoFromEpochNs(first ?? 0n)],
    ['last event', none ?? (last === null ? unread : isoFromEpochNs(last))],
    [
      'sizes',
      `${byteText(look.compressedBytes)} compressed in ${counted(frameCount, 'zstd frame')}` +
        (textBytes === null ? '' : `, ${byteText(textBytes)} of text`),
    ],
    ['not read', notRead.join(', ')],
  ])
}

function quickRecord(look: QuickLook): object {
  const { firstTimestampNs: first, lastTimestampNs: last, textBytes } = look
  return {
    file: look.name,
    day: look.epochDay === null ? null : dayText(look.epochDay),
    instrument: look.instrument,
    underlyings: look.underlyings,
    firstAdapterTimestampNs: first === null ? null : String(first),
    lastAdapterTimestampNs: last === null ? null : String(last),
    compressedBytes: look.compressedBytes,
    textBytes,
    frameCount: look.frameCount,
    notRead: [
      ...(last === null && first !== null ? ['lastAdapterTimestampNs'] : []),
      ...(textBytes === null ? ['textBytes'] : []), ...FIELDS_NOT_READ,
    ],
  }
}

/** A file as it is shown: lines of a screen, and a record. */
export interface ShownFile {
  readonly lines: readonly string[]
  readonly record: object
}

/** The files of `info --quick`; one that cannot be read is a failure, and the others follow. */
export async function* quickFiles(
  args: Arguments, output: Output, failed: FailedFiles,
): AsyncGenerator<ShownFile | FailedFile, void, undefined> {
  const options = args.selectionOptions()
  for await (const source of eachSource(args.data(), options, output, failed)) {
    if ('error' in source) {
      yield source
      continue
    }
    const look = await readQuickLook(source, options).catch((error: unknown) => failed.add(source.name, error))
    yield 'error' in look ? look : { lines: quickScreen(look), record: quickRecord(look) }
  }
}
