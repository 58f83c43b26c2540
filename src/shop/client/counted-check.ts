import { crc32 } from 'node:zlib'
import type { ByteCheck, ShopFileKind } from './byte-check.js'

/** Counts the CRC-32 of a file while another check looks at its bytes. */
export class CountedCheck implements ByteCheck {
  #crc = 0

  constructor(private readonly inner: ByteCheck | null) {}

  /** The checksum in the form of manifests. */
  get checksum(): string {
    return `crc32:${this.#crc.toString(16).padStart(8, '0')}`
  }

  begin(name: string, kind: ShopFileKind): void | Promise<void> {
    this.#crc = 0
    return this.inner?.begin(name, kind)
  }

  take(bytes: Uint8Array): void | Promise<void> {
    this.#crc = crc32(bytes, this.#crc)
    return this.inner?.take(bytes)
  }

  end(path: string): void | Promise<void> {
    return this.inner?.end(path)
  }

  /** Lets go of what the check holds. */
  async close(): Promise<void> {
    await this.inner?.close?.()
  }
}
