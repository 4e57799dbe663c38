import {
  ApiError,
  type ApiPromise,
  type CatalogueBiomarker,
  type CentreChange,
  type CentreFilters,
  type CollectionCentre,
  type CursorIterator,
  type NearbyCentre,
  type Order,
  type Page,
  type PathologyClient,
  type PdfDocument,
  type PlacedOrder,
  type Referral,
  type ResponseInfo,
  type Result,
  type Test,
  type Vendor,
  type WithResponse,
} from 'pathology-sdk'
import { expectTypeOf, it } from 'vitest'

type Client = PathologyClient

it('a call has the type of its object, and of its response with status and headers (§4)', () => {
  expectTypeOf<Client['referrals']['retrieve']>().returns.toEqualTypeOf<ApiPromise<Referral>>()
  expectTypeOf<Client['referrals']['retrieve']>().returns.resolves.toEqualTypeOf<Referral>()
  expectTypeOf<Client['referrals']['create']>().returns.resolves.toEqualTypeOf<PlacedOrder>()
  expectTypeOf<ApiPromise<Result>['withResponse']>().returns.resolves.toEqualTypeOf<WithResponse<Result>>()
  expectTypeOf<WithResponse<Result>>().toEqualTypeOf<{
    readonly data: Result
    readonly response: ResponseInfo
  }>()
  expectTypeOf<ResponseInfo['attempts']>().toEqualTypeOf<number>()
  expectTypeOf<Parameters<NonNullable<Parameters<ApiPromise<Result>['catch']>[0]>>>().toEqualTypeOf<
    [reason: unknown]
  >()
  expectTypeOf<ApiPromise<Result>>().toExtend<Promise<Result>>()
  expectTypeOf<Client['results']['document']>().returns.resolves.toEqualTypeOf<PdfDocument>()
  expectTypeOf<Client['webhooks']['eventNames']>().returns.resolves.toExtend<string[]>()
})

it('a list has the type of its elements and pages (§4.7)', () => {
  expectTypeOf<Client['referrals']['list']>().returns.toEqualTypeOf<CursorIterator<Referral>>()
  expectTypeOf<Client['tests']['list']>().returns.toEqualTypeOf<CursorIterator<Test>>()
  expectTypeOf<Client['biomarkers']['list']>().returns.toEqualTypeOf<CursorIterator<CatalogueBiomarker>>()
  expectTypeOf<Client['vendors']['list']>().returns.toEqualTypeOf<CursorIterator<Vendor>>()
  const walk = async (list: CursorIterator<Result>): Promise<void> => {
    for await (const result of list) expectTypeOf(result).toEqualTypeOf<Result>()
    for await (const page of list.pages()) expectTypeOf(page).toEqualTypeOf<Page<Result>>()
    expectTypeOf(await list.firstPage()).toEqualTypeOf<Page<Result>>()
    expectTypeOf(await list.toArray({ limit: 3 })).toEqualTypeOf<Result[]>()
  }
  expectTypeOf(walk).returns.resolves.toBeVoid()
  expectTypeOf<Page<Result>['items']>().toEqualTypeOf<readonly Result[]>()
})

it('changes to the directory are a union by type (§4.5)', () => {
  const apply = (change: CentreChange): string => {
    if (change.type === 'remove') {
      expectTypeOf(change.uuid).toEqualTypeOf<string>()
      return change.uuid
    }
    expectTypeOf(change.type).toEqualTypeOf<'upsert'>()
    expectTypeOf(change.centre).toEqualTypeOf<CollectionCentre>()
    return change.centre.name
  }
  expectTypeOf(apply).returns.toEqualTypeOf<string>()
})

it('a centre near a point has its distance; in a list the distance is optional (§4.5)', () => {
  expectTypeOf<Client['centres']['nearest']>().returns.toEqualTypeOf<CursorIterator<NearbyCentre>>()
  expectTypeOf<NearbyCentre['distanceKm']>().toEqualTypeOf<number>()
  expectTypeOf<CollectionCentre['distanceKm']>().toEqualTypeOf<number | undefined>()
})

it('a point and a box are complete or absent (§4.5)', () => {
  const filters: CentreFilters[] = [
    {},
    { lat: -37.8, lng: 144.9 },
    { lat: -37.8, lng: 144.9, radiusKm: 5 },
    { north: -30, south: -40, east: 150, west: 140 },
    { lat: -37.8, lng: 144.9, north: -30, south: -40, east: 150, west: 140, states: ['VIC'] },
    // @ts-expect-error half a point
    { lat: -37.8 },
    // @ts-expect-error the other half
    { lng: 144.9 },
    // @ts-expect-error a radius around nothing
    { radiusKm: 5 },
    // @ts-expect-error half a box
    { north: -30, south: -40 },
    // @ts-expect-error a box without one edge
    { north: -30, south: -40, east: 150 },
    // @ts-expect-error an unknown state
    { states: ['XX'] },
    // @ts-expect-error a slip in a name
    { postcode: ['3000'] },
  ]
  expectTypeOf(filters).items.toEqualTypeOf<CentreFilters>()
  expectTypeOf<Client['centres']['list']>().parameter(0).toEqualTypeOf<CentreFilters | undefined>()
})

it('an order has every required field, and no unknown one (§4.1)', () => {
  expectTypeOf<Order['gender']>().toEqualTypeOf<'male' | 'female'>()
  expectTypeOf<Order>().not.toExtend<{ tests: string[] }>()
  const change = (client: Client, order: Order): unknown[] => [
    () => client.referrals.create(order, { orderKey: 'visit-17' }),
    // @ts-expect-error no address, no reference number
    () => client.referrals.create({ firstName: 'A', lastName: 'B', email: 'c@example.com', phone: '1' }),
    // @ts-expect-error a slip in a name
    () => client.referrals.create({ ...order, refrenceNumber: '1' }),
    // @ts-expect-error the order key is not a field of the order
    () => client.referrals.create({ ...order, orderKey: 'visit-17' }),
    // @ts-expect-error no such gender in an order
    () => client.referrals.create({ ...order, gender: '' }),
    // @ts-expect-error an order's tests cannot be changed
    () => client.referrals.update('', { tests: [] }),
    // @ts-expect-error a record's number cannot be changed
    () => client.providers.update('', { providerNumber: '' }),
    // @ts-expect-error the list is sorted one way or the other
    () => client.referrals.list({ sort: 'up' }),
  ]
  expectTypeOf(change).returns.toEqualTypeOf<unknown[]>()
})

it('an order has at least one referral (§4.1)', () => {
  expectTypeOf<PlacedOrder['referrals'][0]>().toEqualTypeOf<Referral>()
  const first = ({ referrals: [{ uuid }] }: PlacedOrder): string => uuid
  expectTypeOf(first).returns.toBeString()
})

it('objects that the service returned are read-only', () => {
  const order = (placed: PlacedOrder): void => {
    // @ts-expect-error the list is read-only
    placed.referrals.push()
    // @ts-expect-error recovered is read-only
    placed.recovered = true
  }
  expectTypeOf(order).returns.toBeVoid()
})

it('an ApiError has its code as an open set, and its issues (§7)', () => {
  const explain = (error: unknown): string => {
    if (!(error instanceof ApiError)) return 'other'
    expectTypeOf(error.status).toEqualTypeOf<number>()
    expectTypeOf(error.code).toExtend<string | undefined>()
    for (const { message, field } of error.issues) {
      expectTypeOf(message).toEqualTypeOf<string>()
      expectTypeOf(field).toEqualTypeOf<string | undefined>()
    }
    return error.errorList.join()
  }
  expectTypeOf(explain).returns.toEqualTypeOf<string>()
})
