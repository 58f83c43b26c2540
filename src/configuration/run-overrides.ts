import { resolve } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import { textAsParameter } from '../strategy/parameter-text.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import { dataFromText, type InstrumentDays } from '../tickfile/data-input.js'
import { checkSetCount, combinationsOf, gridLineOf, type GridLine } from './parameter-grid.js'
import { setsOf, type RunStrategy } from './run-strategies.js'

/** Values that a command line states instead of a run file; the run and its record have these values. */
export interface RunOverrides {
  /** `NAME=VALUE` of parameters, in every set; a name with dots is a field of a composite parameter. */
  readonly set?: readonly string[]
  /** `NAME=VALUES` of parameters: a set for each combination, of each set of the file. */
  readonly grid?: readonly string[]
  /** `NAME=VALUE` of assumptions. */
  readonly assume?: readonly string[]
  /** Files, members, bundles, folders, patterns, days of an instrument as JSON; relative to the working folder. */
  readonly data?: readonly string[]
  /** Part of the name of the file to take of two. */
  readonly prefer?: string
  /** The begin of the run. */
  readonly from?: string
  /** The end of the run. */
  readonly to?: string
  /** The seed, a whole number from 0. */
  readonly seed?: number
}

type ParameterSets = ParameterConfig | readonly ParameterConfig[] | undefined

/** `NAME=VALUE` as its two parts; each name stands once. */
function pairsOf(option: string, texts: readonly string[]): (readonly [name: string, value: string])[] {
  const names = new Set<string>()
  return texts.map((text) => {
    const at = text.indexOf('=')
    const name = text.slice(0, Math.max(at, 0)).trim()
    const isNew = !names.has(name)
    names.add(name)
    if (at > 0 && name !== '' && isNew) return [name, text.slice(at + 1).trim()]
    const example = option === 'set' ? 'size=0.02' : 'queue=power3'
    const expected = isNew ? `NAME=VALUE, such as ${example}` : 'one value for each name'
    const found = JSON.stringify(text)
    throw new BacktapeError('OPTION_INVALID', `Cannot use --${option}: it must be ${expected}, found ${found}`, {
      field: option, expected, found: found.slice(0, 80),
    })
  })
}

/** An object as JSON; any other text as it stands. */
function assumptionValue(text: string): unknown {
  if (!text.startsWith('{')) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Data of a command line, whose paths count from the working folder. */
function dataOf(text: string): string | InstrumentDays {
  const data = dataFromText(text)
  return typeof data === 'string' ? resolve(data) : { ...data, in: resolve(data.in) }
}

/** The content of a run file with everything of a command line that needs no strategy. */
export function withOverrides(content: unknown, { assume = [], data, prefer, from, to, seed }: RunOverrides): unknown {
  const assumed = pairsOf('assume', assume).map(([name, text]) => [name, assumptionValue(text)] as const)
  if (!isJsonObject(content)) return content
  const { assumptions } = content
  return {
    ...content,
    ...(data === undefined ? {} : { data: data.map(dataOf) }),
    ...(prefer === undefined ? {} : { prefer }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(seed === undefined ? {} : { seed }),
    ...(assumed.length === 0 || (assumptions !== undefined && !isJsonObject(assumptions))
      ? {}
      : { assumptions: { ...assumptions, ...Object.fromEntries(assumed) } }),
  }
}

/**
 * Parameters with those of a command line, whose texts are read by the types that the strategy declares. With a grid a
 * list: for each set of the file every combination, the last grid changing first. Throws OPTION_INVALID for texts of
 * another form, LIMIT_EXCEEDED above 10,000 sets.
 */
export function withParameters(
  parameters: ParameterSets, { set = [], grid = [] }: RunOverrides, strategies: readonly RunStrategy[],
): ParameterSets {
  const pairs = pairsOf('set', set)
  const lines = gridLines(grid, pairs.map(([name]) => name))
  const sets = setsOf(parameters)
  checkSetCount(sets.length, lines)
  if (pairs.length === 0 && lines.length === 0) return parameters
  const read = (name: string, text: string): unknown => {
    const [first = '', ...rest] = name.split('.')
    const only = strategies.find((one) => one.name === null)
    if (only !== undefined) return textAsParameter(only.strategy, [first, ...rest], text)
    const named = strategies.find((one) => one.name === first)
    if (named === undefined || rest.length === 0) throw unnamed(name, strategies)
    return textAsParameter(named.strategy, rest, text)
  }
  const values = new Map(lines.map(({ name, values: texts }) => [
    name, new Map(texts.map((text) => [text, read(name, text)])),
  ]))
  const stated = (config: ParameterConfig, [name, value]: readonly [string, unknown]): ParameterConfig =>
    withValue(config, name.split('.'), value)
  const fixed = pairs.map(([name, text]) => [name, read(name, text)] as const)
  const replaced = sets.map((config) => fixed.reduce(stated, config))
  if (lines.length === 0) return Array.isArray(parameters) ? replaced : replaced[0]
  const combinations = combinationsOf(lines).map((texts) =>
    texts.map(([name, text]) => [name, values.get(name)?.get(text)] as const))
  return replaced.flatMap((config) => combinations.map((one) => one.reduce(stated, config)))
}

/** Of several strategies a parameter is named with its own: `maker.size`. */
function unnamed(name: string, strategies: readonly RunStrategy[]): BacktapeError {
  const expected = `a name such as ${strategies[0]?.name ?? 'maker'}.size, as the run has several strategies ` +
    `(${strategies.map((one) => one.name).join(', ')})`
  return new BacktapeError('OPTION_INVALID', `Cannot set a parameter: its name must be ${expected}, found ${name}`, {
    field: 'set', expected, found: name.slice(0, 80),
  })
}

/** The lines of a grid; no name is stated twice, nor as a value of its own. */
function gridLines(texts: readonly string[], stated: readonly string[]): GridLine[] {
  const names = new Set(stated)
  return texts.map((text) => {
    const line = gridLineOf(text)
    if (!names.has(line.name)) {
      names.add(line.name)
      return line
    }
    const [expected, found] = ['a name that no other --grid or --set states', JSON.stringify(text)]
    throw new BacktapeError('OPTION_INVALID', `Cannot use --grid: it must be ${expected}, found ${found}`, {
      field: 'grid', expected, found: found.slice(0, 80),
    })
  })
}

function withValue(config: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const inner = Object.hasOwn(config, name) ? config[name] : {}
  return { ...config, [name]: rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value) }
}

/** The overrides in a line, as they were typed; null where there are none. */
export function overridesText(
  { set = [], grid = [], assume = [], data = [], prefer, from, to, seed }: RunOverrides,
): string | null {
  const words = [
    ...set.map((text) => `--set ${text}`), ...grid.map((text) => `--grid ${text}`),
    ...assume.map((text) => `--assume ${text}`),
    ...data.map((path) => `--data ${path}`), ...(prefer === undefined ? [] : [`--prefer ${prefer}`]),
    ...(from === undefined ? [] : [`--from ${from}`]),
    ...(to === undefined ? [] : [`--to ${to}`]), ...(seed === undefined ? [] : [`--seed ${seed}`]),
  ]
  return words.length === 0 ? null : words.join(' ')
}
