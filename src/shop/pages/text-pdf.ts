/** Characters of a line: Courier of 10 points between margins of 50 points on A4. */
export const PDF_COLUMNS = 82

const LINES_A_PAGE = 53
const PAGE = '/Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>'
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>'

/**
 * Lines of text as PDF 1.4: A4 pages in Courier, which every reader has. The same lines give the same bytes: the file
 * has no date and no id. A line of more than {@link PDF_COLUMNS} characters leaves the page. A character that is not
 * in Latin-1 is `?`.
 */
export function textPdf(lines: readonly string[]): Uint8Array {
  const pages = Array.from({ length: Math.ceil(lines.length / LINES_A_PAGE) }, (_none, at) => 4 + 2 * at)
  const kids = pages.map((number) => `${number} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`, FONT,
    ...pages.flatMap((number, at) => {
      const shown = lines.slice(at * LINES_A_PAGE, (at + 1) * LINES_A_PAGE).map((line) => `(${pdfText(line)}) '`)
      const stream = `BT /F1 10 Tf 14 TL 50 806 Td\n${shown.join('\n')}\nET`
      return [
        `<< ${PAGE} /Contents ${number + 1} 0 R >>`, `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  // Every character is one byte: lengths of the text are offsets in the file.
  let file = '%PDF-1.4\n'
  const entries = objects.map((object, at) => {
    const offset = String(file.length).padStart(10, '0')
    file += `${at + 1} 0 obj\n${object}\nendobj\n`
    return `${offset} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return new Uint8Array(Buffer.from(file + table + trailer, 'latin1'))
}

/** A text between the brackets of a PDF. Latin-1 without control characters has the same codes in WinAnsi. */
function pdfText(text: string): string {
  return text.replace(/[^ -~\u00a0-\u00ff]/gu, '?').replace(/[\\()]/g, '\\$&')
}
