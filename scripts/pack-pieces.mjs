// Which modules share a piece of lib/. esbuild makes one for each set of entries that reach the same modules: 108 files
// for one backtest. To open a file costs a start as much as to read some bytes more: where two pieces are cheaper as
// one, the entries of either load both. Used by scripts/pack.mjs.

/** Node 20 takes 0.6 ms to open a module, and as long for so many bytes of one. */
const FILE_BYTES = 14_000

/** Modules of Node that every start has loaded; others, and packages, are brought to no entry that lacks them. */
const OF_NODE = new Set([
  'buffer', 'crypto', 'events', 'fs', 'fs/promises', 'module', 'os', 'path', 'stream', 'url', 'util', 'worker_threads',
  'zlib',
])

/** The modules that a module loads at once; those outside of the pack by their names, but for {@link OF_NODE}. */
function importsOf(inputs, module) {
  return (inputs[module]?.imports ?? []).flatMap(({ path, external, kind }) => {
    if (kind === 'dynamic-import' || (external && OF_NODE.has(path.replace('node:', '')))) return []
    return external ? `outside ${path}` : path
  })
}

/** A module and all that it loads. */
function reachedBy(inputs, module) {
  const reached = new Set([module])
  for (const one of reached) for (const other of importsOf(inputs, one)) reached.add(other)
  return reached
}

/** Pieces as esbuild makes them: modules, the entries that reach them, and whether they may go to other entries. */
function piecesOf({ inputs, outputs }, entries) {
  const bytes = new Map()
  for (const output of Object.values(outputs))
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs))
      bytes.set(path, (bytes.get(path) ?? 0) + bytesInOutput)
  const targets = new Set(Object.values(inputs).flatMap(({ imports }) => imports.map(({ path }) => path)))
  const entriesOf = new Map()
  for (const entry of entries)
    for (const module of reachedBy(inputs, entry)) {
      if (!entriesOf.has(module)) entriesOf.set(module, new Set())
      entriesOf.get(module).add(entry)
    }
  const pieces = new Map()
  for (const [module, its] of entriesOf) {
    const isOutside = inputs[module] === undefined
    const key = isOutside ? module : [...its].join()
    if (!pieces.has(key)) pieces.set(key, { modules: [], entries: its, bytes: 0, isFixed: isOutside })
    const piece = pieces.get(key)
    piece.modules.push(module)
    piece.bytes += isOutside ? Infinity : bytes.get(module) ?? 0
    // A worker and the command line act when they are loaded.
    piece.isFixed ||= entries.includes(module) && !targets.has(module)
  }
  return [...pieces.values()]
}

/** Notes for each piece which it needs, itself among them. */
function link(pieces, inputs) {
  const pieceOf = new Map(pieces.flatMap((piece) => piece.modules.map((module) => [module, piece])))
  for (const piece of pieces)
    piece.next = new Set(piece.modules.flatMap((module) => importsOf(inputs, module)).map((one) => pieceOf.get(one)))
  for (const piece of pieces) {
    piece.needs = new Set([piece])
    for (const one of piece.needs) for (const other of one.next) piece.needs.add(other)
  }
}

/** The bytes that an entry loads more when it gets a piece; a file counts as {@link FILE_BYTES}. */
function bytesMore({ needs }, entry) {
  const lacking = [...needs].filter(({ entries }) => !entries.has(entry))
  return lacking.reduce((sum, { bytes }) => sum + bytes + FILE_BYTES, -FILE_BYTES)
}

/** The two pieces that save most as one, over all entries; null where none do. */
function bestPair(pieces, entries) {
  const free = pieces.filter(({ isFixed }) => !isFixed)
  const more = free.map((piece) => new Map(
    entries.filter((entry) => !piece.entries.has(entry)).map((entry) => [entry, bytesMore(piece, entry)]),
  ))
  let best = null
  for (const [at, one] of free.entries())
    for (const [before, other] of free.slice(0, at).entries()) {
      let saved = 0
      for (const entry of one.entries) saved += other.entries.has(entry) ? FILE_BYTES : -more[before].get(entry)
      if (saved <= (best?.saved ?? 0)) continue
      for (const [entry, bytes] of more[at]) if (other.entries.has(entry)) saved -= bytes
      if (saved > (best?.saved ?? 0)) best = { saved, one, other }
    }
  return best
}

/** Pieces of the same entries are one. */
function joined(pieces) {
  const found = new Map()
  for (const piece of pieces) {
    const key = inOrder(piece)
    const same = found.get(key)
    if (same === undefined) found.set(key, piece)
    else {
      same.modules.push(...piece.modules)
      same.bytes += piece.bytes
      same.isFixed ||= piece.isFixed
    }
  }
  return [...found.values()]
}

function inOrder({ entries, bytes, modules }) {
  return bytes === Infinity ? modules[0] : [...entries].sort().join()
}

/** For each entry of a build, the modules that it is to load beside its own. */
export function modulesMore(metafile) {
  const { inputs, outputs } = metafile
  const entries = Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
  let pieces = piecesOf(metafile, entries)
  for (;;) {
    link(pieces, inputs)
    const pair = bestPair(pieces, entries)
    if (pair === null) break
    const both = [pair.one, pair.other]
    const its = both.flatMap((piece) => [...piece.entries])
    for (const { needs } of both) for (const needed of needs) for (const entry of its) needed.entries.add(entry)
    pieces = joined(pieces)
  }
  return new Map(entries.map((entry) => {
    const own = reachedBy(inputs, entry)
    const all = pieces.filter((piece) => piece.entries.has(entry)).flatMap(({ modules }) => modules)
    return [entry, all.filter((module) => module.startsWith('dist/') && !own.has(module))]
  }))
}
