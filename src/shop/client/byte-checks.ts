import type { ByteCheck, ShopFileKind } from './byte-check.js'

/**
 * The depth of the check of downloaded bytes. `whole`: the file is whole and the one that was bought (zstd frames and
 * their checksums, master data in line 1, members of archives, ends of exports). `audit`: every event is decoded and
 * looked at too. `none`: bytes are taken as they come.
 */
export type ShopCheckLevel = 'whole' | 'audit' | 'none'

/** A day of an instrument as it was bought. */
export interface ExpectedDay {
  readonly instrumentId: number
  /** Null: the shop does not say it. */
  readonly code: string | null
  /** Null: the shop does not say it. */
  readonly exchangeCode: string | null
  /** `YYYY-MM-DD`. */
  readonly date: string
}

/** A file in an archive, as the manifest of the shop has it. */
export interface ExpectedMember {
  readonly name: string
  readonly instrumentId: number
  readonly date: string
  readonly sizeBytes: number
}

/** The content that a file should have. */
export interface ExpectedContent {
  /** Name of the file, for messages. */
  readonly name: string
  readonly kind: ShopFileKind
  /** The day of a tick file or an export; null for an archive. */
  readonly day: ExpectedDay | null
  /** The files of an archive; null where nothing says them. */
  readonly members: readonly ExpectedMember[] | null
}

/** Makes the check of a file; null: none. */
export type ByteChecks = (content: ExpectedContent, level: ShopCheckLevel) => ByteCheck | null
