import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'

/** A client for the service that the environment variables name, or for a new fake. */
export interface ExampleService extends AsyncDisposable {
  readonly client: PathologyClient
}

export async function connect(): Promise<ExampleService> {
  const fake =
    process.env['PATHOLOGY_BASE_URL'] === undefined
      ? await FakePathologyService.start({ port: 0 })
      : undefined
  const client = new PathologyClient({
    ...fake?.clientOptions(),
    appInfo: { name: 'pathology-sdk-examples' },
    logger: console,
  })
  console.log(
    fake === undefined ? 'using the service at PATHOLOGY_BASE_URL' : `using a fake at ${fake.baseUrl}`,
  )
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await fake?.close()
    },
  }
}
