import type { Column } from './column.js'
import type { ByteWriter } from '../model/byte-writer.js'
import type { TableForm } from './table-form.js'
import { cellText } from './text-cell.js'
import type { TextLayout } from './text-encoder.js'

const COMMA = 44
const NEWLINE = 10
const QUOTE = 34
const HASH = 35

const encoder = new TextEncoder()

/** Text with commas, quotes, line ends or `#` is quoted; so is empty text, as an empty cell is a null. */
function putText(out: ByteWriter, text: Uint8Array): void {
  const plain =
    text.length > 0 &&
    text.every((byte) => byte !== COMMA && byte !== QUOTE && byte !== NEWLINE && byte !== 13 && byte !== HASH)
  if (plain) return out.piece(text)
  out.byte(QUOTE)
  for (const byte of text) {
    if (byte === QUOTE) out.byte(QUOTE)
    out.byte(byte)
  }
  out.byte(QUOTE)
}

/**
 * CSV: a header, `\n` line ends, exact decimals, times as the form has them, nulls as empty cells; above the header a
 * `#` line with the metadata as JSON where the form asks for it.
 */
export function csvLayout(
  columns: readonly Column[], metadata: ReadonlyMap<string, string>, form: TableForm,
): TextLayout {
  const { comment = false, times = 'ns' } = form
  const head = comment ? `# ${JSON.stringify(Object.fromEntries(metadata))}\n` : ''
  return {
    begin: encoder.encode(`${head}${columns.map((column) => column.name).join(',')}\n`),
    end: new Uint8Array(0),
    betweenRows: new Uint8Array(0),
    beforeCells: columns.map((_, i) => encoder.encode(i === 0 ? '' : ',')),
    rowEnd: Uint8Array.of(NEWLINE),
    putCell: (out, buffer, index, epochDay) => {
      if (buffer.isNullAt(index)) return
      if (buffer.column.type.form === 'text')
        putText(out, buffer.textAt(index))
      else out.text(cellText(buffer, index, epochDay, times))
    },
  }
}
