import { isPathologyError, PathologyClient } from 'pathology-sdk'
import { Agent } from 'undici'
import { systemClock } from '../../../src/common/clock.js'
import { order } from '../../support/samples.js'
import { Interruptions, interruptionOf } from './interruptions.js'
import { openLedger, withShortLeases } from './ledgers.js'
import {
  CALL_HEADER,
  type Job,
  type MemberMessage,
  type MemberOrder,
  type MemberSettings,
  type Report,
} from './protocol.js'

// A process that places orders on command, and is killed or stopped at a point that its environment names.

const TWO_DAYS_MS = 48 * 3_600_000

// The process ends when its coordinator has ended.
process.on('disconnect', () => process.exit())

const settings: MemberSettings = JSON.parse(process.env['SOAK_MEMBER'] ?? '{}')
const interruptions = new Interruptions(interruptionOf(process.env), () => send({ is: 'stopping' }))
const { ledger, close } = await openLedger(settings.ledger)
const { longestLeaseMs = Number.POSITIVE_INFINITY } = settings
const agent = new Agent()
const dispatch = interruptions.dispatch(agent)

const client = new PathologyClient({
  ...settings.client,
  orderLedger: interruptions.ledger(withShortLeases(ledger, longestLeaseMs)),
  clock: { ...systemClock, now: () => Date.now() + settings.clockShiftMs },
  // The client calls nothing but dispatch.
  dispatcher: new Proxy(agent, {
    get: (target, name) => (name === 'dispatch' ? dispatch : Reflect.get(target, name)),
  }),
})

async function place({ call, key, isOld }: Job): Promise<Report> {
  const details = order({ referenceNumber: key, tests: ['tsh'] })
  const nothing = {
    call,
    key,
    isOld,
    uuids: [],
    isRecovered: false,
    error: undefined,
    retryAfterMs: undefined,
  }
  try {
    const placed = await client.referrals.create(details, {
      orderKey: key,
      headers: { [CALL_HEADER]: call },
      since: isOld ? new Date(Date.now() - TWO_DAYS_MS) : undefined,
    })
    const uuids = placed.referrals.map(({ uuid }) => uuid)
    return { ...nothing, said: 'placed', uuids, isRecovered: placed.recovered }
  } catch (error) {
    return { ...nothing, ...described(error) }
  }
}

function described(error: unknown): Pick<Report, 'said' | 'error' | 'retryAfterMs'> {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  if (!isPathologyError(error) || !error.retryable)
    return { said: 'something else', error: text, retryAfterMs: undefined }
  const isUnknown = 'outcome' in error && error.outcome === 'unknown'
  return { said: isUnknown ? 'unknown' : 'not placed', error: text, retryAfterMs: error.retryAfter }
}

function send(message: MemberMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()))
}

async function obey(told: MemberOrder): Promise<void> {
  if ('job' in told) return send({ is: 'report', report: await place(told.job) })
  if ('interruption' in told) return interruptions.plan(told.interruption)
  if (told.do === 'stop-interruptions') return interruptions.cancel()
  await client.close()
  await agent.close()
  await close()
  process.disconnect()
}

process.on('message', (told: MemberOrder) => void obey(told))
await send({ is: 'ready' })
