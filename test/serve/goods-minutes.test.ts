import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { backtape } from '../support/command.ts'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { hasSharedData, sharedData } from '../support/shared-data.ts'
import { folderWith, openGoods, SWAP_DAYS, SWAP_ID } from '../support/shop-folder.ts'

const [FIRST, SECOND] = SWAP_DAYS
const ms = (time: string): number => Date.parse(time)

/** The minutes of a file as the command line writes them. */
async function commandText(path: string): Promise<string> {
  const { out } = await backtape(['minutes', path, '--columns', 'shop', '--to', 'csv', '--comment'])
  return out
}

async function textOf(endMs: number, ...names: readonly string[]): Promise<string | null> {
  const { goods } = await openGoods(folderWith(...names))
  const bytes = await goods.minutes(SWAP_ID, endMs)
  const again = await goods.minutes(SWAP_ID, endMs)
  expect(again).toBe(bytes)
  await goods.close()
  return bytes === null ? null : new TextDecoder().decode(bytes)
}

const linesOf = (text: string): string[] => text.split('\r\n').slice(0, -1)
const [texts, rows] = [new Map<string, string>(), new Map<string, string[]>()]
beforeAll(async () => {
  for (const name of [FIRST, SECOND]) {
    const text = await commandText(join(datasetsFolder, name))
    texts.set(name, text)
    rows.set(name, linesOf(text).slice(2))
  }
})

describe('the minutes of the newest 24 hours', () => {
  test('of one day are the text of `backtape minutes`', async () => {
    expect(await textOf(ms('2026-08-01T00:00:00Z'), FIRST)).toBe(texts.get(FIRST))
  })

  test('of the last day end with it, however late it is; a `#` line, 22 columns', async () => {
    const text = await textOf(ms('2030-01-01T00:00:00Z'), FIRST, SECOND) ?? ''
    const [note, header, ...lines] = linesOf(text)
    expect(note).toMatch(/^# source: backtape minutes of synthetic_swap-XRPUSDT-2026-07-0/)
    expect(header?.split(',')).toHaveLength(22)
    const last = rows.get(SECOND)?.at(-1)?.slice(0, 20) ?? ''
    const from = new Date(ms(last) + 60_000 - 86_400_000).toISOString()
    const wanted = [...rows.get(FIRST) ?? [], ...rows.get(SECOND) ?? []].filter((row) => ms(row.slice(0, 20)) >= ms(from))
    expect(lines).toEqual(wanted)
  })

  test('cut within a day take the day before', async () => {
    const second = rows.get(SECOND) ?? []
    const cut = second[1]?.slice(0, 20) ?? ''
    const text = await textOf(ms(cut), FIRST, SECOND) ?? ''
    const from = ms(second[0]?.slice(0, 20) ?? '') + 60_000 - 86_400_000
    const wanted = [...(rows.get(FIRST) ?? []).filter((row) => ms(row.slice(0, 20)) >= from), second[0]]
    expect(linesOf(text).slice(2)).toEqual(wanted)
    expect(linesOf(text)[0]).toMatch(/^# source: .*2026-07-01\.txt\.zst.*; source: .*2026-07-02\.txt\.zst/)
    // A minute that is not over is not there.
    expect(await textOf(ms(cut) + 59_999, FIRST, SECOND)).toBe(text)
  })

  test.each([
    ['before the first minute', '2026-07-01T00:00:00Z'], ['before the first day', '2020-01-01T00:00:00Z'],
  ])('%s there is none', async (_, time) => {
    expect(await textOf(ms(time), FIRST, SECOND)).toBeNull()
  })

  test('of a day without data nearby are those of the newest day that has some', async () => {
    const { goods } = await openGoods(folderWith(FIRST, SECOND))
    expect(await goods.minutes(1, Date.now())).toBeNull()
    const atMidnight = new TextDecoder().decode(await goods.minutes(SWAP_ID, ms('2026-07-02T00:00:30Z')) ?? undefined)
    expect(linesOf(atMidnight).slice(2)).toEqual(rows.get(FIRST))
    await goods.close()
  })

  test('of a file that is gone are those of the day before', async () => {
    const folder = folderWith(FIRST, SECOND)
    const { goods } = await openGoods(folder)
    rmSync(join(folder, SECOND))
    expect(new TextDecoder().decode(await goods.minutes(SWAP_ID, Date.now()) ?? undefined)).toBe(texts.get(FIRST))
    await goods.close()
  })

  test('of many who ask at once are read once, and end with the goods', async () => {
    const { goods } = await openGoods(folderWith(FIRST))
    const [one, two] = await Promise.all([goods.minutes(SWAP_ID, Date.now()), goods.minutes(SWAP_ID, Date.now())])
    expect(one).toBe(two)
    await goods.close()
    const other = (await openGoods(folderWith(FIRST))).goods
    const asked = other.minutes(SWAP_ID, Date.now()).catch((error: unknown) => error)
    await other.close()
    expect(await asked).toMatchObject({ code: 'STOPPED' })
  })

  test.skipIf(!hasSharedData)('of a recorded member of a tar are those of the recorded file', async () => {
    const path = sharedData('days/binance_swap-BTCUSDT-2023-04-05.txt.zst')
    const { goods } = await openGoods(folderWith(sharedData('bundles/binance_swap-BTCUSDT-2023-04-04..2023-04-05.tar')))
    const text = new TextDecoder().decode(await goods.minutes(67824, Date.now()) ?? undefined)
    const wanted = await commandText(path)
    expect(linesOf(text).slice(-5)).toEqual(linesOf(wanted).slice(-5))
    expect(text).toContain(basename(path))
    await goods.close()
  })
})
