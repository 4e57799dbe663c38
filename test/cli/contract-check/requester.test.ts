import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { DifferenceReport } from '../../../src/cli/contract-check/report.js'
import { Requester } from '../../../src/cli/contract-check/requester.js'
import { endpoints } from '../../../src/contract/endpoints.js'

/** A service that never responds. */
async function startHangingService(): Promise<string> {
  const server = createServer(() => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('contract check waits, after Ctrl-C, at most ten seconds for the response to a deletion', async () => {
  const timeout = AbortSignal.timeout
  // Only the limit of ten seconds is ever reached.
  const limits = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => (ms === 10_000 ? timeout(1) : new AbortController().signal))
  onTestFinished(() => limits.mockRestore())
  const connection = {
    baseUrl: await startHangingService(),
    report: new DifferenceReport(),
    signal: AbortSignal.abort(),
  }
  const { send } = new Requester(connection, 'token')
  await expect(send(endpoints.referrals.delete, { id: '1', isCleanUp: true })).rejects.toThrow()
})
