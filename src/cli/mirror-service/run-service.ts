import { setTimeout as sleep } from 'node:timers/promises'
import type { Mirror } from '../../mirror/index.js'
import type { EnvironmentOptions } from '../shared/environment.js'
import { EXIT, type ExitCode, type Terminal } from '../shared/terminal.js'
import { copyLocation, listenAddress, webhookPaths, withMirror } from './environment.js'
import { announceService } from './service-file.js'

/** Interval at which the state of the first backfill is read, in milliseconds. */
const ANNOUNCE_MS = 1_000

/** Serves the mirror until the signal of the terminal aborts. */
export async function runService(terminal: Terminal, options: EnvironmentOptions): Promise<ExitCode> {
  const { startService } = await import('./serve.js')
  const location = copyLocation(terminal, options)
  const address = { ...listenAddress(terminal, options), webhooks: webhookPaths(terminal, options) }
  await withMirror(terminal, options, async (mirror) => {
    const service = await startService(mirror, address)
    let forget = async (): Promise<void> => undefined
    try {
      const paths = [...address.webhooks.keys(), '/healthz', '/readyz', '/metrics'].join(', ')
      terminal.stderr.write(`The mirror listens at ${service.url}: ${paths} and /\n`)
      await mirror.start({ signal: terminal.signal }).catch((error: unknown) => {
        if (!terminal.signal.aborted) throw error
      })
      if (!terminal.signal.aborted) forget = await announceService(location, localUrl(service.url))
      await announceCopy(terminal, mirror)
      await untilAborted(terminal.signal)
      terminal.stderr.write('The mirror stops. It waits at most 10 s for running work.\n')
    } finally {
      await forget()
      await service.close()
    }
  })
  return EXIT.ok
}

/** Waits for the first backfill, and writes the number of records in the copy. */
export async function announceCopy(
  { stderr, signal }: Pick<Terminal, 'stderr' | 'signal'>,
  mirror: Pick<Mirror, 'status'>,
): Promise<void> {
  while (!signal.aborted) {
    // The mirror itself reports a database that does not respond.
    const status = await mirror.status().catch(() => undefined)
    const backfills = status?.sweeps.filter(({ name }) => name === 'backfill') ?? []
    if (status !== undefined && backfills.every(({ finishedAt }) => finishedAt !== null)) {
      stderr.write(`The copy has ${status.referrals} referrals and ${status.results} results.\n`)
      if (backfills.some(({ state }) => state === 'stopped')) {
        stderr.write(
          'The first backfill failed, so records can be missing. Run: npx pathology mirror backfill\n',
        )
      }
      if (status.lastEventAt === null) {
        stderr.write(
          'The copy contains no webhook event. Subscribe the public URL with: npx pathology webhooks create <url>\n',
        )
      }
      return
    }
    await sleep(ANNOUNCE_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** Returns the address for a process on this machine. A service that listens on all addresses has a loopback address too. */
function localUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
