import type { TickInput } from '../tickfile/tick-source.js'
import type { ConvertOptions, ConvertResult } from './convert-options.js'

/**
 * Converts tick files to tables in files `OUT/{base name}.{kind}.{format}`, in bounded memory. Each file is written under a
 * temporary name and renamed when whole; a manifest in the folder lets the same call skip what is done and finish what is not.
 * A damaged input does not stop the others: `failedCount` and the input's `error` say so. Throws only for bad options and a
 * folder that cannot be written.
 */
export function convertFiles(inputs: readonly TickInput[], options: ConvertOptions): Promise<ConvertResult> {
  return Promise.reject(new Error(`conversion of ${String(inputs.length)} inputs to ${options.out} is not built yet`))
}
