import { DAYS } from '../contract/enums.js'
import type { CollectionCentre } from '../contract/types.js'
import { PROFILES } from './codes.js'
import * as element from './elements.js'
import { checked, type LocationOptions } from './options.js'

/** A collection centre. */
export interface Location extends ReturnType<typeof locationOf> {}

/**
 * Maps a collection centre to a Location. A day without hours can be closed or unknown: FHIR R4 has no closed days.
 *
 * @throws `ConfigurationError` for an invalid `base`.
 */
export function centreLocation(centre: CollectionCentre, options: LocationOptions): Location {
  return locationOf(centre, checked('centreLocation', options).base)
}

const STATUSES = { active: ['ACTIVE'], suspended: ['MISSING'], inactive: ['RETIRED'] } as const

function locationOf(centre: CollectionCentre, base: string) {
  const { uuid, lat: latitude, lng: longitude, city, state, postcode: postalCode } = centre
  const country = element.countryOf(centre.country)
  return element.filled({
    ...element.head('Location', element.idOf(uuid), PROFILES.location),
    identifier: element.identifiersOf(base, { centre: uuid }),
    status: element.statusIn(STATUSES, centre.status, undefined),
    name: centre.name,
    alias: [centre.venueName],
    telecom: element.telecomOf({ phone: centre.phone, url: centre.bookingUrl }),
    address: element.filled({ line: [centre.address], city, state, postalCode, country }),
    position: latitude === null || longitude === null ? undefined : { latitude, longitude },
    managingOrganization: element.named(centre.pathologyProviderName)[0],
    hoursOfOperation: hoursOf(centre),
  })
}

const DAY_CODES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

function hoursOf({ openingHours }: CollectionCentre) {
  return (openingHours ?? []).flatMap(({ day, status, periods }) => {
    const daysOfWeek = DAY_CODES.filter((_, index) => DAYS[index] === day && status === 'OPEN')
    const times = periods.map(({ opens, closes }) => ({
      openingTime: timeOf(opens),
      closingTime: timeOf(closes),
    }))
    const known = times.filter(({ openingTime, closingTime }) => openingTime && closingTime)
    return daysOfWeek.length > 0 ? known.map((hours) => ({ daysOfWeek, ...hours })) : []
  })
}

/** FHIR's day ends at 23:59:59. */
function timeOf(text: string): string {
  if (text === '24:00') return '23:59:59'
  return /^([01]\d|2[0-3]):[0-5]\d$/.test(text) ? `${text}:00` : ''
}
