export interface PdfLine {
  readonly text: string
  /** Style of the line. Default `plain`. `fixed` has a fixed-width font, for tables. */
  readonly style?: 'title' | 'heading' | 'plain' | 'fixed'
}

export interface PdfContent {
  readonly title: string
  readonly createdAt: Date
  readonly lines: readonly PdfLine[]
}

interface Style {
  /** The font's name in the page's resources. */
  readonly font: string
  /** Font size in points. */
  readonly size: number
  readonly leading: number
}

const STYLES = {
  title: { font: 'F2', size: 18, leading: 28 },
  heading: { font: 'F2', size: 11, leading: 20 },
  plain: { font: 'F1', size: 10, leading: 14 },
  fixed: { font: 'F3', size: 8.5, leading: 12 },
} as const satisfies Record<string, Style>

const FONTS = [
  ['F1', 'Helvetica'],
  ['F2', 'Helvetica-Bold'],
  ['F3', 'Courier'],
] as const

/** Size and margin of an A4 page, in points. */
const PAGE = { width: 595, height: 842, margin: 50 } as const

const CATALOGUE = 1
const PAGES = 2
const INFO = 3
const FIRST_FONT = 4
const FIRST_PAGE = FIRST_FONT + FONTS.length

/** Writes a small PDF 1.4 with text on A4 pages. */
export function writePdf(content: PdfContent): Uint8Array {
  const pages = paginate(content.lines)
  const pageIds = pages.map((_, index) => FIRST_PAGE + 2 * index)
  const fonts = FONTS.map(([name], index) => `/${name} ${FIRST_FONT + index} 0 R`).join(' ')
  const objects = [
    `<< /Type /Catalog /Pages ${PAGES} 0 R >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] >>`,
    `<< /Title (${pdfText(content.title)}) /Producer (pathology-fake) /CreationDate (${pdfDate(content.createdAt)}) >>`,
    ...FONTS.map(
      ([, font]) => `<< /Type /Font /Subtype /Type1 /BaseFont /${font} /Encoding /WinAnsiEncoding >>`,
    ),
    ...pages.flatMap((stream, index) => [
      `<< /Type /Page /Parent ${PAGES} 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] ` +
        `/Resources << /Font << ${fonts} >> >> /Contents ${FIRST_PAGE + 2 * index + 1} 0 R >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ]),
  ]
  return assemble(objects)
}

/** Returns the content stream of each page. */
function paginate(lines: readonly PdfLine[]): string[] {
  const pages: string[][] = [[]]
  let y: number = PAGE.height - PAGE.margin
  for (const { text, style = 'plain' } of lines) {
    const { font, size, leading } = STYLES[style]
    y -= leading
    if (y < PAGE.margin) {
      pages.push([])
      y = PAGE.height - PAGE.margin - leading
    }
    pages.at(-1)?.push(`BT /${font} ${size} Tf ${PAGE.margin} ${y} Td (${pdfText(text)}) Tj ET`)
  }
  return pages.map((page) => page.join('\n'))
}

/** Writes the numbered objects, the cross-reference table and the trailer. */
function assemble(objects: readonly string[]): Uint8Array {
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = file.length
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  file += `xref\n0 ${size}\n0000000000 65535 f \n${rows}`
  file += `trailer\n<< /Size ${size} /Root ${CATALOGUE} 0 R /Info ${INFO} 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}

/**
 * Escapes a text for a PDF string, and replaces characters that Latin-1 does not have. Each character of the file is
 * then one byte, so that string lengths are byte offsets.
 */
function pdfText(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll('\u2013', '-')
    .replaceAll('\u03bc', '\u00b5')
    .replace(/[^\x20-\x7e\xa0-\xff]/g, '?')
    .replace(/[\\()]/g, '\\$&')
}

function pdfDate(date: Date): string {
  return `D:${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`
}
