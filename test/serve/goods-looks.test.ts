import { describe, expect, test } from 'vitest'
import type { CatalogState } from '../../src/catalog/folder-catalog.js'
import { GoodsLooks } from '../../src/serve/goods-looks-reader.js'

const stateOf = (version: number): CatalogState =>
  ({ version, files: [], days: [], copies: [], scan: { files: [], converted: new Map(), manifests: [] } })

/** Looks on a clock of their own: each takes so long, and ends in what a function of its number gives. */
class PlayedLooks {
  nowMs = 5000
  count = 0
  readonly notes: string[] = []
  readonly looks: GoodsLooks

  constructor(tookMs: number, outcome: (count: number) => CatalogState) {
    const refresh = async (): Promise<CatalogState> => {
      const own = ++this.count
      await new Promise((resolve) => setTimeout(resolve, 5))
      this.nowMs += tookMs
      return outcome(own)
    }
    this.looks = new GoodsLooks({ catalog: { refresh }, onNote: (note) => { this.notes.push(note) }, nowMs: () => this.nowMs })
  }

  async versionAfter(ms: number): Promise<number> {
    this.nowMs += ms
    return (await this.looks.look()).version
  }
}

describe('looks at folders', () => {
  test('all who ask share one, and there is one a second', async () => {
    const played = new PlayedLooks(5, stateOf)
    const all = await Promise.all(Array.from({ length: 20 }, () => played.looks.look()))
    expect(new Set(all).size).toBe(1)
    expect(await played.versionAfter(999)).toBe(1)
    played.nowMs += 1
    const next = await Promise.all(Array.from({ length: 20 }, () => played.looks.look()))
    expect(new Set(next.map(({ version }) => version))).toEqual(new Set([2]))
    expect(played.count).toBe(2)
  })

  test('the same state is the same list', async () => {
    const state = stateOf(1)
    const played = new PlayedLooks(1, () => state)
    const first = await played.looks.look()
    played.nowMs += 2000
    expect(await played.looks.look()).toBe(first)
    expect(played.count).toBe(2)
  })

  test('one that takes long comes less often, and nobody waits for it while the list is young', async () => {
    const played = new PlayedLooks(300, stateOf)
    expect(await played.versionAfter(0)).toBe(1)
    expect(await played.versionAfter(5999)).toBe(1)
    expect(played.count).toBe(1)
    expect([await played.versionAfter(1), played.count]).toEqual([1, 2])
    await played.looks.ended()
    expect(await played.versionAfter(0)).toBe(2)
    // Nobody has asked for long: the list is old.
    expect([await played.versionAfter(60_000), played.count]).toEqual([3, 3])
  })

  test('one that takes very long comes half a minute later', async () => {
    const played = new PlayedLooks(10_000, stateOf)
    await played.looks.look()
    expect([await played.versionAfter(29_999), played.count]).toEqual([1, 1])
    expect([await played.versionAfter(1), played.count]).toEqual([1, 2])
    await played.looks.ended()
  })

  test('one that takes long comes a second later where the list is not trusted', async () => {
    const played = new PlayedLooks(30, stateOf)
    await played.looks.look()
    played.looks.distrust()
    expect(await played.versionAfter(999)).toBe(1)
    expect(await played.versionAfter(1)).toBe(2)
  })

  test('one that fails leaves the list of before, with its sentence once', async () => {
    const played = new PlayedLooks(1, (own) => {
      if (own === 2 || own === 3 || own === 5) throw new Error('the disk is gone')
      return stateOf(own)
    })
    const versions = [await played.versionAfter(0)]
    for (let at = 2; at <= 5; at++) versions.push(await played.versionAfter(2000))
    expect([versions, played.count]).toEqual([[1, 1, 1, 2, 2], 5])
    const sentence = 'the disk is gone; the shop shows what lay there before'
    expect(played.notes).toEqual([sentence, sentence])
  })

  test('the first throws', async () => {
    const { looks } = new PlayedLooks(1, () => { throw new Error('no folder') })
    await expect(looks.look()).rejects.toThrow('no folder')
    await looks.ended()
  })
})
