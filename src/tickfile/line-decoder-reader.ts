import { readFile } from 'node:fs/promises'

/** What assembly/line-decoder.ts exports. */
export interface LineDecoderProgram {
  initialize(): void
  decode(at: number, end: number): number
}

let compiled: Promise<WebAssembly.Module> | null = null

/** The WASM line decoder over a memory; compiled once a process. */
export async function readLineDecoder(memory: WebAssembly.Memory): Promise<LineDecoderProgram> {
  compiled ??= readFile(new URL('./line-decoder.wasm', import.meta.url)).then((bytes) => WebAssembly.compile(bytes))
  const instance = new WebAssembly.Instance(await compiled, { env: { memory, abort: () => undefined } })
  return instance.exports as unknown as LineDecoderProgram
}
