import { readFile } from 'node:fs/promises'

/** The exports of assembly/line-decoder.ts. */
export interface LineDecoderProgram {
  initialize(): void
  decode(at: number, end: number): number
}

// Compiled at once, as it is 5 kB: while a promise of WASM is all that is awaited, Node 20 may wait for ever (see
// `keptAlive`).
let compiled: Promise<WebAssembly.Module> | null = null

/** The WASM line decoder over a memory; compiled once a process. */
export async function readLineDecoder(memory: WebAssembly.Memory): Promise<LineDecoderProgram> {
  compiled ??= readFile(new URL('./line-decoder.wasm', import.meta.url)).then((bytes) => new WebAssembly.Module(bytes))
  const instance = new WebAssembly.Instance(await compiled, { env: { memory, abort: () => undefined } })
  return instance.exports as unknown as LineDecoderProgram
}
