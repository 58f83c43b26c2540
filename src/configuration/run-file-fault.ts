import type { ErrorObject } from 'ajv'
import { closedUpDurations } from '../model/duration.js'
import { BacktapeError, type ErrorCode } from '../model/error.js'
import { foundText } from '../strategy/parameter-fault.js'

/** What is wrong with one place of a run file. */
export interface RunFileFault {
  /** Where, as one would write it: `assumptions.queue`, `data[0]`; empty for the file itself. */
  readonly path: string
  readonly expected: string
  readonly found: string
}

interface SchemaPart {
  readonly title?: string
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly definitions?: Readonly<Record<string, SchemaPart>>
}

/** A name or number as it stands in a path behind another: `.name`, `[0]`, `["a name"]`. */
export function pathPart(name: string): string {
  if (/^\d+$/.test(name)) return `[${name}]`
  return /^[$\w]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

/** `/data/0` as `data[0]`. */
function pathOf(pointer: string): string {
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => pathPart(part.replace(/~1/g, '/').replace(/~0/g, '~')))
    .join('')
  return path.startsWith('.') ? path.slice(1) : path
}

/** The title of a schema says what it takes; one that refers has that of its definition. */
function titleOf(part: SchemaPart | undefined, root: SchemaPart): string {
  const definition = part?.$ref?.replace('#/definitions/', '')
  const named = definition === undefined ? undefined : root.definitions?.[definition]
  return part?.title ?? named?.title ?? 'another value'
}

/** A text that fits once its durations are closed up: `10 ms`. */
function closedUpHint(data: unknown, pattern = ''): string {
  if (typeof data !== 'string' || data.length > 200) return ''
  const closed = closedUpDurations(data)
  return closed !== data && new RegExp(pattern, 'u').test(closed) ? `; write ${closed}` : ''
}

function faultOf(error: ErrorObject, root: SchemaPart): RunFileFault {
  const { instancePath, keyword, data } = error
  const params = error.params as {
    readonly missingProperty?: string
    readonly additionalProperty?: string
    readonly pattern?: string
  }
  const parent = (error.parentSchema ?? {}) as SchemaPart
  if (params.missingProperty !== undefined) {
    return {
      path: pathOf(`${instancePath}/${params.missingProperty}`),
      expected: titleOf(parent.properties?.[params.missingProperty], root), found: 'nothing',
    }
  }
  if (params.additionalProperty !== undefined) {
    const name = params.additionalProperty
    const pointer = `${instancePath}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`
    return {
      path: pathOf(pointer), expected: `one of ${Object.keys(parent.properties ?? {}).join(', ')}`,
      found: `the unknown field ${JSON.stringify(name)}`,
    }
  }
  if (keyword === 'not')
    return { path: 'accounts', expected: 'account (one exchange) or accounts (several)', found: 'both' }
  const expected = titleOf(parent, root) + (keyword === 'pattern' ? closedUpHint(data, params.pattern) : '')
  return { path: pathOf(instancePath), expected, found: foundText(data) }
}

/** The faults that a schema finds, one a place. Where none of several forms fits, the forms' own faults say nothing. */
export function schemaFaults(errors: readonly ErrorObject[], root: object): RunFileFault[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath)
  const faults = new Map<string, RunFileFault>()
  for (const error of errors) {
    const { instancePath, keyword } = error
    if (keyword !== 'anyOf' && unions.some((union) => instancePath === union || instancePath.startsWith(`${union}/`)))
      continue
    const fault = faultOf(error, root)
    if (!faults.has(fault.path)) faults.set(fault.path, fault)
  }
  return [...faults.values()]
}

/** All faults of a run file in one error; its place holds the first. */
export function runFileError(
  file: string, faults: readonly RunFileFault[], code: ErrorCode = 'RUN_FILE_INVALID',
): BacktapeError {
  return faultsError(`the run file ${file}`, file, faults, code)
}

/** All faults of a venue profile in one error. */
export function profileError(file: string, faults: readonly RunFileFault[]): BacktapeError {
  return faultsError(`the venue profile ${file}`, file, faults, 'PROFILE_INVALID')
}

function faultsError(what: string, file: string, faults: readonly RunFileFault[], code: ErrorCode): BacktapeError {
  const [first] = faults
  const words = faults.map(
    ({ path, expected, found }) => `${path === '' ? 'the file' : path}: expected ${expected}, found ${found}`,
  )
  const message = faults.length === 1 ? words.join('') : `${faults.length} faults:\n  ${words.join('\n  ')}`
  const place =
    first === undefined ? {} : { field: first.path, expected: first.expected, found: first.found.slice(0, 80) }
  return new BacktapeError(code, `Cannot read ${what}: ${message}`, { file, ...place })
}
