import { inflateSync } from 'node:zlib'

import type { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'

import { authorised, ORDER, placeOrder, read, record, records, startFake } from '../support.js'

async function issuedReferral(fake: FakePathologyService): Promise<{ uuid: string; url: string }> {
  const { body } = await placeOrder(fake, await authorised(fake), {
    ...ORDER,
    firstName: 'Zoë (Zo)',
    clinicalNotes: 'a \\ b',
  })
  const uuid = String(records(body)[0]?.['uuid'])
  return { uuid, url: String(fake.referrals.retrieve(uuid).referralAttachment) }
}

interface Pdf {
  readonly text: string
  /** The text of every object by its number, read only through the cross-reference table. */
  readonly objects: ReadonlyMap<number, string>
  readonly trailer: string
}

/** Reads a PDF like a viewer: from the end, through the cross-reference table, object by object. */
function readPdf(bytes: Uint8Array): Pdf {
  const file = Buffer.from(bytes).toString('latin1')
  expect(file.slice(0, 8)).toMatch(/^%PDF-1\.\d/)
  const start = Number(/startxref\n(\d+)\n%%EOF\s*$/.exec(file)?.[1])
  const table = /^xref\n0 (\d+)\n((?:\d{10} \d{5} [nf][ \r]\n)+)trailer\n([\s\S]*?)\nstartxref/.exec(
    file.slice(start),
  )
  const [, size, rows = '', trailer = ''] = table ?? []
  const entries = rows.match(/.{20}/gs) ?? []
  expect(entries).toHaveLength(Number(size))
  const objects = new Map<number, string>()
  for (const [number, entry] of entries.entries()) {
    if (!entry.includes('n')) continue
    const object = new RegExp(`^${number} 0 obj\\n([\\s\\S]*?)\\nendobj`).exec(
      file.slice(Number(entry.slice(0, 10))),
    )
    if (object === null) throw new Error(`the table does not lead to object ${number}`)
    objects.set(number, object[1] ?? '')
  }
  return { text: streamText(objects), objects, trailer }
}

function streamText(objects: ReadonlyMap<number, string>): string {
  const pages = [...objects.values()].flatMap((object) => {
    const found = /^<< \/Length (\d+)( \/Filter \/FlateDecode)? >>\nstream\n([\s\S]*)\nendstream$/.exec(
      object,
    )
    if (found === null) return []
    const [, length, packed, stream = ''] = found
    expect(stream).toHaveLength(Number(length))
    return [packed === undefined ? stream : inflateSync(Buffer.from(stream, 'latin1')).toString('latin1')]
  })
  const strings = pages.join('\n').match(/\((?:[^()\\]|\\.)*\) Tj/g) ?? []
  return strings.map((string) => string.slice(1, -4).replace(/\\(.)/g, '$1')).join('\n')
}

function pageCount({ objects, trailer }: Pdf): number {
  const root = objects.get(Number(/\/Root (\d+) 0 R/.exec(trailer)?.[1])) ?? ''
  const pages = objects.get(Number(/\/Pages (\d+) 0 R/.exec(root)?.[1])) ?? ''
  const kids = /\/Kids \[([^\]]*)\]/.exec(pages)?.[1]?.match(/\d+ 0 R/g) ?? []
  expect(kids).toHaveLength(Number(/\/Count (\d+)/.exec(pages)?.[1]))
  for (const kid of kids) expect(objects.get(Number.parseInt(kid, 10))).toContain('/Type /Page')
  return kids.length
}

const download = async (url: string): Promise<Uint8Array> => {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/pdf')
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(response.headers.get('content-length')).toBe(String(bytes.byteLength))
  return bytes
}

describe('the referral PDF (§2.4)', () => {
  it('a referral has a PDF that its own table of objects describes, with the details of the referral (§2.4)', async () => {
    const fake = await startFake()
    const { uuid, url } = await issuedReferral(fake)
    expect(new URL(url).origin).not.toBe(fake.baseUrl)
    expect(decodeURIComponent(url)).not.toMatch(/Zo|Byron|1980-01-31|@/)
    const pdf = readPdf(await download(url))
    expect(pageCount(pdf)).toBe(1)
    const { reference } = fake.referrals.retrieve(uuid)
    for (const fact of [
      'Zoë (Zo) Byron',
      reference,
      'ORDER-1',
      'lipid-panel',
      '1980-01-31',
      '1 Example Street',
    ]) {
      expect(pdf.text).toContain(fact)
    }
  })

  it('the PDF of a Medicare referral has the card, the doctor and the notes (§2.4)', async () => {
    const fake = await startFake()
    const { body } = await placeOrder(fake, await authorised(fake), {
      ...ORDER,
      tests: [],
      medicareTests: ['urate'],
      medicareCardNumber: '29518731251',
      orderingPractitioner: { name: 'Dr Amelia Hartono', address: 'Suite 4', providerNumber: '5731046F' },
      clinicalNotes: 'Tired for months.',
    })
    const { referralAttachment } = fake.referrals.retrieve(String(records(body)[0]?.['uuid']))
    const { text } = readPdf(await download(String(referralAttachment)))
    for (const fact of [
      'Medicare pathology request',
      '29518731251',
      'Dr Amelia Hartono',
      'Tired for months.',
    ])
      expect(text).toContain(fact)
  })
})

describe('the result PDF (§2.5)', () => {
  it('the PDF of a result lists every biomarker with its value, on as many pages as necessary (§2.5)', async () => {
    const fake = await startFake()
    const tests = (await read(await fetch(`${fake.baseUrl}/v1/tests`, { headers: await authorised(fake) })))
      .body
    const ids = records(tests['tests']).map((test) => String(test['id']))
    const { uuid } = fake.results.receiveIncoming({ tests: ids.slice(0, 30) })
    const result = fake.results.retrieve(uuid)
    const pdf = readPdf(await download(String(result.resultAttachment)))
    expect(pageCount(pdf)).toBeGreaterThan(1)
    expect(result.biomarkers.length).toBeGreaterThan(30)
    for (const { name } of result.biomarkers) expect(pdf.text).toContain(name.slice(0, 20))
    expect(pdf.text).toContain(`${result.person.firstName} ${result.person.lastName}`)
  })
})

describe('signed, time-limited URLs (§2.4)', () => {
  const rejection = async (url: string, headers: Record<string, string> = {}) =>
    read(await fetch(url, { headers }))

  it('a signed URL rejects a request that carries Authorization (§2.4)', async () => {
    const fake = await startFake()
    const { url } = await issuedReferral(fake)
    expect(await rejection(url, await authorised(fake))).toMatchObject({
      status: 400,
      body: { code: 'AUTHORIZATION_NOT_ALLOWED' },
    })
  })

  it('a signed URL expires on the fake clock, and each read returns a new one (§2.4)', async () => {
    const fake = await startFake({ documentUrlLifetimeMs: 60_000 })
    const { uuid, url } = await issuedReferral(fake)
    await fake.clock.advance({ milliseconds: 59_999 })
    await download(url)
    await fake.clock.advance({ milliseconds: 1 })
    expect(await rejection(url)).toMatchObject({ status: 403, body: { error: true, code: 'URL_EXPIRED' } })
    await download(String(fake.referrals.retrieve(uuid).referralAttachment))
  })

  it.each<[string, (url: URL) => void]>([
    ['a changed signature', (url) => url.searchParams.set('signature', '0'.repeat(64))],
    ['no signature', (url) => url.searchParams.delete('signature')],
    [
      'no query',
      (url) => {
        url.search = ''
      },
    ],
    ['a later expiry', (url) => url.searchParams.set('expires', '9999999999999')],
    [
      'another document',
      (url) => {
        url.pathname = '/documents/referral-6f2a1c1e-0000-4000-8000-000000000000.pdf'
      },
    ],
  ])('a signed URL with %s gets 403 (§2.4)', async (_name, change) => {
    const fake = await startFake()
    const url = new URL((await issuedReferral(fake)).url)
    change(url)
    expect(await rejection(url.href)).toMatchObject({ status: 403, body: { code: 'SIGNATURE_INVALID' } })
  })

  it.each([404, 410] as const)(
    'the URL of a deleted referral returns %i, by an option (§2.4)',
    async (deletedDocumentStatus) => {
      const fake = await startFake({ deletedDocumentStatus })
      const { uuid, url } = await issuedReferral(fake)
      const headers = await authorised(fake)
      const deleted = await fetch(`${fake.baseUrl}/v1/referrals/${uuid}`, { method: 'DELETE', headers })
      expect(record(await deleted.json())['referralAttachment']).toBeNull()
      expect(await rejection(url)).toMatchObject({ status: deletedDocumentStatus })
    },
  )

  it('a signed URL works without a token, and its origin serves nothing else (§2.4)', async () => {
    const fake = await startFake()
    const { origin } = new URL((await issuedReferral(fake)).url)
    expect(await rejection(`${origin}/v1/vendors`, await authorised(fake))).toMatchObject({ status: 404 })
  })
})
