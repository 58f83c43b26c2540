import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRun } from '../../src/testing.js'
import { backtape } from '../support/command.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())

/** Places an order after a second, and throws after as many as the config says. */
const FALLS = strategyModule(`  @Parameter(Number, { name: 'fallsAfter' }) fallsAfter!: number

  override onStart(): void {
    this.after(1000, () => this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('10'), price: this.instrument.bestBid.price }))
    this.after(this.fallsAfter, () => this.fall())
  }
  fall(): void { throw new RangeError('too deep') }`)
const content = (...fallsAfter: readonly number[]): object => {
  const sets = fallsAfter.map((after) => ({ instrument: 'XRPUSDT', fallsAfter: after }))
  return runContent({ parameters: sets.length === 1 ? sets[0] : sets })
}

function linesOf(text: string): readonly { readonly kind: string; readonly seq?: number; readonly reason?: string }[] {
  return text.trimEnd().split('\n').map((line) => JSON.parse(line) as { kind: string })
}

const SENTENCE = `Cannot go on with Subject at 2026-07-01T23:55:33.000000000Z: the timer made at ${join(folder.path, 'subject.ts')}:10:10 threw RangeError: too deep`

describe('a run that fails', { timeout: 180_000 }, () => {
  const run = join(folder.path, 'falls.run.json')
  beforeAll(() => {
    folder.write('subject.ts', FALLS)
    folder.write('falls.run.json', content(3000))
    folder.write('falls-twice.run.json', content(4000, 3000))
    folder.write('stands.run.json', content(3_600_000))
  })

  test('leaves its journal up to there beside the name of a whole one, and says where', async () => {
    const journal = join(folder.path, 'falls.jsonl')
    writeFileSync(join(folder.path, 'falls.failed.jsonl'), 'of a run before')
    const { code, out, err } = await backtape(['backtest', run, '--journal', journal])
    const sentences = err.trimEnd().split('\n')
    expect([code, out, sentences[0], sentences.at(-1)]).toEqual([1, '', SENTENCE, `The journal up to there: ${join(folder.path, 'falls.failed.jsonl')}`])
    expect(existsSync(journal)).toBe(false)
    const lines = linesOf(readFileSync(join(folder.path, 'falls.failed.jsonl'), 'utf8'))
    expect(lines.at(-1)).toEqual({ kind: 'failed', reason: SENTENCE })
    expect(lines.slice(0, -1).map(({ seq }) => seq)).toEqual([...lines.slice(0, -1).keys()])
    expect(lines.map(({ kind }) => kind)).toContain('place')
    expect(readdirSync(folder.path).filter((name) => name.includes('backtape-part'))).toEqual([])
  })

  test('has the lines of a run that stands, as far as it came', async () => {
    const [failed, whole] = [join(folder.path, 'falls.failed.jsonl'), join(folder.path, 'whole.jsonl')]
    expect((await backtape(['backtest', join(folder.path, 'stands.run.json'), '--journal', whole])).code).toBe(0)
    expect(readFileSync(whole, 'utf8').startsWith(readFileSync(failed, 'utf8').split('\n').slice(0, -2).join('\n'))).toBe(true)
  })

  test('leaves one journal a world, packed where that was asked for', async () => {
    const { err } = await backtape(['backtest', join(folder.path, 'falls-twice.run.json'), '--journal', join(folder.path, 'twice.jsonl.gz')])
    const paths = [0, 1].map((number) => join(folder.path, `twice.${number}.failed.jsonl.gz`))
    expect(err).toContain(`The journals up to there: ${paths.join(', ')}\n`)
    const reason = SENTENCE.replace('Subject', 'Subject of parameters[1] {"instrument":"XRPUSDT","fallsAfter":3000}')
    expect(err).toContain(`${reason}\n`)
    for (const path of paths) expect(linesOf(gunzipSync(readFileSync(path)).toString()).at(-1)).toEqual({ kind: 'failed', reason })
  })

  test('under verify leaves it too, and no new journal', async () => {
    await expect(expectRun(run, { update: true }).toMatchGolden()).rejects.toMatchObject({ code: 'STRATEGY_FAILED', message: expect.stringMatching(/falls\.new\.failed\.jsonl$/) as string })
    expect(readdirSync(folder.path).filter((name) => name.startsWith('falls.new'))).toEqual(['falls.new.failed.jsonl'])
  })

  test('leaves nothing where it was refused before it began', async () => {
    const journal = join(folder.path, 'refused.jsonl')
    folder.write('refused.run.json', runContent({ parameters: { instrument: 'BTCUSDT', fallsAfter: 1 } }))
    const tables = join(folder.path, 'refused-tables', 'of', 'today')
    const { code, err } = await backtape(['backtest', join(folder.path, 'refused.run.json'), '--journal', journal, '--out', tables])
    expect(code).not.toBe(0)
    expect(err).not.toContain('up to there')
    expect(readdirSync(folder.path).filter((name) => name.startsWith('refused'))).toEqual(['refused.run.json'])
  })
})
