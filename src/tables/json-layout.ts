import type { ColumnBuffer } from './column-buffer.js'
import type { Column } from './column.js'
import type { ByteWriter } from '../model/byte-writer.js'
import type { TableForm } from './table-form.js'
import { cellText } from './text-cell.js'
import type { TextLayout } from './text-encoder.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Numbers of JSON are doubles to most readers: what a double cannot hold stands as a string of its digits. */
function standsBare({ form }: Column['type']): boolean {
  return form === 'uint32' || form === 'double' || form === 'boolean'
}

function putCell(out: ByteWriter, buffer: ColumnBuffer, index: number, epochDay: number, times: 'ns' | 'iso'): void {
  const { type } = buffer.column
  if (buffer.isNullAt(index)) return out.text('null')
  if (type.form === 'text') {
    const text = decoder.decode(buffer.textAt(index))
    return out.text(JSON.stringify(text))
  }
  const text = cellText(buffer, index, epochDay, times)
  if (!standsBare(type)) out.text(`"${text}"`)
  else out.text(type.form === 'double' && !Number.isFinite(buffer.numbers[index]) ? 'null' : text)
}

/**
 * JSON: `jsonl` is an object a line, `json` an array of such objects. Decimals, 64-bit ids and times in nanoseconds are
 * strings of their exact digits; counts and doubles are numbers; an empty value is null.
 */
export function jsonLayout(columns: readonly Column[], { format, times = 'ns' }: TableForm): TextLayout {
  const isArray = format === 'json'
  return {
    begin: encoder.encode(isArray ? '[\n' : ''),
    end: encoder.encode(isArray ? '\n]\n' : ''),
    betweenRows: encoder.encode(isArray ? ',\n' : ''),
    beforeCells: columns.map(({ name }, i) => encoder.encode(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`)),
    rowEnd: encoder.encode(isArray ? '}' : '}\n'),
    putCell: (out, buffer, index, epochDay) => { putCell(out, buffer, index, epochDay, times) },
  }
}
