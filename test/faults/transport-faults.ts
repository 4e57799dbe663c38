import type { ClientOptions } from 'pathology-sdk'
import { CANARIES } from '../support/canaries.js'
import { clientOf } from '../support/clients.js'
import { referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'
import { bytes, hangUp, head, RawServer, reset, type WireScript } from './raw-server.js'

export const REFERRAL = referral({ uuid: UUID })
export const JSON_TEXT = JSON.stringify(REFERRAL)
export const HALF = JSON_TEXT.slice(0, JSON_TEXT.length / 2)
export const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

export async function setUp(scripts: readonly WireScript[], options: ClientOptions = {}) {
  const raw = await RawServer.start(...scripts)
  const auth = await ScriptedServer.start()
  const clock = new SkippingClock()
  const client = clientOf(raw.origin, { authUrl: auth.origin, orderRecoveryTimeout: 0, clock, ...options })
  return { raw, client, clock }
}

/** Faults of a connection, and the reason of the error for each. */
export const BROKEN: Readonly<Record<string, { script: WireScript; name: string; reason: string }>> = {
  'RST before the head': { script: reset, name: 'ConnectionError', reason: 'reset' },
  'FIN before the head': { script: hangUp, name: 'ConnectionError', reason: 'closed' },
  'FIN in a body with content-length': {
    script: bytes(`${head(200, `content-length: ${JSON_TEXT.length}`)}${HALF}`),
    name: 'InvalidResponseError',
    reason: 'truncated',
  },
  'RST in a body with content-length': {
    script: bytes(`${head(200, `content-length: ${JSON_TEXT.length}`)}${HALF}`, 'reset'),
    name: 'InvalidResponseError',
    reason: 'truncated',
  },
  'FIN in a chunked body': {
    script: bytes(`${head(200, 'transfer-encoding: chunked')}${chunk(HALF)}`),
    name: 'InvalidResponseError',
    reason: 'truncated',
  },
  'read until close, cut short': {
    script: bytes(`${head(200, 'connection: close')}${HALF}`),
    name: 'InvalidResponseError',
    reason: 'truncated',
  },
  '100 Continue, unasked for': {
    script: bytes(
      `HTTP/1.1 100 Continue\r\n\r\n${head(200, `content-length: ${JSON_TEXT.length}`)}${JSON_TEXT}`,
    ),
    name: 'ConnectionError',
    reason: 'protocol',
  },
  '101 Switching Protocols, unasked for': {
    script: bytes('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    name: 'ConnectionError',
    reason: 'protocol',
  },
  'no HTTP at all': {
    script: bytes(`SSH-2.0-OpenSSH ${CANARIES.lastName}\r\n`),
    name: 'ConnectionError',
    reason: 'protocol',
  },
  'an invalid chunk size': {
    script: bytes(`${head(200, 'transfer-encoding: chunked')}${chunk(HALF)}zz${CANARIES.lastName}\r\n`),
    name: 'ConnectionError',
    reason: 'protocol',
  },
  'a head of more than 16 KiB': {
    script: bytes(head(200, `x-padding: ${'x'.repeat(20_000)}`)),
    name: 'ConnectionError',
    reason: 'protocol',
  },
  'two content-lengths': {
    script: bytes(`${head(200, 'content-length: 5', `content-length: ${JSON_TEXT.length}`)}${JSON_TEXT}`),
    name: 'ConnectionError',
    reason: 'protocol',
  },
  'content-length and transfer-encoding': {
    script: bytes(
      `${head(200, `content-length: ${JSON_TEXT.length}`, 'transfer-encoding: chunked')}${chunk(JSON_TEXT)}0\r\n\r\n`,
    ),
    name: 'ConnectionError',
    reason: 'protocol',
  },
}
export const broken = Object.entries(BROKEN)
