/** An object of JSON by its names. */
export type JsonObject = Readonly<Record<string, unknown>>

/** True for an object or a list of JSON, whose members have names or indices. */
export function isJsonTree(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}

/** True for an object of JSON that is no list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isJsonTree(value) && !Array.isArray(value)
}
