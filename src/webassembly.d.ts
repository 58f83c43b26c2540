/**
 * The part of WebAssembly's JavaScript interface that we and our packages name. It stands in the `DOM` library of
 * TypeScript only, and that one would let browser globals into our code.
 */
declare namespace WebAssembly {
  interface MemoryDescriptor {
    initial: number
    maximum?: number
    shared?: boolean
  }
  class Memory {
    constructor(descriptor: MemoryDescriptor)
    readonly buffer: ArrayBuffer | SharedArrayBuffer
    grow(pages: number): number
  }
  class Table {
    readonly length: number
  }
  class Module {
    constructor(bytes: ArrayBuffer | ArrayBufferView)
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>)
    readonly exports: Record<string, unknown>
  }
  interface WebAssemblyInstantiatedSource {
    instance: Instance
    module: Module
  }
  function compile(bytes: ArrayBuffer | ArrayBufferView): Promise<Module>
  function instantiate(
    bytes: ArrayBuffer | ArrayBufferView, imports?: Record<string, Record<string, unknown>>,
  ): Promise<WebAssemblyInstantiatedSource>
}
