import type { Amount } from '../model/amount.js'
import type { Id } from '../model/id.js'

/**
 * Units of numbers: `price` and `quantity` are integers at the scales of the instrument that the object names,
 * `priceScale` is the scale of the prices beside it where it is not the instrument's, `ofInstrument` names the
 * instrument and is itself neither written nor sent, `timeNs` are nanoseconds since the midnight of the clock's epoch
 * day; `number` has no unit.
 */
type NumberUnit = 'price' | 'quantity' | 'priceScale' | 'ofInstrument' | 'timeNs' | 'instrumentId' | 'number'

/**
 * Units of texts: `orderId` names the order whose instrument the prices and quantities beside it are of, `word` is one
 * of few texts, `decimal` an exact number.
 */
type TextUnit = 'orderId' | 'word' | 'decimal' | 'text'

/** The unit of a field; `json` is written as it is, and a list has the unit of its elements. */
export type Unit = NumberUnit | TextUnit | 'flag' | 'json' | MessageFields

/** The fields of a message by name. */
export interface MessageFields {
  readonly [field: string]: Unit
}

type UnitOf<V> = [V] extends [number]
  ? NumberUnit
  : [V] extends [boolean]
    ? 'flag'
    : [V] extends [string]
      ? TextUnit
      : [V] extends [Id]
        ? 'orderId' | 'text'
        : [V] extends [string | Amount]
          ? 'decimal'
          : [V] extends [readonly (infer E)[]]
            ? UnitOf<E>
            : 'json' | FieldsOf<V>

/** A unit for every field of a message: one that is missing, of no such field or of another type does not compile. */
export type FieldsOf<M> = { readonly [F in keyof M]-?: UnitOf<NonNullable<M[F]>> }
