/** Calls servers with untrusted certificates, and prints the failure of each call; see certificates.test.ts. */
import { isPathologyError, PathologyClient } from 'pathology-sdk'
import { Agent } from 'undici'
import { UUID } from '../support/samples.js'

const [plain = '', secure = ''] = process.argv.slice(2)

const clientOf = (baseUrl: string, authUrl: string, dispatcher?: Agent): PathologyClient =>
  new PathologyClient({ baseUrl, authUrl, clientId: 'id', clientSecret: 'secret', maxRetries: 0, dispatcher })

const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (isPathologyError(error) ? Reflect.get(error, 'reason') : error),
  )

const dispatcher = new Agent()
const reasons = {
  api: await reasonOf(clientOf(secure, plain).referrals.retrieve(UUID)),
  token: await reasonOf(clientOf(plain, secure).referrals.retrieve(UUID)),
  document: await reasonOf(clientOf(plain, plain).referrals.document(UUID).bytes()),
  'own dispatcher': await reasonOf(clientOf(secure, plain, dispatcher).referrals.retrieve(UUID)),
}
console.log(JSON.stringify(reasons))
process.exit(0)
