import { plainDecimal } from '../model/decimal.js'
import { parametersOf, type AnyParameterType } from './parameter.js'

const NUMBER = /^-?\d{1,40}(\.\d{1,40})?([eE][-+]?\d{1,3})?$/
const NUMBER_TYPES: readonly string[] = ['Number', 'Double', 'Float', 'Integer', 'Long']

/** The name of the type of plain values that a parameter takes; of two sides, that of a side. */
function plainName(type: AnyParameterType): string {
  if (!('parameterType' in type)) return type.name
  return type.parameterType === 'TwoSides' && type.element !== undefined ? plainName(type.element) : type.parameterType
}

/** The type that a strategy declares at a path of names; null where it declares none. */
function declaredType(instance: object, [name, ...rest]: readonly string[]): AnyParameterType | null {
  const type = parametersOf(instance).find((one) => one.name === name)?.type ?? null
  if (type === null || rest.length === 0) return type
  if ('parameterType' in type) return type.parameterType === 'TwoSides' && rest.length === 1 ? type : null
  return declaredType(new (type as new () => object)(), rest)
}

/**
 * A text of a command line as a value of a config: a number where the strategy declares a type of numbers, `true` and
 * `false` but for texts, JSON objects, lists and quoted texts as such, any other text as it stands. Decimals stay
 * texts, so that nothing is rounded. A strategy that cannot be made declares nothing.
 */
export function textAsParameter(StrategyClass: new () => object, path: readonly string[], text: string): unknown {
  let name = ''
  try {
    const type = declaredType(new StrategyClass(), path)
    name = type === null ? '' : plainName(type)
  } catch {
    return text
  }
  if (name === 'String') return text
  if (NUMBER_TYPES.includes(name) && NUMBER.test(text)) {
    const value = Number(text)
    return plainDecimal(String(value)) === plainDecimal(text) ? value : text
  }
  if (text === 'true' || text === 'false') return text === 'true'
  if (!/^[[{"]/.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
