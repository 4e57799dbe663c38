import { ANSWERS } from './provoke-answers.js'
import { BEFORE_SENDING } from './provoke-before-sending.js'
import { DOCUMENTS } from './provoke-documents.js'
import { ECHOES } from './provoke-echoes.js'
import { WEBHOOKS } from './provoke-webhooks.js'
import { WIRE } from './provoke-wire.js'
import type { Provocation } from './world.js'

/** Every way to come by an error, of every class. */
export const PROVOCATIONS: readonly Provocation[] = [
  ...BEFORE_SENDING,
  ...ANSWERS,
  ...ECHOES,
  ...WIRE,
  ...DOCUMENTS,
  ...WEBHOOKS,
]
