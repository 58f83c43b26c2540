import { copyFileSync, existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { openFolderGoods, type FolderGoodsOptions } from '../../src/serve/folder-goods-reader.js'
import type { ShopGoods } from '../../src/shop/server/shop-goods.js'
import type { Segments } from '../../src/shop/server/segments.js'
import { readSegments } from '../../src/shop/server/segments-reader.js'
import { datasetsFolder } from './datasets-folder.ts'
import { newFolder } from './new-folder.ts'

/** Made-up days of one perpetual, with liquidations. */
export const SWAP_DAYS = ['synthetic_swap-XRPUSDT-2026-07-01.txt.zst', 'synthetic_swap-XRPUSDT-2026-07-02.txt.zst'] as const
export const SWAP_ID = 9_100_001

/** A folder with copies of files, of bundled ones by their name. */
export function folderWith(...paths: readonly string[]): string {
  const folder = newFolder()
  for (const path of paths) copyFileSync(existsSync(path) ? path : join(datasetsFolder, path), join(folder, basename(path)))
  return folder
}

/** Goods with what they note. */
export interface WatchedGoods {
  readonly goods: ShopGoods
  readonly notes: string[]
  readonly options: FolderGoodsOptions
}

/** The goods of one folder, which keep index and exports in new folders of their own. */
export async function openGoods(folder: string, more: Partial<FolderGoodsOptions> = {}): Promise<WatchedGoods> {
  const notes: string[] = []
  const options = {
    folders: [folder], indexPath: join(newFolder(), 'index'), exportFolder: newFolder(), onNote: (note: string) => { notes.push(note) }, ...more,
  }
  return { goods: await openFolderGoods(options), notes, options }
}

/** The bytes of segments; null for none. */
export async function bytesOfSegments(segments: Segments | null): Promise<Buffer | null> {
  if (segments === null) return null
  const pieces: Buffer[] = []
  for await (const piece of readSegments(segments.parts, new Uint8Array(4096))) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** Waits until the goods have looked again. */
export async function afterNextLook(goods: ShopGoods, isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!await isSo()) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    await goods.look()
  }
}
