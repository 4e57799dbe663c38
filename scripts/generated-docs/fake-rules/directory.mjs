/** @type {readonly import('./resources.mjs').FakeRule[]} */
export const DIRECTORY_RULES = [
  {
    at: '4.3',
    rule: '`GET /v1/tests` lists tests, with their biomarkers when asked to include them.',
    fake: 'About sixty blood tests and some others; any other word in `include` is refused.',
    tests: [
      ['conformance/catalogue', 'each included biomarker is the entry of the biomarker list'],
      ['testing/domain/catalogue', '§4.3 refuses %s with INVALID_PARAMETER'],
    ],
    open: 'The wrapper (`listWrapper`), and what 1.0.0 lists (`firstVersionTests`).',
  },
  {
    at: '4.3',
    rule: '`GET /v1/biomarkers` lists the catalogue of biomarkers.',
    fake: 'More than a hundred, numeric and text.',
    tests: [['testing/domain/catalogue', '§2.8 lists the catalogue']],
    open: '`listWrapper`.',
  },
  {
    at: '4.3',
    rule: '`GET /v1/bundles` lists PUBLIC bundles, and PRIVATE ones when asked.',
    fake: 'By time of creation; `includeUnlisted` takes true and false, and nothing else.',
    tests: [
      ['testing/domain/catalogue-bundles', '§4.3 includeUnlisted=true adds the PRIVATE ones'],
      ['conformance/catalogue', 'includeUnlisted=false is the default'],
    ],
    open: 'The order when none is named: `bundleSortDefault`.',
  },
  {
    at: '4.3',
    rule: '`POST /v1/calculate` prices tests, a bundle, or both.',
    fake: 'Each test once; unknown ones and bundles are named.',
    tests: [
      ['testing/domain/prices', '§4.3 takes a bundle alone: its tests'],
      ['conformance/catalogue', '§4.3 calculate refuses'],
    ],
  },
  {
    at: '4.4',
    rule: '`POST /v1/providers` creates a record, or updates the one the organisation has.',
    fake: 'INVALID_PROVIDER_DETAILS, INVALID_SIGNATURE, PROVIDER_NUMBER_IN_USE; routing is kept.',
    tests: [
      [
        'testing/domain/providers',
        '§4.4 a number the organisation holds updates that record instead of failing',
      ],
      ['conformance/providers', '§4.4 POST refuses'],
    ],
    open: 'What a number must look like (`providerNumberCheck`), whether a signature is needed at first (`signatureOnCreate`), how large it may be (`signatureMaxBytes`).',
  },
  {
    at: '4.4',
    rule: '`GET /v1/providers` and `GET /v1/providers/{providerNumber}` show records with their connections.',
    fake: 'Newest first, those of the portal too; PROVIDER_NOT_FOUND.',
    tests: [
      [
        'testing/domain/providers',
        '§4.4 includes records created in the portal, and none of another organisation',
      ],
      ['conformance/providers', 'the list is newest first, in the shape of §2.10'],
    ],
    open: 'The status of PROVIDER_NOT_FOUND is not shown: 404, or what `errorStatuses` says.',
  },
  {
    at: '4.4',
    rule: '`PUT /v1/providers/{providerNumber}` changes what is given, never the number.',
    fake: 'The signature stays unless a new one comes; routing in flight is kept.',
    tests: [
      ['testing/domain/providers', '§4.4 changes what is given and keeps the rest, the signature included'],
      ['conformance/providers', 'another number is refused, and the record stays'],
    ],
  },
  {
    at: '4.4',
    rule: '`DELETE /v1/providers/{providerNumber}` retires a record, unless a laboratory still routes to it.',
    fake: '409 PROVIDER_HAS_ACTIVE_ROUTING while CONNECTED or being wound down; else the signature is gone.',
    tests: [
      ['conformance/providers', 'a retired number can be created again, without its old signature'],
      ['testing/domain/providers', '§7 PROVIDER_HAS_ACTIVE_ROUTING while a laboratory is %s'],
    ],
    open: 'Which statuses count: `activeRoutingStatuses`.',
  },
  {
    at: '4.4',
    rule: '`GET /v1/vendors` lists the laboratories that can be reached now.',
    fake: 'Four; `vendors.setEnabled()` takes one away.',
    tests: [
      ['testing/domain/providers-routing', '§4.4 lists only laboratories that are reachable'],
      ['conformance/catalogue', 'one that is not reachable is not listed'],
    ],
  },
  {
    at: '4.4',
    rule: '`POST /v1/providers/{providerNumber}/routing` records an attestation and asks laboratories.',
    fake: 'MISSING_SIGNATURE, NO_VENDORS_SELECTED, UNKNOWN_VENDOR, MISSING_ATTESTATION; sent again it never moves CONNECTED back.',
    tests: [
      ['conformance/routing', '§4.4 routing is refused'],
      [
        'testing/domain/providers-routing',
        '§3.3 asking again refreshes the attestation and never moves CONNECTED backwards',
      ],
    ],
    open: 'Which connections the answer holds: `routingAnswer`. No laboratory is told.',
  },
  {
    at: '4.5',
    rule: '`GET /v1/collection-centres` filters: within one by OR, together by AND.',
    fake: 'Every filter, commas and repeated keys, underscores in provider ids; held against a plain reckoning over all centres.',
    tests: [
      ['conformance/centre-filters', '§4.5 filters combine with AND'],
      ['testing/domain/centres-paging', '§4.5 finds exactly what its filters say, page by page'],
    ],
  },
  {
    at: '4.5',
    rule: 'Around a point the nearest come first, with their distance; a radius is exact.',
    fake: 'Great-circle kilometres; without a point by name.',
    tests: [
      ['conformance/centre-places', 'nearest first by our own reckoning too'],
      ['testing/domain/centres-geography', '§4.5 the radius is honoured exactly, for any point'],
    ],
    open: 'How the service rounds a distance is not said.',
  },
  {
    at: '4.5',
    rule: 'A box has four edges, inclusive; half a box, half a point and swapped edges are refused.',
    fake: 'INVALID_PARAMETER that names what is missing.',
    tests: [
      ['conformance/centre-places', '§4.5 half a point, half a box, swapped edges'],
      ['testing/domain/centres-filters', '§4.5 half a box names each edge that is missing'],
    ],
  },
  {
    at: '4.5',
    rule: 'Search looks in name, venue, street and suburb, in whatever case.',
    fake: 'There and nowhere else; what looks like a pattern is text.',
    tests: [
      ['conformance/centre-filters', '§4.5 search'],
      ['testing/domain/centres-filters', '§4.5 does not look elsewhere: %s finds nothing'],
    ],
  },
  {
    at: '4.5',
    rule: 'Listings leave out RETIRED and unmappable centres; UUIDs find them, `changedSince` the RETIRED.',
    fake: 'So it is, also with every other filter.',
    tests: [
      ['conformance/centre-records', '§4.5 who is left out, and who comes by uuid'],
      [
        'testing/domain/centres-refresh',
        '§4.5 a copy kept by changedSince is the directory, whatever the weeks bring',
      ],
    ],
  },
  {
    at: '4.5',
    rule: '`GET /v1/collection-centres/{uuid}` gives any centre that ever was.',
    fake: 'COLLECTION_CENTRE_NOT_FOUND for the others.',
    tests: [
      ['testing/domain/centres-data', '§4.5 gives MISSING, RETIRED and unmappable centres too'],
      ['conformance/centre-records', '%s is the entry of the list'],
    ],
  },
]
