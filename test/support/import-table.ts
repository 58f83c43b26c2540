/** One row of the import table, test/house.table.md. */
export interface Room {
  /** `book`, or `exchange/risk` for a sub-room. */
  readonly name: string
  readonly floor: number
  /** Files of a sub-room from which other rooms may import values. */
  readonly faces: readonly string[]
  /** Names of rooms, or every room. */
  readonly mayImport: readonly string[] | 'every room'
}

/** An import of a file: its target relative to the project, and whether it imports types alone. */
export interface ProjectImport {
  readonly to: string
  readonly isType: boolean
}

const FACES_MAX = 4
const ROW = /^\| ([\d.]+) \| `([a-z/-]+)` \| [^|]* \| ([^|]+) \| ([^|]+) \|$/gm

const listed = (names: string): string[] => (names === '-' ? [] : names.split(',').map((part) => part.trim()))
const parentOf = (name: string): string => name.split('/')[0]!

/** The rooms of the import table, by name. Throws where the page holds no table or a row breaks its own rules. */
export function importTable(page: string): ReadonlyMap<string, Room> {
  const rooms = new Map<string, Room>()
  for (const [, floor, name, faces, names] of page.matchAll(ROW)) {
    const mayImport = names === 'every room' ? names : listed(names!)
    rooms.set(name!, { name: name!, floor: Number(floor), faces: listed(faces!), mayImport })
  }
  if (rooms.size === 0) {
    throw new Error('Cannot read the import table: wanted rows of | floor | `room` | what | faces | may import |, found none')
  }
  for (const room of rooms.values()) checkRow(room, rooms)
  return rooms
}

function checkRow({ name, floor, faces, mayImport }: Room, rooms: ReadonlyMap<string, Room>): void {
  const refuse = (why: string): never => { throw new Error(`Cannot use the import table: ${name} ${why}`) }
  if (faces.length > FACES_MAX) refuse(`may have at most ${FACES_MAX} faces, found ${faces.length}`)
  if (faces.length > 0 && !name.includes('/')) refuse('is no sub-room and has no faces')
  if (name.includes('/') && !rooms.has(parentOf(name))) refuse('has no parent in the table')
  for (const other of mayImport === 'every room' ? [] : mayImport) {
    const target = rooms.get(other)?.floor
    if (target === undefined || target >= floor) refuse(`may import only lower floors, found ${other}`)
  }
}

/** The room of a file, or undefined for the entry points and for files outside `src/`. */
export function roomOf(path: string): string | undefined {
  return /^src\/(.+)\/[^/]+$/.exec(path)?.[1]
}

/** The reason why a file may not import another, or null where it may. Paths are relative to the project. */
export function importFault(rooms: ReadonlyMap<string, Room>, from: string, { to, isType }: ProjectImport): string | null {
  const name = roomOf(from)
  const other = roomOf(to)
  if (name === undefined || name === other) return null
  const room = rooms.get(name)
  if (room === undefined) return `the room ${name} is not in the import table`
  const target = other === undefined ? undefined : rooms.get(other)
  if (target === undefined) return `${name} may not import ${to}, which lies in no room of the import table`
  if (target.floor >= room.floor) {
    return `${name} (floor ${room.floor}) may not import ${target.name} (floor ${target.floor}): only lower floors`
  }
  const isNamed = room.mayImport === 'every room' || room.mayImport.some((one) => one === target.name || one === parentOf(target.name))
  if (!isNamed) return `${name} may not import ${target.name}: its row does not name it`
  if (isType || !target.name.includes('/') || parentOf(name) === parentOf(target.name)) return null
  const file = to.slice(to.lastIndexOf('/') + 1, -'.ts'.length)
  return target.faces.includes(file) ? null : `${name} may import only types from ${file}: it is no face of ${target.name}`
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
