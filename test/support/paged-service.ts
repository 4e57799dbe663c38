import type { FetchLike } from 'pathology-sdk'

/** How the list of results is wrapped, which the specification leaves open (§4.2). */
export const WRAPPERS = ['key', 'data', 'results', 'items'] as const
export type WrapperName = (typeof WRAPPERS)[number]

export interface PagedServiceOptions {
  readonly path: string
  readonly key: string
  /** Records by the place they have in the list. */
  readonly records: readonly Row[]
  /** The size the service caps pages at. */
  readonly cap: number
  readonly wrapper?: WrapperName
  /** An empty page carries a cursor all the same. */
  readonly emptyCursor?: boolean
}

/** A record of a list, at its place. */
export interface Row {
  readonly uuid: string
  readonly id: string
  readonly providerNumber: string
  readonly place: number
}

/** A list on the service's side, in process: it knows nothing of the client, and counts what it is asked. */
export class PagedService {
  readonly asked: URLSearchParams[] = []
  /** Called before page n is made, counting from 1. */
  beforePage: (nth: number) => void = () => undefined
  /** Pages that are answered with 500, counting from 1. */
  readonly failing = new Set<number>()
  readonly rows: Row[]
  readonly #options: PagedServiceOptions

  constructor(options: PagedServiceOptions) {
    this.#options = options
    this.rows = [...options.records]
  }

  readonly fetch: FetchLike = async (input) => {
    const url = new URL(input)
    if (url.pathname === '/oauth/token') {
      return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3_600 })
    }
    if (url.pathname !== this.#options.path) return new Response(null, { status: 404 })
    this.asked.push(url.searchParams)
    this.beforePage(this.asked.length)
    if (this.failing.has(this.asked.length)) return new Response('', { status: 500 })
    return Response.json(this.#page(url.searchParams))
  }

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

/** Rows at the places given. */
export function rowsAt(places: readonly number[]): Row[] {
  return places.map((place) => {
    const name = `row-${place}`
    return { uuid: name, id: name, providerNumber: name, place }
  })
}
