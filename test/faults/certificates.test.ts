import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { selfSigned } from './certificate.js'
import { good, RawServer } from './raw-server.js'

const PROGRAM = fileURLToPath(new URL('certificates-program.ts', import.meta.url))

it("the client's own connections reject a self-signed certificate although NODE_TLS_REJECT_UNAUTHORIZED is 0; the user's dispatcher decides by itself", async () => {
  const secure = await RawServer.startTls(selfSigned('localhost'), good(referral({ uuid: UUID })))
  const plain = await ScriptedServer.start()
  plain.on(`GET /v1/referrals/${UUID}`, {
    json: referral({ referralAttachment: `${secure.secureOrigin}/x.pdf` }),
  })
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', PROGRAM, plain.origin, secure.secureOrigin],
    { env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
  )
  expect(JSON.parse(stdout)).toEqual({
    api: 'tls',
    token: 'tls',
    document: 'tls',
    'own dispatcher': 'done',
  })
  expect(secure.requests).toHaveLength(1)
}, 60_000)
