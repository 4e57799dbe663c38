import type { NearbyCentre } from '../../client/index.js'
import { type AustralianState, isAustralianState } from '../../contract/enums.js'
import { formatOpeningHours } from '../../display/display-text.js'
import { type CommandRow, required } from '../shared/command.js'
import { type EnvironmentOptions, withClient } from '../shared/environment.js'
import { readLimit } from '../shared/list.js'
import { type Column, type RowLayout, type RowOptions, writeRows } from '../shared/output.js'
import { type Terminal, UsageError } from '../shared/terminal.js'

const KM: Column<NearbyCentre> = ['km', ({ distanceKm }) => distanceKm.toFixed(1)]
const LAYOUT: RowLayout<NearbyCentre> = {
  columns: [
    KM,
    ...['name', 'address', 'city', 'state', 'postcode', 'phone', 'pathologyProviderName', 'status', 'uuid'],
  ],
  table: [
    KM,
    ...['name', 'address', 'city', 'state', 'postcode', 'phone'],
    ['open', (centre) => formatOpeningHours(centre)],
  ],
  empty: 'No centres match: try a larger --radius or fewer filters.',
}

export const commands: readonly CommandRow[] = [
  {
    name: 'near',
    summary: 'list the centres around a point, nearest first',
    prints: 'rows',
    options: [
      required('--lat <degrees>', 'latitude'),
      required('--lng <degrees>', 'longitude'),
      ['--radius <km>', 'maximum distance in kilometres'],
      ['--provider <ids>', 'ids of pathology providers, separated by commas'],
      ['--state <states>', 'states and territories, separated by commas'],
      ['--limit <number>', 'maximum number of centres', '20'],
    ],
    examples: ['centres near --lat -33.87 --lng 151.21 --radius 5'],
    run: near,
  },
]

interface NearOptions extends RowOptions, EnvironmentOptions {
  readonly lat: string
  readonly lng: string
  readonly radius?: string
  readonly provider?: string
  readonly state?: string
  readonly limit: string
}

async function near(terminal: Terminal, options: NearOptions): Promise<undefined> {
  const limit = readLimit('--limit', options.limit)
  const filters = {
    lat: number('--lat', options.lat),
    lng: number('--lng', options.lng),
    ...(options.radius !== undefined && { radiusKm: number('--radius', options.radius) }),
    ...(options.provider !== undefined && { pathologyProviders: listOf(options.provider) }),
    ...(options.state !== undefined && { states: statesOf(options.state) }),
    count: Math.min(limit, 1_000),
  }
  return withClient(terminal, options, async (client) => {
    const centres = await client.centres.nearest(filters, { signal: terminal.signal }).toArray({ limit })
    return writeRows(terminal, options, LAYOUT, centres)
  })
}

function number(option: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(value)) throw new UsageError(`${option} must be a number`)
  return value
}

function listOf(text: string): string[] {
  return text.split(',').map((each) => each.trim())
}

function statesOf(text: string): AustralianState[] {
  const states = listOf(text.toUpperCase())
  if (!states.every(isAustralianState)) throw new UsageError('--state must be abbreviations such as NSW,VIC')
  return states
}
