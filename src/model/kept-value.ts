/** The value of a key: the one that a map holds, else one that is made now and kept. */
export function keptValue<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown }, key: Key,
  make: (key: Key) => Value,
): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make(key)
  map.set(key, made)
  return made
}
