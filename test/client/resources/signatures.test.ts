import { runInNewContext } from 'node:vm'
import type { InvalidRequestError, ProviderUpdate } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { PROVIDER_NUMBER, provider } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'

const MAGIC = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const PREFIX = 'data:image/png;base64,'

const pngOf = (...rest: number[]): Uint8Array => Uint8Array.from([...MAGIC, ...rest])
const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const png = pngOf(0, 0, 0, 13, 73, 72, 68, 82)
const base64 = base64Of(png)
const large = pngOf(...Array.from({ length: 100_000 }, (_, place) => (place * 31) % 256))

async function start() {
  const service = await ScriptedServer.start()
  service.on(`PUT /v1/providers/${PROVIDER_NUMBER}`, { json: provider() })
  const { providers } = clientOf(service.origin)
  const send = (encodedSignature: unknown) =>
    providers.update(PROVIDER_NUMBER, { encodedSignature } as ProviderUpdate)
  return { service, send }
}

it.each([
  ['bytes', png, base64],
  ['a Buffer', Buffer.from(png), base64],
  ['an ArrayBuffer', Uint8Array.from(png).buffer, base64],
  ['a part of a larger array', Uint8Array.from([1, 2, ...png, 3]).subarray(2, 2 + png.length), base64],
  ['bytes of another realm', runInNewContext(`Uint8Array.from(${JSON.stringify([...png])})`), base64],
  [
    'a buffer of another realm',
    runInNewContext(`Uint8Array.from(${JSON.stringify([...png])}).buffer`),
    base64,
  ],
  ['base64', base64, base64],
  ['a data URI', PREFIX + base64, base64],
  ['a data URI in capitals', `DATA:image/PNG;base64,${base64}`, base64],
  ['the eight bytes of every PNG', pngOf(), 'iVBORw0KGgo='],
  ['the eight bytes and one more', pngOf(255), 'iVBORw0KGgr/'],
  ['a large image', large, base64Of(large)],
])('a signature as %s is sent as a data URI (§2.10, §4.4)', async (_, signature, sent) => {
  const { service, send } = await start()
  await send(signature)
  expect(JSON.parse(service.calls[0]?.body ?? '')).toEqual({ encodedSignature: PREFIX + sent })
})

const BASE64 = /^encodedSignature must be plain base64/
const PNG = /^encodedSignature must be a PNG image/
const DATA_URI = /^encodedSignature must be a data URI that begins with data:image\/png;base64,/
const EMPTY = /^encodedSignature must not be empty/
const KIND = /^encodedSignature must be PNG bytes/

function transferred(): ArrayBuffer {
  const buffer = new ArrayBuffer(8)
  structuredClone(buffer, { transfer: [buffer] })
  return buffer
}

it.each([
  ['an empty string', '', EMPTY],
  ['no bytes', new Uint8Array(), EMPTY],
  ['an empty buffer', new ArrayBuffer(0), EMPTY],
  ['a buffer that was transferred', transferred(), EMPTY],
  ['a data URI without data', PREFIX, EMPTY],
  ['a data URI of another image', 'data:image/jpeg;base64,/9j/4AAQ', DATA_URI],
  ['a data URI that is not base64', `data:image/png,${base64}`, DATA_URI],
  ['a data URI with a parameter', `data:image/png;name=a;base64,${base64}`, DATA_URI],
  ['a file name', 'signature.png', BASE64],
  ['a missing pad', base64Of(pngOf(1, 2)).replace(/=+$/, ''), BASE64],
  ['too much padding', `${base64}====`, BASE64],
  ['padding inside', `${base64Of(pngOf(1, 2))}${base64}`, BASE64],
  ['a line break', `${base64}\n`, BASE64],
  ['wrapped lines', `${base64.slice(0, 8)}\r\n\r\n${base64.slice(8)}`, BASE64],
  ['the URL alphabet', `${base64Of(pngOf(0, 0, 0, 0)).slice(0, 12)}-_-_`, BASE64],
  ['stray characters in the last four', `${base64}AA!=`, BASE64],
  ['stray bits under two pads', 'iVBORw0KGgoAAB==', BASE64],
  ['stray bits under one pad', 'iVBORw0KGgp=', BASE64],
  ['a JPEG', Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70]), PNG],
  ['only a part of the PNG signature', Uint8Array.from(MAGIC.slice(0, 7)), PNG],
  ['a wrong last byte of the PNG signature', pngOf(9).with(7, 0x0b), PNG],
  ['base64 as bytes', Buffer.from(base64), PNG],
  ['null', null, KIND],
  ['a list of numbers', [...png], KIND],
  ['a Blob', new Blob([png]), KIND],
])('%s is rejected as a signature before anything is sent (§4.4, §7)', async (_, signature, message) => {
  const { service, send } = await start()
  const error = await rejection(send(signature))
  expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'INVALID_SIGNATURE', outcome: 'not-sent' })
  const { issues } = error as InvalidRequestError
  expect(issues).toMatchObject([{ field: 'encodedSignature', message: expect.stringMatching(message) }])
  expect(service.calls).toHaveLength(0)
})
