/** @type {readonly import('./resources.mjs').FakeRule[]} */
export const STATE_RULES = [
  {
    at: '3.1',
    rule: 'A referral moves by the transitions of the table, each with its event.',
    fake: 'One table of moves that requests and drivers share; every move from every status is tried.',
    tests: [
      ['testing/domain/referrals-methods', '§3.1 every status can be reached'],
      ['conformance/subscriptions', '%s sends %s'],
      ['testing/console/console-reads', '§3.1 offers the moves that a referral of each status can make'],
    ],
    open: 'Moves into INSUFFICIENT_DATA, REFUNDED, FAILED_TEST and TRANSFERRED are not shown: the fake allows the plausible ones (see [moves](#moves-of-a-referral)).',
  },
  {
    at: '3.1',
    rule: 'An order is CREATED, then ISSUED once its PDF exists; the answer may show either.',
    fake: 'CREATED, and ISSUED right after the answer.',
    tests: [
      ['testing/domain/referrals-create', '§3.1 is ISSUED right after, with a PDF and the time of the email'],
      ['testing/domain/referrals-create', '§3.1 the answer may show ISSUED'],
      ['conformance/environments', 'a referral is CREATED with no PDF and no email'],
    ],
    open: '`createdStatus`, `issueTiming`.',
  },
  {
    at: '3.1',
    rule: 'An order may wait for a profile, or fail to be billed.',
    fake: '`referrals.nextOrders()` or `orderOutcome`; Medicare referrals are not billed, so they are issued all the same.',
    tests: [
      ['testing/domain/referrals', '§3.1 billing fails: BILLING_FAILED'],
      ['testing/domain/referrals', '§3.1 the profile needs completing: PENDING_VERIFICATION'],
      ['conformance/order-rules', '%s gives status %s and no PDF'],
    ],
    open: 'When a profile is verified: `verifyTiming`, by hand unless told otherwise.',
  },
  {
    at: '3.1',
    rule: 'An edit schedules a new PDF; only CREATED and ISSUED referrals can be edited.',
    fake: 'SCHEDULED_REISSUE without a PDF, ISSUED again once it is made, INVALID_STATUS otherwise.',
    tests: [
      ['testing/domain/referrals', '§3.1 answers SCHEDULED_REISSUE without a PDF; once it is made, ISSUED'],
      ['conformance/referral-changes', '§3.1 PATCH outside CREATED and ISSUED is 400 INVALID_STATUS'],
    ],
    open: '`reissueTiming`.',
  },
  {
    at: '3.1',
    rule: 'A delete marks the referral, takes its PDF away and leaves its status.',
    fake: 'It can be read and deleted again, and edited no more; results still reach it.',
    tests: [
      ['testing/domain/referrals', '§3.1 sets deletedAt, clears the PDF, keeps the status'],
      ['testing/domain/referrals', 'the other reading: a deleted referral is gone'],
    ],
    open: 'What other endpoints make of it: `deletedReferrals`.',
  },
  {
    at: '3.2',
    rule: 'A result is created, arrives in parts or whole, and may be held for review.',
    fake: '`results.hold`, `release`, `review`, `complete`, `softDelete`; `reviewHold` holds every ordered one.',
    tests: [
      ['testing/domain/results', 'with reviewHold a result is IN_REVIEW until released'],
      ['conformance/results', 'is IN_REVIEW until released'],
      ['testing/console/console-reads', '§3.2 offers the moves that a result of each kind can make'],
    ],
    open: 'The transitions are not shown. What a held result shows: `heldResults`.',
  },
  {
    at: '3.3',
    rule: 'Routing goes NOT_SUBMITTED, PENDING_CONFIRMATION, CONNECTED, or to ACTION_NEEDED or STOP_REQUESTED.',
    fake: '`routing.submit`, `confirm`, `needAction`, `stop`, `end`.',
    tests: [
      ['conformance/routing', 'NOT_SUBMITTED, PENDING_CONFIRMATION, CONNECTED, and never back'],
      [
        'testing/domain/providers-routing',
        '§3.3 ACTION_NEEDED comes with its reason, STOP_REQUESTED without',
      ],
    ],
    open: 'What a request sent again does to the last two: `restartedRoutingStatuses`.',
  },
  {
    at: '3.4',
    rule: 'A centre left out of a listing is MISSING, back it is ACTIVE, after three weeks running RETIRED.',
    fake: '`centres.weeklyRefresh()` reads a listing with the changes you name; retiring follows by itself.',
    tests: [
      ['conformance/centre-refresh', '§3.4 three weeks MISSING is RETIRED'],
      ['testing/domain/centres-refresh', '§3.4 weeks that are not running do not count'],
    ],
    open: '`centreRefresh: "weekly"` lets it run on the clock.',
  },
  {
    at: '3.5',
    rule: 'A paused webhook gets nothing; what was queued before a delete still goes.',
    fake: 'So it is, also over restarts from a snapshot.',
    tests: [
      [
        'testing/domain/webhooks',
        '§3.5 an inactive webhook receives nothing, and what it missed does not follow',
      ],
      ['testing/domain/deliveries', 'deleting a webhook stops new events; queued deliveries still go'],
    ],
  },
]
