import { BacktapeError } from './model/error.js'
import { createFrameCompressor } from './files/zstd-compressor.js'

/**
 * The bytes of a small tick file: the lines as they are given, each ended by a line feed, in one checksummed zstd
 * frame. Line 1 is the master data. Nothing is checked, so that a test can make any damage it wants. Readable by
 * everything that takes bytes.
 *
 * @example
 * ```ts
 * import { readEvents } from 'backtape'
 * import { tickFileBytes } from 'backtape/testing'
 * const master = '{"instrument":{"id":7,"code":"A"},"underlyings":[]}'
 * const prices: string[] = []
 * for await (const event of readEvents(await tickFileBytes([master, '[8,7,"0","1",1735862400000000000,0,"1.5"]']))) {
 *   if (event.kind === 'index') prices.push(event.price.toString())
 * }
 * if (prices.join() !== '1.5') throw new Error('one index price')
 * ```
 */
export async function tickFileBytes(lines: readonly string[]): Promise<Uint8Array> {
  const compress = await createFrameCompressor(3)
  return compress(new TextEncoder().encode(lines.map((line) => `${line}\n`).join('')))
}

/** The comparison of a run with its golden. */
export interface ExpectRunOptions {
  /**
   * Accept what the run does: write its golden where it is missing or differs. Default: what
   * `BACKTAPE_UPDATE_GOLDENS=1` in the environment says.
   */
  readonly update?: boolean
}

/** The expectation of a run file. */
export interface RunExpectation {
  /**
   * Runs it and compares what it did with its golden. Rejects with GOLDEN_DIFFERS and the first difference in words,
   * where they differ or the golden is missing.
   */
  toMatchGolden(): Promise<void>
}

/**
 * The expectation of a run file, in any test runner: the same words as `backtape verify`. A relative path counts from
 * the working directory.
 *
 * @example
 * ```ts
 * import { expectRun } from 'backtape/testing'
 * const verdict = expectRun('runs/nowhere.run.json').toMatchGolden()
 * const words: string = await verdict.then(() => 'as it did', (error: Error) => error.message)
 * if (words !== 'Cannot read the run file runs/nowhere.run.json: it does not exist') throw new Error(words)
 * ```
 */
export function expectRun(path: string, options: ExpectRunOptions = {}): RunExpectation {
  return {
    async toMatchGolden(): Promise<void> {
      const [{ checkFailure, checkGolden }, { isUpdateAsked }] = await Promise.all([
        import('./backtest/golden-check.js'), import('./backtest/golden-update-reader.js'),
      ])
      const check = await checkGolden(path, { update: options.update ?? isUpdateAsked() })
      const failure = checkFailure(check)
      if (failure !== null) throw new BacktapeError('GOLDEN_DIFFERS', failure, { file: path })
    },
  }
}
