import fc from 'fast-check'
import type { CursorIterator, FetchLike, PathologyClient } from 'pathology-sdk'
import { clientOf } from '../support/clients.js'
import {
  PagedService,
  type PagedServiceOptions,
  type Row,
  rowsAt,
  WRAPPERS,
} from '../support/paged-service.js'

export const API = 'https://api.clinic.example'
export const clientWith = (fetch: FetchLike): PathologyClient =>
  clientOf(API, { fetch, responseValidation: 'off', maxRetries: 0 })

export const LISTS = {
  referrals: { path: '/v1/referrals', key: 'referrals' },
  results: { path: '/v1/results', key: 'results' },
  bundles: { path: '/v1/bundles', key: 'bundles' },
  providers: { path: '/v1/providers', key: 'providers' },
  webhooks: { path: '/v1/webhooks', key: 'webhooks' },
  centres: { path: '/v1/collection-centres', key: 'collectionCentres' },
} as const
export type ListName = keyof typeof LISTS

export interface Walk {
  readonly count?: number | undefined
  readonly prefetch?: boolean | undefined
  readonly cursor?: string | undefined
}

/** The records are of other kinds; only their positions are tested. */
export function listOf(client: PathologyClient, name: ListName, walk: Walk): CursorIterator<Row> {
  return client[name].list(walk) as CursorIterator<unknown> as CursorIterator<Row>
}

export const range = (length: number): number[] => Array.from({ length }, (_, index) => index)
export const placesOf = (rows: readonly Row[]): number[] => rows.map(({ place }) => place)

export const shape = fc.record({
  name: fc.constantFrom(...(Object.keys(LISTS) as ListName[])),
  size: fc.nat(70),
  cap: fc.integer({ min: 1, max: 20 }),
  count: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
  prefetch: fc.boolean(),
  wrapper: fc.constantFrom(...WRAPPERS),
  emptyCursor: fc.boolean(),
})

export function serviceFor({
  name,
  size,
  wrapper = 'key',
  ...options
}: { readonly name: ListName; readonly size: number } & Omit<
  PagedServiceOptions,
  'path' | 'key' | 'records'
>): PagedService {
  return new PagedService({
    ...LISTS[name],
    records: rowsAt(range(size)),
    ...options,
    wrapper: name === 'results' ? wrapper : 'key',
  })
}

export const applied = (cap: number, count: number | undefined): number => Math.min(count ?? 20, cap)
export const runs = { numRuns: 60 }
