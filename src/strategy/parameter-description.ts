import { isBranded } from '../model/brand.js'
import { Decimal } from '../model/decimal.js'
import { FixedDecimal } from '../model/fixed-decimal.js'
import { parametersOf, type AnyParameterType } from './parameter.js'

/** A parameter as plain data: for lists and forms. */
export interface DescribedParameter {
  /** Its name in a config. */
  readonly name: string
  /** Its type as spec 3 names it: `Quantity`, `List<Integer>`, the name of a class of parameters. */
  readonly type: string
  readonly optional: boolean
  /** Of an optional one, as JSON; absent where it has none, or none that JSON can say. */
  readonly default?: unknown
  /** The least value, a decimal; absent where it has none. */
  readonly min?: string
  /** Those of a composite one, or of its elements. */
  readonly parameters?: readonly DescribedParameter[]
}

/** Classes of parameters within another at most: one may hold itself. */
const DEPTH_MAX = 8
const PLAIN: ReadonlySet<AnyParameterType> = new Set<AnyParameterType>([Boolean, String, Number])

/**
 * The parameters that an instance declares, in order. Throws what the constructor of a composite one throws.
 *
 * @example `describedParameters(new Maker())` is `[{ name: 'size', type: 'Quantity', optional: false }]`
 */
export function describedParameters(instance: object, depth = 0): readonly DescribedParameter[] {
  return parametersOf(instance).map(({ field, name, type, isOptional, min }) => {
    const composite = compositeOf(type)
    const value = isOptional ? plainValue((instance as Readonly<Record<string, unknown>>)[field]) : undefined
    return {
      name, type: typeName(type), optional: isOptional,
      ...value === undefined ? {} : { default: value },
      ...min === null ? {} : { min: min.toFixed() },
      ...composite === null || depth >= DEPTH_MAX ? {}
        : { parameters: describedParameters(new composite(), depth + 1) },
    }
  })
}

function typeName(type: AnyParameterType): string {
  if (!('parameterType' in type)) return type.name
  return type.element === undefined ? type.parameterType : `${type.parameterType}<${typeName(type.element)}>`
}

/** The class of parameters that a type is, or is made of; null where it is none. */
function compositeOf(type: AnyParameterType): (new () => object) | null {
  if ('parameterType' in type) return type.element === undefined ? null : compositeOf(type.element)
  const isKnown = PLAIN.has(type) || isBranded(type, 'Price') || isBranded(type, 'Quantity') ||
    isBranded(type, 'TradingInstrument') || isBranded(type, 'DataInstrument') || isBranded(type, 'Account')
  return isKnown ? null : type as new () => object
}

/** A value as a config states it; undefined where it cannot. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof FixedDecimal) return value.toDecimal().toFixed()
  if (Decimal.isDecimal(value)) return value.toFixed()
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value
  const { bid, ask } = value as { readonly bid?: unknown, readonly ask?: unknown }
  return bid === undefined || ask === undefined ? undefined : { bid: plainValue(bid), ask: plainValue(ask) }
}
