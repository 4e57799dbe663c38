import { DAYS, type KnownDayStatus } from '../../contract/enums.js'
import type { OpeningDay } from '../../contract/types.js'
import { cellOf, readTable } from './tables.js'

const words = (text: string): readonly string[] => text.split(',').map((word) => word.trim())

export const STREETS = words(
  `High Street, Station Street, Church Street, Main Street, Victoria Street, George Street, King Street,
  Queen Street, Park Road, Railway Parade, Albert Street, William Street, Elizabeth Street, Bridge Street,
  Hospital Road, Commercial Road, Beach Road, Pacific Avenue, Wattle Street, Banksia Drive, Grevillea Street,
  Lake Road, Mill Street, Market Street, Princes Highway, Stirling Terrace, Macquarie Street, Murray Street,
  Central Avenue, Forest Road, Kent Street, Short Street, Nelson Street, Campbell Street, Darling Street,
  Flinders Street, Hume Street, Sturt Street, Leichhardt Street, Anzac Parade`,
)

export const VENUES = words(
  `Medical Centre, Family Practice, Day Hospital, Specialist Centre, Shopping Village, Health Hub, Plaza,
  Community Health Centre, Private Hospital, Doctors on the Park, Superclinic, Arcade, Women's Health Centre,
  Skin Clinic, Town Square, Marketplace, Base Hospital, Medical Suites`,
)

export const VENUE_PREFIXES = words(
  `Riverside, Lakeview, Central, Parkside, Northgate, Southgate, Eastside, Westend, Hillcrest, Bayside,
  Gumtree, Wattle Grove, Station, Cathedral, Heritage, Sunrise, Harbour, Orchard, Federation, Pioneer`,
)

export const SERVICES = words(
  `Blood collection, Urine drug screen, Glucose tolerance test (by appointment), ECG, Holter monitor,
  Paediatric collection, Wheelchair access, Breath test, Home visits, Spirometry, 24-hour blood pressure,
  Workplace drug testing, Free parking, Chain of custody collection`,
)

export const NOTES = [
  'Closed on public holidays.',
  'No appointment needed. Last collection 15 minutes before closing.',
  'Closed 24 December to 2 January.',
  'Glucose tolerance tests by appointment only; please call.',
  'Entry from the car park while the front door is being repaired.',
  'Closed this Friday for staff training.',
  'Please bring your referral and Medicare card.',
  'Children under five on weekday mornings only.',
] as const

/*
 * Weekly opening hours: Monday to Friday | Saturday | Sunday, or seven days from Monday. A day is a list of periods,
 * `closed` or `unknown`, optionally followed by a slash and the laboratory's text.
 */
const HOURS_TABLE = `
07:00-17:00 | 08:00-12:00 | closed
07:30-16:30 | closed | closed
08:00-16:00 / 8am to 4pm | closed | closed
06:30-17:30 | 07:00-12:00 | 08:00-11:00
07:00-12:30,13:00-16:00 / 7am-12.30pm, 1pm-4pm | closed | closed
08:00-12:00,12:30-15:30 | 08:00-11:00 | closed
07:00-11:00 / Mornings only | closed | closed
07:00-21:00 | 08:00-18:00 | 09:00-17:00
00:00-24:00 / Open 24 hours | 00:00-24:00 | 00:00-24:00
06:00-24:00 | 06:00-24:00 | 08:00-18:00
18:00-24:00 / After-hours clinic | 12:00-24:00 | 12:00-24:00
08:00-12:00 | closed | 08:00-12:00 | closed | 08:00-12:00 | closed | closed
07:30-15:00 | 07:30-15:00 | 07:30-12:00 | 07:30-15:00 | 07:30-15:00 | unknown / By appointment | closed
08:30-16:30 | unknown | unknown
07:00-15:00 | 07:00-15:00 | unknown / Hours vary, see door | 07:00-15:00 | 07:00-14:00 | closed | unknown
unknown / Please call for hours | closed | closed
07:30-10:30,11:00-13:00,14:00-16:00 | 08:00-10:00 | closed
`

/** Returns the possible opening hours of a centre: seven days from Monday (§2.11). */
export function readOpeningHours(): OpeningDay[][] {
  return readTable(HOURS_TABLE).map((row) => {
    const weekdays = Array.from({ length: 5 }, () => cellOf(row, 0))
    const cells = row.length === DAYS.length ? row : [...weekdays, cellOf(row, 1), cellOf(row, 2)]
    return DAYS.map((day, place) => ({ day, ...readDay(cellOf(cells, place)) }))
  })
}

function readDay(cell: string): Omit<OpeningDay, 'day'> {
  const [hours = '', text = null] = cell.split(' / ')
  const status = dayStatus(hours)
  if (status !== 'OPEN') return { status, periods: [], text }
  const periods = hours.split(',').map((period) => {
    const [opens = '', closes = ''] = period.split('-')
    return { opens, closes }
  })
  return { status, periods, text }
}

function dayStatus(hours: string): KnownDayStatus {
  if (hours === 'closed') return 'CLOSED'
  return hours === 'unknown' ? 'UNKNOWN' : 'OPEN'
}
