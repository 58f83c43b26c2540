// One row for each field of a JSON schema: its path, the expected value, and its meaning.

function resolved(schema, root) {
  if (schema.$ref === undefined) return schema
  const { $ref, ...own } = schema
  const found = $ref.split('/').slice(1).reduce((at, part) => at[part], root)
  return { ...resolved(found, root), ...own }
}

/** The value that a schema asks for, in words: its title, else its values or its type. */
function expectation(schema) {
  if (schema.title !== undefined) return schema.title
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(', ')
  if (schema.type !== undefined) return [schema.type].flat().join(' or ')
  return branches(schema).map(expectation).filter((text) => text !== '').join('; or ')
}

function branches(schema) {
  return [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
}

/** The schemas directly inside of one, each with its path and whether the place of its fields is certain. */
function parts(schema, path) {
  const found = branches(schema).map((inner) => ({ inner, path, certain: false }))
  if (typeof schema.items === 'object') found.push({ inner: schema.items, path: `${path}[]`, certain: true })
  const free = schema.additionalProperties
  if (typeof free === 'object') found.push({ inner: free, path: path === '' ? '*' : `${path}.*`, certain: true })
  return found
}

/**
 * The fields of a schema in its own order, each path once. `[]` stands for an item of a list, `*` for a free name.
 * Fields of a definition stand where it is used first; later uses name that place in `like`.
 */
export function schemaFields(root) {
  const fields = new Map()
  const places = new Map()
  const visit = (given, path, certain) => {
    if (given.$ref !== undefined) {
      const first = places.get(given.$ref)
      if (first !== undefined) {
        const field = fields.get(path.replace(/(\[\]|\.\*)+$/, ''))
        if (field !== undefined && first.fields) field.like = first.path
        return
      }
      places.set(given.$ref, { path, fields: false })
    }
    const schema = resolved(given, root)
    const before = fields.size
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      if (typeof child !== 'object') continue
      const to = path === '' ? name : `${path}.${name}`
      const full = resolved(child, root)
      if (!fields.has(to)) {
        const needed = certain && (schema.required ?? schema.else?.required ?? []).includes(name)
        fields.set(to, { path: to, needed, expected: expectation(full), meaning: full.description ?? '', like: '' })
      }
      visit(child, to, true)
    }
    for (const part of parts(schema, path)) visit(part.inner, part.path, part.certain)
    if (given.$ref !== undefined) places.set(given.$ref, { path, fields: fields.size > before })
  }
  visit(root, '', true)
  return [...fields.values()]
}

/** Text in a cell of a Markdown table. */
export function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ')
}

/** A table of the fields of a schema. */
export function schemaTable(root) {
  const rows = schemaFields(root).map(({ path, needed, expected, meaning, like }) => {
    const texts = [meaning, like === '' ? '' : `Its fields are those of \`${like}\`.`].filter((text) => text !== '')
    return `| \`${path}\` | ${needed ? 'yes' : ''} | ${cell(expected)} | ${cell(texts.join(' '))} |`
  })
  return ['| field | needed | expected | meaning |', '|---|---|---|---|', ...rows].join('\n')
}
