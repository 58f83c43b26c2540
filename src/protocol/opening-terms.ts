import { Amount } from '../model/amount.js'
import { decimalDigits } from '../model/decimal.js'
import { isJsonObject, type JsonObject } from '../model/json-object.js'
import type { InitialMarginStep, InstrumentDirectory, OpeningTerms, OrderEntry } from '../venue/venue.js'
import { WireFault } from './order-entry-reader.js'
import { foundOnWire } from './wire-json.js'

/*
 * `openingTerms` of a login result, a field of ours: a list with the terms of each instrument that has some, decimals
 * as texts. Only a client that asks for it receives it.
 */

/** The opening terms of all instruments of a directory as JSON. */
export function openingTermsText(entry: OrderEntry, { entries }: InstrumentDirectory): string {
  const terms = entries.flatMap(({ instrument }) => {
    const one = entry.openingTerms?.(instrument.id)
    return one === undefined ? [] : [{ instrumentId: instrument.id, ...one }]
  })
  return JSON.stringify(terms)
}

/** Reads them back, by instrument id. Throws {@link WireFault}. */
export function openingTermsOf(value: unknown): ReadonlyMap<number, OpeningTerms> {
  if (!Array.isArray(value)) throw new WireFault('openingTerms', 'a list', foundOnWire(value))
  return new Map((value as unknown[]).map((one, index) => termsOf(one, `openingTerms[${index}]`)))
}

function termsOf(value: unknown, path: string): readonly [number, OpeningTerms] {
  if (!isJsonObject(value)) throw new WireFault(path, 'an object', foundOnWire(value))
  const { instrumentId, kind, settlementUnderlyingId } = value
  if (typeof instrumentId !== 'number') throw new WireFault(`${path}.instrumentId`, 'an integer', foundOnWire(value))
  if (typeof settlementUnderlyingId !== 'number')
    throw new WireFault(`${path}.settlementUnderlyingId`, 'an integer', foundOnWire(settlementUnderlyingId))
  const contractSize = decimalAt(value, 'contractSize', path)
  switch (kind) {
    case 'linear':
    case 'inverse':
    case 'quanto': {
      const isIsolated = value['isIsolated'] === true
      return [instrumentId, {
        kind, contractSize, settlementUnderlyingId, initialMargin: stepsOf(value['initialMargin'], path), isIsolated,
      }]
    }
    case 'option':
    case 'prediction': {
      const { shortSale } = value
      if (shortSale !== 'stake' && shortSale !== 'refused' && shortSale !== 'unstated')
        throw new WireFault(`${path}.shortSale`, 'stake, refused or unstated', foundOnWire(shortSale))
      const isCoverFree = value['isCoverFree'] === true
      return [instrumentId, { kind, contractSize, settlementUnderlyingId, isCoverFree, shortSale }]
    }
    default: throw new WireFault(`${path}.kind`, 'a kind of contract', foundOnWire(kind))
  }
}

function stepsOf(value: unknown, path: string): readonly InitialMarginStep[] {
  if (!Array.isArray(value)) throw new WireFault(`${path}.initialMargin`, 'a list', foundOnWire(value))
  return (value as unknown[]).map((step, index) => {
    const at = `${path}.initialMargin[${index}]`
    if (!isJsonObject(step)) throw new WireFault(at, 'an object', foundOnWire(step))
    return {
      upTo: step['upTo'] === null ? null : decimalAt(step, 'upTo', at), initialRate: decimalAt(step, 'initialRate', at),
    }
  })
}

function decimalAt(value: JsonObject, name: string, path: string): Amount {
  const text = value[name]
  if (typeof text !== 'string' || decimalDigits(text) === null)
    throw new WireFault(`${path}.${name}`, 'a decimal text', foundOnWire(text))
  return Amount.from(text)
}
