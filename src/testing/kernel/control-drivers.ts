import type { ControlAction } from './control-actions.js'
import { CATALOGUE_ACTIONS, DIRECTORY_ACTIONS } from './control-directory.js'
import { REFERRAL_ACTIONS, RESULT_ACTIONS } from './control-orders.js'
import { WEBHOOK_ACTIONS } from './control-webhooks.js'

/** The actions that call one driver of the domain each. */
export const DRIVER_ACTIONS: readonly ControlAction[] = [
  ...REFERRAL_ACTIONS,
  ...RESULT_ACTIONS,
  ...DIRECTORY_ACTIONS,
  ...CATALOGUE_ACTIONS,
  ...WEBHOOK_ACTIONS,
]
