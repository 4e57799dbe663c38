import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allBlocks, placeOf, ROOT } from './blocks.js'

interface Line {
  readonly place: string
  readonly text: string
}

const linesOf = (place: string, text: string, first = 1): Line[] =>
  text.split('\n').map((line, index) => ({ place: `${place}:${first + index}`, text: line }))

function files(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => pattern.test(path) && !path.includes('node_modules'))
    .map((path) => join(folder, path))
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The code that users copy: blocks of pages, examples, and code in docstrings. */
const SAMPLES: readonly Line[] = [
  ...allBlocks()
    .filter(({ language }) => /^[cm]?[jt]sx?$/.test(language))
    .flatMap((block) => linesOf(block.page, block.code, block.line + 1)),
  ...files('examples', /\.[cm]?[jt]s$/).flatMap((path) => linesOf(path, read(path))),
  ...files('src', /\.ts$/).flatMap((path) =>
    linesOf(path, read(path)).filter(({ text }) => /^\s*\*\s.*[({;]/.test(text)),
  ),
]

const breaking = (isBroken: (text: string) => boolean): string[] =>
  SAMPLES.filter(({ text }) => isBroken(text)).map(({ place, text }) => `${place} ${text.trim()}`)

/** Arguments of a function on one line, with the rest of the line. */
const argumentsOf = (text: string, name: RegExp): string | undefined =>
  new RegExp(`(?:${name.source})\\((.*)`).exec(text)?.[1]

const CONSOLE = /console\.(?:log|info|warn|error|debug|dir|table)/

/** The service's own text, and fields of a patient. */
const PERSONAL =
  /\b(?:issues|errorList|serviceMessage|bodyExcerpt|reference|uuid|person|labPatient|formattedValue|reportText|normalised)\b|\.(?:data|retrieve|document)\b/

it('there are samples of each kind to check against the security policy', () => {
  for (const place of [/^docs\/guides\//, /^README/, /^examples\//, /^src\//]) {
    expect(SAMPLES.some((line) => place.test(line.place))).toBe(true)
  }
  expect(placeOf({ page: 'README.md', line: 1 })).toBe('README.md:1')
})

it('samples print no text of the service, no identifier and no detail of a patient', () => {
  const isBroken = (text: string): boolean => {
    const [printed = ''] = argumentsOf(text, CONSOLE)?.split('//') ?? []
    return PERSONAL.test(printed)
  }
  expect(breaking(isBroken)).toEqual([])
  expect(isBroken('console.log(error.status, error.issues)')).toBe(true)
  expect(isBroken('console.log(await client.results.retrieve(uuid))')).toBe(true)
})

it('samples do not pass events and error lists to the console', () => {
  expect(
    breaking((text) => new RegExp(`(?:'\\*'|onError|then|catch)(?::|\\() ?${CONSOLE.source}\\b`).test(text)),
  ).toEqual([])
})

it('samples name files of patients by uuid', () => {
  const isBroken = (text: string): boolean => {
    const path = argumentsOf(text, /(?<!async )\bsaveTo/)
    return path !== undefined && !/\buuid\b/.test(path) && !/^(?:path|\s*$)/.test(path)
  }
  expect(breaking(isBroken)).toEqual([])
  expect(isBroken("document(uuid).saveTo(reference + '.pdf')")).toBe(true)
})

it('samples create files that only their owner can read', () => {
  const isBroken = (text: string): boolean => {
    const options = argumentsOf(text, /\b(?:writeFile|writeFileSync|appendFile|createWriteStream)/)
    return options !== undefined && !options.includes('mode: 0o600')
  }
  expect(breaking(isBroken)).toEqual([])
  expect(isBroken("createWriteStream('a.pdf')")).toBe(true)
})
