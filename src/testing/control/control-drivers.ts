import type { ControlAction } from './control-action.js'
import { CATALOGUE_ACTIONS, DIRECTORY_ACTIONS } from './directory-actions.js'
import { REFERRAL_ACTIONS, RESULT_ACTIONS } from './order-actions.js'
import { WEBHOOK_ACTIONS } from './webhook-actions.js'

/** The actions that call one driver of the domain each. */
export const DRIVER_ACTIONS: readonly ControlAction[] = [
  ...REFERRAL_ACTIONS,
  ...RESULT_ACTIONS,
  ...DIRECTORY_ACTIONS,
  ...CATALOGUE_ACTIONS,
  ...WEBHOOK_ACTIONS,
]
