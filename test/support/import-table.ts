/** One row of the import table in src/README.md. */
export interface Room {
  readonly name: string
  readonly floor: number
  /** Names of rooms, or every room. */
  readonly mayImport: readonly string[] | 'every room'
}

/** The rooms of the import table, by name. Throws where the page holds no table or a row breaks its own rules. */
export function importTable(page: string): ReadonlyMap<string, Room> {
  const rooms = new Map<string, Room>()
  for (const [, floor, name, names] of page.matchAll(/^\| (\d+) \| `([a-z-]+)` \| .* \| ([^|]+) \|$/gm)) {
    const mayImport = names === 'every room' ? names : names === '-' ? [] : names!.split(',').map((part) => part.trim())
    rooms.set(name!, { name: name!, floor: Number(floor), mayImport })
  }
  if (rooms.size === 0) throw new Error('Cannot read the import table: wanted rows of | floor | `room` | what | may import |, found none')
  for (const room of rooms.values()) {
    for (const other of room.mayImport === 'every room' ? [] : room.mayImport) {
      const floor = rooms.get(other)?.floor
      if (floor === undefined || floor >= room.floor) throw new Error(`Cannot use the import table: ${room.name} may import only lower floors, found ${other}`)
    }
  }
  return rooms
}

/** The room of a file, or undefined for the entry points and for files outside `src/`. */
export function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\/./.exec(path)?.[1]
}

/** Why a file may not import another, or null where it may. Paths are relative to the project. */
export function importFault(rooms: ReadonlyMap<string, Room>, from: string, to: string): string | null {
  const name = roomOf(from)
  const other = roomOf(to)
  if (name === undefined || name === other) return null
  const room = rooms.get(name)
  if (room === undefined) return `the room ${name} is not in the import table`
  const target = other === undefined ? undefined : rooms.get(other)
  if (target === undefined) return `${name} may not import ${to}, which lies in no room of the import table`
  if (target.floor >= room.floor) return `${name} (floor ${room.floor}) may not import ${target.name} (floor ${target.floor}): only lower floors`
  if (room.mayImport !== 'every room' && !room.mayImport.includes(target.name)) return `${name} may not import ${target.name}: its row does not name it`
  return null
}

/** The first circle found among files, as a path that ends where it starts, or null. */
export function importCycle(imports: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): readonly string[] | null => {
    const at = trail.indexOf(path)
    if (at >= 0) return [...trail.slice(at), path]
    if (done.has(path)) return null
    for (const next of imports.get(path) ?? []) {
      const cycle = visit(next, [...trail, path])
      if (cycle !== null) return cycle
    }
    done.add(path)
    return null
  }
  for (const path of imports.keys()) {
    const cycle = visit(path, [])
    if (cycle !== null) return cycle
  }
  return null
}
