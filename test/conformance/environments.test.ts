import { afterAll, describe, expect, it } from 'vitest'
import { expectError, expectOk } from './support/check.js'
import { at, first, type JsonObject, str } from './support/json.js'
import { issued, place, placed, recordsOf, referralOf } from './support/samples.js'
import { type Service, startService } from './support/service.js'

const production = await startService('--set', 'environment=production')
const slow = await startService('--set', 'issue-timing=manual', '--set', 'reissue-timing=manual')
afterAll(() => Promise.all([production.stop(), slow.stop()]))

const testOf = async (service: Service): Promise<string> =>
  str(
    first(
      recordsOf((await service.call('GET', '/v1/tests')).body).filter(
        (entry) => entry['medicareListed'] === true,
      ),
    )['id'],
  )

describe('§4.1, §9 production', async () => {
  const made = await issued(production, { tests: [await testOf(production)] })
  const path = `/v1/referrals/${str(made['uuid'])}`
  it.each(['', '?partial', '?partial=true'])("PUT '%s' is 404", async (flag) => {
    const answer = await production.call('PUT', `${path}${flag}`)
    expect(answer.status).toBe(404)
    expect(at(answer.body, 'error')).toBe(true)
    expect((await referralOf(production, str(made['uuid'])))['status']).toBe('ISSUED')
  })
  it('PUT of a malformed uuid is 404 or 400', async () => {
    expect([400, 404]).toContain((await production.call('PUT', '/v1/referrals/nonsense')).status)
  })
  it.each(['GET', 'DELETE'] as const)('%s works as in staging', async (method) => {
    const other = await issued(production, { tests: [await testOf(production)] })
    expectOk(await production.call(method, `/v1/referrals/${str(other['uuid'])}`))
  })
  it('§9 a token of staging does not work in production', async () => {
    const answer = await production.call('GET', '/v1/vendors', { authorization: `Bearer ${slow.token}` })
    expectError(answer, 401, ['INVALID_JWT', 'INVALID_JWT_SIGNATURE'])
  })
})

describe('§3.1 before the PDF is generated', async () => {
  const tests = [await testOf(slow)]
  const fresh = (): Promise<JsonObject> => placed(slow, { tests })
  const move = (made: JsonObject, step: string): Promise<unknown> =>
    slow.control('POST', `/referrals/${str(made['uuid'])}/${step}`, {})
  const patch = (made: JsonObject): ReturnType<typeof slow.call> =>
    slow.call('PATCH', `/v1/referrals/${str(made['uuid'])}`, { body: { firstName: 'Ann' } })
  const now = (made: JsonObject): Promise<JsonObject> => referralOf(slow, str(made['uuid']))

  it('a referral is CREATED without a PDF and without an email', async () => {
    expect(await now(await fresh())).toMatchObject({
      status: 'CREATED',
      referralAttachment: null,
      emailSentAt: null,
    })
  })
  it('then it is ISSUED with both', async () => {
    const made = await fresh()
    await move(made, 'issue')
    const issuedNow = await now(made)
    expect(issuedNow).toMatchObject({
      status: 'ISSUED',
      referralAttachment: expect.any(String),
      emailSentAt: expect.any(String),
    })
    expect(Date.parse(str(issuedNow['updatedAt']))).toBeGreaterThanOrEqual(Date.parse(str(made['updatedAt'])))
  })
  it('it is ISSUED without an email when none was requested', async () => {
    const made = await placed(slow, { tests, emailReferralToCustomer: false })
    await move(made, 'issue')
    expect((await now(made))['emailSentAt']).toBeNull()
  })
  it('PATCH of a CREATED referral: SCHEDULED_REISSUE, no PDF', async () => {
    const made = await fresh()
    expect(expectOk(await patch(made))).toMatchObject({
      status: 'SCHEDULED_REISSUE',
      referralAttachment: null,
    })
    expect(await now(made)).toMatchObject({ status: 'SCHEDULED_REISSUE', referralAttachment: null })
  })
  it('PATCH of a SCHEDULED_REISSUE referral: 400 INVALID_STATUS', async () => {
    const made = await fresh()
    await patch(made)
    expectError(await patch(made), 400, 'INVALID_STATUS')
  })
  it('SCHEDULED_REISSUE becomes ISSUED once the PDF is ready', async () => {
    const made = await fresh()
    await move(made, 'issue')
    await patch(made)
    await move(made, 'issue')
    expect(await now(made)).toMatchObject({ status: 'ISSUED', referralAttachment: expect.any(String) })
  })
  it('DELETE of a CREATED referral keeps its status', async () => {
    const made = await fresh()
    const gone = expectOk(await slow.call('DELETE', `/v1/referrals/${str(made['uuid'])}`))
    expect(gone).toMatchObject({ status: 'CREATED', referralAttachment: null, deletedAt: expect.any(String) })
  })
  it('PUT of a CREATED referral returns an error envelope or generates results', async () => {
    const made = await fresh()
    const answer = await slow.call('PUT', `/v1/referrals/${str(made['uuid'])}`)
    if (answer.status === 200) expect(at(answer.body, 'status')).toBe('COMPLETE')
    else expectError(answer, 400, 'INVALID_STATUS')
  })
  it('an order on v1.0.0 is CREATED too', async () => {
    expect(at((await place(slow, { tests }, '1.0.0')).body, 'status')).toBe('CREATED')
  })
})
