import fc from 'fast-check'
import { reportLines, reportText } from 'pathology-sdk/display'
import { expect, it } from 'vitest'

const resultOf = (...pit: string[]) => ({ report: { pit } })
const textOf = (...pit: string[]) => reportText(resultOf(...pit))
const codes = ['SBLD', 'EBLD', 'SUND', 'EUND', 'SBLK', 'EBLK', 'FG04', 'FG99', 'BG01', 'BG99', 'DFLT']
const spellings = [
  ...codes.flatMap((code) => [`~${code}~`, `\\R\\${code}\\R\\`]),
  '~SBLDSUND~',
  '~EBLDEUND~',
  '\\R\\SBLDFG04\\R\\',
  '\\H\\',
  '\\N\\',
]

const CHOLESTEROL = [
  '301 ~SBLD~LIPIDS~EBLD~',
  '301 ------',
  '302      Cholesterol    ~FG04~ 7.1~FG99~  mmol/L   (< 5.5)',
  '302',
  '302 ',
  'comment the laboratory wrapped',
  '309',
].join('\n')

it('reportLines returns message, code and text of each line, and keeps the layout (§2.5)', () => {
  expect(reportLines(resultOf(CHOLESTEROL, '301 Second message'))).toEqual([
    { message: 0, code: '301', text: 'LIPIDS' },
    { message: 0, code: '301', text: '------' },
    { message: 0, code: '302', text: '     Cholesterol     7.1  mmol/L   (< 5.5)' },
    { message: 0, code: '302', text: '' },
    { message: 0, code: '302', text: '' },
    { message: 0, code: null, text: 'comment the laboratory wrapped' },
    { message: 0, code: '309', text: '' },
    { message: 1, code: '301', text: 'Second message' },
  ])
})

it('reportLines returns no line without a report, without messages, and for an empty message (§2.5)', () => {
  expect(reportLines({ report: null })).toEqual([])
  expect(reportLines(resultOf())).toEqual([])
  expect(reportLines(resultOf('', '301 x'))).toEqual([{ message: 1, code: '301', text: 'x' }])
})

it.each(['\n', '\r\n', '\r'])(
  'a line of a report ends at %j, also when the last one has none (§2.5)',
  (end) => {
    const lines = ['301 a', '', '302   b']
    const expected = [
      { message: 0, code: '301', text: 'a' },
      { message: 0, code: null, text: '' },
      { message: 0, code: '302', text: '  b' },
    ]
    expect(reportLines(resultOf(lines.join(end)))).toEqual(expected)
    expect(reportLines(resultOf(lines.join(end) + end))).toEqual(expected)
  },
)

it.each([
  ['a byte order mark', '\ufeff301 a\n302   b'],
  ['a byte order mark that was read as Latin-1', '\u00ef\u00bb\u00bf301 a\n302   b'],
  ['lines that end with CR CR LF', '301 a\r\r\n302   b\r\r\n'],
  ['a form feed between lines', '301 a\f302   b'],
  ['form feeds beside line ends', '\f301 a\r\n\f302   b\f\r\n'],
  ['a final Ctrl-Z', '301 a\n302   b\n\u001a'],
  ['a final Ctrl-Z in the last line', '301 a\r\n302   b\u001a\u001a\r\n'],
  ['all of them', '\ufeff\f301 a\r\r\n\f302   b\r\r\n\u001a'],
])('reportLines reads the same lines in a message with %s (§2.5)', (_, message) => {
  expect(reportLines(resultOf(message))).toEqual([
    { message: 0, code: '301', text: 'a' },
    { message: 0, code: '302', text: '  b' },
  ])
})

it('reportLines keeps the text after a Ctrl-Z that is not the last character', () => {
  expect(textOf('301 a\u001ab\n301 c\u001a')).toBe('ab\nc')
})

it('line codes are read only in a message that begins with one: other numbers of three digits stay (§2.5)', () => {
  const plain = 'Sodium\n140 mmol/L\n'
  expect(reportLines(resultOf(plain, `\n  \n301 Sodium`))).toEqual([
    { message: 0, code: null, text: 'Sodium' },
    { message: 0, code: null, text: '140 mmol/L' },
    { message: 1, code: null, text: '' },
    { message: 1, code: null, text: '  ' },
    { message: 1, code: '301', text: 'Sodium' },
  ])
})

it.each(['30 text', '3011 text', '301text', '301\ttext', ' 301 text', '3O1 text'])(
  'reportLines reads %j as a line without a code (§2.5)',
  (line) => {
    expect(reportLines(resultOf(`301 first\n${line}`))[1]).toEqual({
      message: 0,
      code: null,
      text: line,
    })
  },
)

it('reportText joins lines, and separates messages by a blank line (§2.5)', () => {
  expect(textOf('301 a\n302   b', '', 'c\n140 d\n')).toBe('a\n  b\n\nc\n140 d')
  expect(reportText({ report: null })).toBe('')
  expect(textOf()).toBe('')
})

it.each(spellings)('reportText removes the formatting code %s (§2.5)', (code) => {
  expect(textOf(`301 ${code}Iron ${code}${code} 4.8${code}`)).toBe('Iron  4.8')
})

it.each([
  '~ 5.0',
  '~5~ to ~6~',
  '~SBLD',
  'SBLD~',
  '~sbld~',
  '~SBOLD~',
  '~FG4~',
  '~FG123~',
  '~SBLD DFLT~',
  '~~',
  '\\.br\\',
  '\\T\\',
  '\\R\\',
  '\\R\\XXXX\\R\\',
  '\\h\\',
  'C:\\N',
  '<b>4.8</b>',
  '\u001b[1m',
])('reportText keeps %j, which is no formatting code (§2.5)', (text) => {
  expect(textOf(`301 ${text}`)).toBe(text)
})

it('reportText loses no character outside the known codes (§2.5)', () => {
  const plain = fc.string({ unit: fc.constantFrom(...' abc<>:.0123456789µ³\u2028') })
  const piece = fc.oneof(
    plain.map((text) => ({ raw: text, read: text })),
    fc.constantFrom(...spellings).map((code) => ({ raw: code, read: '' })),
  )
  const line = fc.record({
    code: fc.option(fc.constantFrom('001', '100', '301', '390', '999')),
    pieces: fc.array(piece),
  })
  const message = fc.array(line, { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 3 }), (messages) => {
      const pit = messages.map((lines) =>
        [
          '301 start',
          ...lines.map(({ code, pieces }) => `${code ?? '|'} ${pieces.map((p) => p.raw).join('')}`),
        ]
          .join('\n')
          .concat('\n'),
      )
      const read = messages.map((lines) =>
        [
          'start',
          ...lines.map(({ code, pieces }) => `${code ? '' : '| '}${pieces.map((p) => p.read).join('')}`),
        ].join('\n'),
      )
      expect(textOf(...pit)).toBe(read.join('\n\n'))
    }),
  )
})

it('reportText returns a text without codes unchanged (§2.5)', () => {
  const anyLine = fc.string({ unit: fc.constantFrom(...'ab 19.:~SBLD\\HNR') })
  fc.assert(
    fc.property(fc.array(anyLine, { minLength: 1 }), (lines) => {
      const kept = lines.map((line) => line.replaceAll(/[~\\]/g, '?'))
      expect(textOf(['x', ...kept, 'x'].join('\n'))).toBe(['x', ...kept, 'x'].join('\n'))
      const result = resultOf(['301 x', ...lines, 'x'].join('\n'))
      expect(reportText(result)).toBe(
        reportLines(result)
          .map((line) => line.text)
          .join('\n'),
      )
    }),
  )
})

it('reportText does not change the result (§2.5)', () => {
  const result = Object.freeze({ report: Object.freeze({ pit: Object.freeze([CHOLESTEROL]) }) })
  expect(reportText(result)).toBe(reportText(result))
  expect(result.report.pit[0]).toBe(CHOLESTEROL)
})

it('reportText keeps a very long run of codes that are not closed (§2.5)', () => {
  const unclosed = `~${'SBLD'.repeat(200_000)}`
  expect(textOf(`301 ${unclosed}`) === unclosed).toBe(true)
})
