/** The objects of a PDF by their numbers, found by its table alone. Throws where an entry points elsewhere. */
export function pdfObjects(file: string): string[] {
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)![1])
  const [, size = '', entries = ''] = /^xref\n0 (\d+)\n0000000000 65535 f \n((?:\d{10} 00000 n \n)*)trailer\n<< \/Size \1 \/Root 1 0 R >>\n/.exec(file.slice(start))!
  const offsets = entries.split('\n').slice(0, -1).map((entry) => Number(entry.slice(0, 10)))
  if (offsets.length !== Number(size) - 1) throw new Error(`${offsets.length} entries in a table of ${size}`)
  return offsets.map((offset, at) => {
    const text = file.slice(offset, file.indexOf('\nendobj\n', offset))
    if (!text.startsWith(`${at + 1} 0 obj\n`)) throw new Error(`no object ${at + 1} at ${offset}`)
    const [, length, stream] = /\/Length (\d+) >>\nstream\n(.*)\nendstream$/s.exec(text) ?? []
    if (stream !== undefined && stream.length !== Number(length)) throw new Error(`a stream of ${stream.length} that says ${length!}`)
    return text
  })
}

/** The lines of the text of a PDF, page after page, in the order of its pages. */
export function textLines(file: string): string[] {
  const objects = pdfObjects(file)
  const numbers = (text: string): number[] => [...text.matchAll(/(\d+) 0 R/g)].map(([, number]) => Number(number))
  const pages = numbers(/\/Kids \[(.*)\]/.exec(objects[1]!)![1]!)
  return pages.flatMap((page) => {
    const stream = objects[numbers(/\/Contents (.*)$/s.exec(objects[page - 1]!)![1]!)[0]! - 1]!
    return [...stream.matchAll(/^\(((?:[^\\()]|\\[\\()])*)\) '$/gm)].map(([, text]) => text!.replace(/\\(.)/g, '$1'))
  })
}
