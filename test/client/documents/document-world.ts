import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientOptions } from 'pathology-sdk'
import { onTestFinished } from 'vitest'
import { CANARIES } from '../../support/canaries.js'
import { clientOf } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { type Reply, type Script, ScriptedServer } from '../../support/scripted-server.js'

export const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(40_000, 'x'), Buffer.from('%%EOF')])
export const pdf: Reply = { bytes: PDF, headers: { 'content-type': 'application/pdf' } }
export const REFERRAL = `GET /v1/referrals/${UUID}`
export const FILE = 'GET /files/*'

/** The service, and the host of its documents, which is another origin. Every read returns a new URL. */
export async function setUp(files: readonly Script[] = [pdf], options: ClientOptions = {}) {
  const service = await ScriptedServer.start()
  const host = await ScriptedServer.start()
  service.on(REFERRAL, (_, nth) => ({
    json: referral({ referralAttachment: `${host.origin}/files/${nth}?sig=${CANARIES.signature}` }),
  }))
  host.on(FILE, ...files)
  const client = clientOf(service.origin, options)
  return { service, host, client }
}

export async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'documents-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}
