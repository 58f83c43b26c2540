import type { ManifestForm } from '../../files/folder-manifest-writer.js'
import { isJsonObject } from '../../model/json-object.js'
import type { ShopCheckLevel } from './byte-checks.js'

/** A file that was downloaded. */
export interface ShopManifestEntry {
  /** Name in the folder. */
  readonly file: string
  readonly sizeBytes: number
  /** `crc32:` and 8 hex digits. */
  readonly checksum: string
  /** The goods that the file is: instrument or bundle, days, format. */
  readonly goods: string
  /** The depth of its check. */
  readonly check: ShopCheckLevel
}

/** The list of the files of a shop in a folder. */
export const SHOP_MANIFEST: ManifestForm<ShopManifestEntry> = {
  name: 'backtape-shop-manifest.json',
  word: 'backtape-shop',
  isEntry(value): value is ShopManifestEntry {
    if (!isJsonObject(value)) return false
    const { file, sizeBytes, checksum, goods, check } = value
    return typeof file === 'string' && typeof sizeBytes === 'number' && typeof checksum === 'string'
      && typeof goods === 'string' && typeof check === 'string'
  },
  keyOf: ({ file }) => file,
  groupOf: ({ file }) => file,
}
