import type { MirrorStatus } from '../../mirror/index.js'
import type { EnvironmentOptions } from '../shared/environment.js'
import { formatOf, type RowOptions, writeJson, writeObject } from '../shared/output.js'
import { EXIT, type ExitCode, styled, type Terminal } from '../shared/terminal.js'
import { copyLocation, withMirror } from './environment.js'
import { healthOf, isSound } from './health.js'
import { statusOfService } from './service-file.js'

/** Columns of the lists of `mirror status`. */
const TABLES = {
  service: ['organisation', 'state', 'reachedAt', 'failingSince', 'error', 'nextTryAt'],
  retries: ['organisation', 'kind', 'count', 'error', 'nextAt'],
  sweeps: ['organisation', 'name', 'state', 'read', 'new', 'changed', 'recovered', 'finishedAt', 'nextAt'],
} as const

/**
 * Writes the state of the copy. If a running `mirror serve` uses the directory of the database, asks that process,
 * because only one process can open the directory.
 */
export async function showStatus(
  terminal: Terminal,
  options: EnvironmentOptions & RowOptions,
): Promise<ExitCode> {
  const running = await statusOfService(copyLocation(terminal, options))
  const status = running ?? (await ownStatus(terminal, options))
  if (formatOf(terminal, options) !== 'table') writeJson(terminal, status)
  else {
    const { state, problems, ...rest } = status
    terminal.stdout.write(`${styled(terminal, 'bold', state.toUpperCase())}\n`)
    for (const { what, todo } of problems) terminal.stdout.write(`${what}.\n  What to do: ${todo}.\n`)
    terminal.stdout.write('\n')
    writeObject(terminal, options, rest, TABLES)
  }
  return isSound(status.state) ? EXIT.ok : EXIT.findings
}

async function ownStatus(terminal: Terminal, options: EnvironmentOptions) {
  const status: MirrorStatus = await withMirror(terminal, options, (mirror) => mirror.status())
  // This process has no handlers, so `isConfigured` has no meaning here.
  const consumers = status.consumers.map(({ isConfigured: _, ...consumer }) => consumer)
  return { ...healthOf(status), ...status, consumers }
}
