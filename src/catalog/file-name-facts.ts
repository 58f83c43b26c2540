import { dayText } from '../model/time.js'
import { epochDayFromFileName } from '../tickfile/archive/file-day.js'
import type { CatalogInstrument } from './catalog-file.js'

/** The facts that a name states. */
export interface NameFacts {
  readonly instrument: CatalogInstrument | null
  readonly day: string | null
}

/** The instrument and the day that the name of a file without its ending states: `exchange-CODE-DAY` or `ID_DAY`. */
export function factsOfName(base: string): NameFacts {
  const epochDay = epochDayFromFileName(`${base}.txt.zst`)
  const day = epochDay === null ? null : dayText(epochDay)
  if (day === null) return { instrument: null, day }
  const [, id] = /^(\d+)_/.exec(base) ?? []
  if (id !== undefined) return { instrument: { id: Number(id), name: id }, day }
  const [, exchange, code] = /^([^-]+)-(.+)-\d{4}-\d{2}-\d{2}$/.exec(base) ?? []
  return { instrument: exchange === undefined ? null : { id: null, name: `${exchange}:${code ?? ''}` }, day }
}
