import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { FakePathologyService } from 'pathology-sdk/testing'

const PROCESSES = 4

/** Runs several processes of one script against one fake, and prints the number of token requests. */
export async function runWorkers(script: URL, environment: Readonly<Record<string, string>>): Promise<void> {
  await using fake = await FakePathologyService.start({ port: 0 })
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  const env = {
    ...process.env,
    ...environment,
    PATHOLOGY_BASE_URL: baseUrl,
    PATHOLOGY_AUTH_URL: authUrl,
    PATHOLOGY_CLIENT_ID: clientId,
    PATHOLOGY_CLIENT_SECRET: clientSecret,
    TOKEN_STORE_KEY: randomBytes(32).toString('base64'),
  }
  await Promise.all(Array.from({ length: PROCESSES }, () => run(fileURLToPath(script), env)))
  const tokenRequests = fake.requests.filter(({ part }) => part === 'auth').length
  console.log(
    `${PROCESSES} processes, ${tokenRequests} token ${tokenRequests === 1 ? 'request' : 'requests'}`,
  )
}

async function run(script: string, env: NodeJS.ProcessEnv): Promise<void> {
  const worker = spawn(process.execPath, ['--import', 'tsx', script], { env, stdio: 'inherit' })
  const [code] = await once(worker, 'exit')
  if (code !== 0) throw new Error(`a worker ended with ${code}`)
}
