/** Instances of a class, or of what extends it. */
type AnyClass = abstract new (...args: never[]) => object

/** The ordinary `instanceof`. */
const isOrdinaryInstance = Reflect.get(Function.prototype, Symbol.hasInstance) as (
  this: unknown, value: unknown,
) => boolean

const markOf = (name: string): symbol => Symbol.for(`backtape.${name}`)

/**
 * Marks a public class by a symbol that all copies of this package share: `instanceof` then holds for instances of
 * every copy. Programs have two copies where one half of them is CommonJS (`tsx`) and the other is not. Of classes that
 * extend it `instanceof` stays as it is.
 */
export function brand(owner: AnyClass, name: string): void {
  const mark = markOf(name)
  Object.defineProperty(owner.prototype, mark, { value: true })
  Object.defineProperty(owner, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return this === owner
        ? typeof value === 'object' && value !== null && mark in value
        : isOrdinaryInstance.call(this, value)
    },
  })
}

/** True for the class of this name itself, of whichever copy. */
export function isBranded(value: unknown, name: string): boolean {
  return typeof value === 'function' && Object.hasOwn(prototypeOf(value), markOf(name))
}

/** True for a class that extends the one of this name, of whichever copy. */
export function extendsBranded(value: unknown, name: string): boolean {
  return typeof value === 'function' && markOf(name) in prototypeOf(value) && !isBranded(value, name)
}

/** The prototype with the mark of this name among those of an instance, so of its own copy; null where it has none. */
export function brandedPrototype(instance: object, name: string): object | null {
  const mark = markOf(name)
  for (let at: unknown = instance; typeof at === 'object' && at !== null; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, mark)) return at
  return null
}

/** Arrow functions and methods have no prototype. */
function prototypeOf(value: object): object {
  const prototype: unknown = Reflect.get(value, 'prototype')
  return typeof prototype === 'object' && prototype !== null ? prototype : {}
}
