import { Decimal, decimalDigits } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'

/** A parameter type that is not a class of its own: the names of spec 3, rule 5. `T` is what the field holds. */
export interface ParameterType<T> {
  /** Name of the type, as messages show it. */
  readonly parameterType: string
  /** Elements of a list or of two sides. */
  readonly element?: AnyParameterType
  /** Never set: it carries the type of the field. */
  readonly holds?: T
}

/**
 * A class whose instances a parameter may hold: Price, Quantity, an instrument, an account, or one with parameters of
 * its own.
 */
export type ParameterClass<T> = abstract new (...args: never[]) => T

/** Anything that {@link Parameter} takes as a type. */
export type AnyParameterType =
  BooleanConstructor | StringConstructor | NumberConstructor | ParameterType<unknown> | ParameterClass<object>

/** A value for each side of the book. */
export interface TwoSidesOf<T> {
  /** The value of the bid side. */
  readonly bid: T
  /** The value of the ask side. */
  readonly ask: T
}

/** A whole number of 32 bits. */
export const Integer: ParameterType<number> = { parameterType: 'Integer' }
/** A whole number of 64 bits, as `bigint`. */
export const Long: ParameterType<bigint> = { parameterType: 'Long' }
/** A double. */
export const Float: ParameterType<number> = { parameterType: 'Float' }
/** A double. */
export const Double: ParameterType<number> = { parameterType: 'Double' }
/**
 * An exact decimal.
 *
 * @example
 * ```ts
 * import { BigDecimal, Decimal, Double, Float, Long, Parameter } from 'backtape'
 * class Settings {
 *   @Parameter(BigDecimal) risk = new Decimal('0.9')
 *   @Parameter(Double) skew = 0.5
 *   @Parameter(Float) weight = 1
 *   @Parameter(Long) since = 0n
 * }
 * if (new Settings().risk.toFixed() !== '0.9') throw new Error('the default of the field')
 * ```
 */
export const BigDecimal: ParameterType<Decimal> = { parameterType: 'BigDecimal' }

type Held<P extends AnyParameterType> = P extends BooleanConstructor
  ? boolean
  : P extends StringConstructor
    ? string
    : P extends NumberConstructor
      ? number
      : P extends ParameterType<infer T>
        ? T
        : P extends ParameterClass<infer T>
          ? T
          : never

/**
 * A list of any supported type, as an array.
 *
 * @example
 * ```ts
 * import { Integer, List, Parameter, TwoSides } from 'backtape'
 * import { parametersOf } from 'backtape/columns'
 * class Settings {
 *   depths: readonly number[] = [5]
 *   offset = { bid: 1, ask: 1 }
 * }
 * Parameter(List(Integer))(Settings.prototype, 'depths')
 * Parameter(TwoSides(Integer))(Settings.prototype, 'offset')
 * if (parametersOf(new Settings()).map((one) => one.name).join() !== 'depths,offset') throw new Error('both declared')
 * ```
 */
export function List<P extends AnyParameterType>(element: P): ParameterType<readonly Held<P>[]> {
  return { parameterType: 'List', element }
}

/** One value for each side: `{ "bid": ..., "ask": ... }`, or one value for both. */
export function TwoSides<P extends AnyParameterType>(element: P): ParameterType<TwoSidesOf<Held<P>>> {
  return { parameterType: 'TwoSides', element }
}

/** The way in which a parameter is read from a config. */
export interface ParameterOptions {
  /** When the config leaves the value out, the field keeps its initial value. */
  readonly optional?: boolean
  /** The key in the config; default the field's name. */
  readonly name?: string
  /**
   * The least value, of numbers and exact decimals (each element of a list, each side); default none, of quantities 0.
   */
  readonly min?: number | string
}

/** One declared parameter. */
export interface ParameterDeclaration {
  /** Name of the field. */
  readonly field: string
  /** Name in the config. */
  readonly name: string
  /** Type of its value. */
  readonly type: AnyParameterType
  /** True where a config may leave it out. */
  readonly isOptional: boolean
  /** Null where the declaration has none. */
  readonly min: Decimal | null
}

/**
 * A decorator for a field that can hold `T` (it may hold more: `string | null`), under legacy
 * (`experimentalDecorators`) and under standard decorators.
 */
export interface FieldDecorator<T> {
  <This, Value>(
    value: undefined, context: ClassFieldDecoratorContext<This, Value> & ([T] extends [Value] ? unknown : never),
  ): void
  <Target extends object, Key extends keyof Target & string>(
    target: Target, key: Key & ([T] extends [Target[Key]] ? unknown : never),
  ): void
}

/**
 * Where a prototype keeps what it declares: a symbol of all copies of this package, as the runtime may be of another
 * one than the class.
 */
const PARAMETERS: symbol = Symbol.for('backtape.parameters')

/** The declarations of a prototype itself, by field. */
function ownDeclarations(owner: object): Map<string, ParameterDeclaration> | undefined {
  return Object.hasOwn(owner, PARAMETERS)
    ? (Reflect.get(owner, PARAMETERS) as Map<string, ParameterDeclaration>)
    : undefined
}

function minimumOf(field: string, min: number | string | undefined): Decimal | null {
  if (min === undefined) return null
  if (decimalDigits(String(min)) !== null) return new Decimal(min)
  const [expected, found] = ['a decimal', JSON.stringify(min)]
  throw new BacktapeError(
    'OPTION_INVALID', `Cannot declare the parameter ${field}: min must be ${expected}, found ${found}`,
    { field: 'min', expected, found },
  )
}

function declare(owner: object, field: string | symbol, type: AnyParameterType, options: ParameterOptions): void {
  if (typeof field !== 'string')
    throw new BacktapeError('OPTION_INVALID', 'Cannot declare a parameter: its field must have a name', {
      field: 'Parameter',
    })
  const own = ownDeclarations(owner) ?? new Map<string, ParameterDeclaration>()
  own.set(field, {
    field, name: options.name ?? field, type, isOptional: options.optional ?? false, min: minimumOf(field, options.min),
  })
  Object.defineProperty(owner, PARAMETERS, { value: own, configurable: true })
}

/**
 * Declares a field as a parameter: its value comes from the config of the strategy (spec 3, "Strategy parameters").
 * Works under legacy decorators without metadata and under standard decorators; the compiler refuses a type that does
 * not fit the field.
 *
 * @example
 * ```ts
 * import { Integer, Parameter } from 'backtape'
 * import { parametersOf } from 'backtape/columns'
 * class Settings { depth = 5 }
 * Parameter(Integer, { optional: true, name: 'levels' })(Settings.prototype, 'depth')
 * if (parametersOf(new Settings())[0]?.name !== 'levels') throw new Error('declared')
 * ```
 */
export function Parameter<P extends AnyParameterType>(
  type: P, options: ParameterOptions = {},
): FieldDecorator<Held<P>> {
  return ((
    target: object | undefined, context: string | symbol | ClassFieldDecoratorContext,
  ): ((value: unknown) => unknown) | undefined => {
    if (typeof context !== 'object') {
      if (target !== undefined) declare(target, context, type, options)
      return undefined
    }
    // A standard field decorator sees no class: the first value of the field declares it, which is before parameters
    // are read. Deno runs no `addInitializer` of fields.
    return function register(this: unknown, value: unknown): unknown {
      declare(Object.getPrototypeOf(this) as object, context.name, type, options)
      return value
    }
  })
}

/** The parameters that an instance's classes declare: those of a base class first, in order of declaration. */
export function parametersOf(instance: object): ParameterDeclaration[] {
  const found = new Map<string, ParameterDeclaration>()
  const chain: object[] = []
  for (
    let at: object | null = Object.getPrototypeOf(instance) as object | null;
    at !== null;
    at = Object.getPrototypeOf(at) as object | null
  )
    chain.unshift(at)
  for (const prototype of chain)
    for (const [field, declaration] of ownDeclarations(prototype) ?? []) found.set(field, declaration)
  return [...found.values()]
}
