import { BEFORE_SENDING } from './provoke-before-sending.js'
import { DOCUMENTS } from './provoke-documents.js'
import { ECHOES } from './provoke-echoes.js'
import { RESPONSES } from './provoke-responses.js'
import { TRANSPORT } from './provoke-transport.js'
import { WEBHOOKS } from './provoke-webhooks.js'
import type { Provocation } from './world.js'

/** All provocations of errors, for every class. */
export const PROVOCATIONS: readonly Provocation[] = [
  ...BEFORE_SENDING,
  ...RESPONSES,
  ...ECHOES,
  ...TRANSPORT,
  ...DOCUMENTS,
  ...WEBHOOKS,
]

/** The first provocation of each class. */
export const ONE_OF_EACH_CLASS: readonly Provocation[] = [
  ...new Map(PROVOCATIONS.toReversed().map((each) => [each.error, each])).values(),
]
