import type { ShopCheckLevel } from './byte-checks.js'
import type { ShopItem } from './shop-baskets.js'
import type { ShopStop } from './shop-options.js'

/** The options of downloading free days. */
export interface ShopFileOptions extends ShopStop {
  /** The folder of the files, which is made where it is missing. */
  readonly out: string
  /** An export in place of tick files: `trades.parquet`, `bbo.csv.gz`. Bundle days have none. */
  readonly format?: string
  /**
   * `whole` (default): the file is whole, and the one that was bought: zstd frames and their checksums, master data in
   * line 1, members of archives, ends of exports. `audit`: every event is decoded and looked at too. `none`.
   */
  readonly check?: ShopCheckLevel
  /** Overwrite files that are others; default false: OUTPUT_EXISTS. */
  readonly force?: boolean
  /** Restore cold days and wait for what is being prepared; default true, else SHOP_NOT_READY. */
  readonly wait?: boolean
  /** Receives how far a file is. */
  readonly onProgress?: (progress: ShopProgress) => void
}

/** The options of downloading an order. */
export interface ShopDownloadOptions extends ShopFileOptions {
  /** Only these days of the order; default all. */
  readonly items?: readonly ShopItem[]
  /** Files that are downloaded at once, 1 to 8; default 4. */
  readonly jobs?: number
  /** Bundle days as tars of up to 100 days each, in place of a zip a day; default false. */
  readonly ranges?: boolean
}

/** The progress of a file. */
export interface ShopProgress {
  /** Name of the file. */
  readonly name: string
  /** `waiting`: the shop prepares it. `downloading`: its bytes come. `done`: it is there, or has no rows. */
  readonly state: 'waiting' | 'downloading' | 'done'
  /** Bytes that are there. */
  readonly doneBytes: number
  /** Length of the file; null: not known yet. */
  readonly sizeBytes: number | null
  /** Files that are done. */
  readonly doneCount: number
  /** Files of this download. */
  readonly fileCount: number
}

/** A file that is whole and checked, on the disk. */
export interface ShopFileThere {
  /** `new`: it was downloaded now. `kept`: it was there whole. */
  readonly state: 'new' | 'kept'
  /** Path of the file. */
  readonly path: string
  /** Length in bytes. */
  readonly sizeBytes: number
  /** `crc32:` and 8 hex digits. */
  readonly checksum: string
  /** The days that it holds. */
  readonly items: readonly ShopItem[]
}

/** An export of a day without such events: there is no file. */
export interface ShopFileEmpty {
  readonly state: 'empty'
  /** Null: there is no file. */
  readonly path: null
  /** 0. */
  readonly sizeBytes: 0
  /** Null: there is no file. */
  readonly checksum: null
  /** The day. */
  readonly items: readonly ShopItem[]
}

/** A file of a download. */
export type ShopFile = ShopFileThere | ShopFileEmpty
