import { readFile } from 'node:fs/promises'

/** What assembly/zstd-blocks.ts exports. */
export interface ZstdBlocksProgram {
  readonly memory: { readonly buffer: ArrayBuffer }
  initialize(): void
  beginFrame(windowBytes: number, checksum: boolean): number
  decodeBlock(): number
  outputAt(): number
  stage(from: number, length: number, shift: number): void
  checksum(): number
}

let compiled: Promise<WebAssembly.Module> | null = null

/** The zstd block decoder with a memory of its own; compiled once a thread. */
export async function readZstdBlocks(): Promise<ZstdBlocksProgram> {
  compiled ??= readFile(new URL('./zstd-blocks.wasm', import.meta.url)).then((bytes) => WebAssembly.compile(bytes))
  const instance = new WebAssembly.Instance(await compiled, { env: { abort: () => undefined } })
  const program = instance.exports as unknown as ZstdBlocksProgram
  program.initialize()
  return program
}
