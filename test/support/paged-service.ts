import { fetchOf } from './clients.js'

/**
 * Names of the list in a response. `key`: the option `key`. The name of the list of results is not documented (§4.2).
 */
export const WRAPPERS = ['key', 'data', 'results', 'items'] as const
export type WrapperName = (typeof WRAPPERS)[number]

export interface PagedServiceOptions {
  readonly path: string
  readonly key: string
  /** Records of the list, in any order. */
  readonly records: readonly Row[]
  /** Maximum page size of the service. */
  readonly cap: number
  readonly wrapper?: WrapperName
  /** `true`: an empty page also has a cursor. */
  readonly emptyCursor?: boolean
}

/** A record of a list, at its position. */
export interface Row {
  readonly uuid: string
  readonly id: string
  readonly providerNumber: string
  readonly place: number
}

/** A list of the service in this process, without HTTP and without code of the client. `asked` has all its queries. */
export class PagedService {
  readonly asked: URLSearchParams[] = []
  /** Called before page n is created, counted from 1. */
  beforePage: (nth: number) => void = () => undefined
  /** Pages whose response is 500, counted from 1. */
  readonly failing = new Set<number>()
  readonly rows: Row[]
  readonly #options: PagedServiceOptions

  constructor(options: PagedServiceOptions) {
    this.#options = options
    this.rows = [...options.records]
  }

  readonly fetch = fetchOf(({ pathname, searchParams }) => {
    if (pathname !== this.#options.path) return new Response(null, { status: 404 })
    this.asked.push(searchParams)
    this.beforePage(this.asked.length)
    if (this.failing.has(this.asked.length)) return new Response('', { status: 500 })
    return this.#page(searchParams)
  })

  #page(query: URLSearchParams): unknown {
    const { cap, emptyCursor = false } = this.#options
    const count = Math.min(Number(query.get('count') ?? 20), cap)
    const after = Number(
      Buffer.from(query.get('cursor') ?? '', 'base64url').toString() || Number.NEGATIVE_INFINITY,
    )
    const sorted = [...this.rows].sort((a, b) => a.place - b.place)
    const items = sorted.filter(({ place }) => place > after).slice(0, count)
    const last = items.at(-1)?.place ?? after
    const cursor = {
      cursor: Buffer.from(String(last)).toString('base64url'),
      count,
      resultCount: items.length,
    }
    return this.#wrap(items, items.length === 0 && !emptyCursor ? undefined : cursor)
  }

  #wrap(items: readonly Row[], cursor: object | undefined): unknown {
    const { wrapper = 'key', key } = this.#options
    const more = cursor === undefined ? {} : { cursor }
    switch (wrapper) {
      case 'key':
        return { [key]: items, ...more }
      default:
        return { [wrapper]: items, ...more }
    }
  }
}

/** Returns records with the given positions. */
export function rowsAt(places: readonly number[]): Row[] {
  return places.map((place) => {
    const name = `row-${place}`
    return { uuid: name, id: name, providerNumber: name, place }
  })
}
