import type { ControlAction } from './control-action.js'
import { CATALOGUE_ACTIONS, DIRECTORY_ACTIONS } from './directory-actions.js'
import { REFERRAL_ACTIONS, RESULT_ACTIONS } from './order-actions.js'
import { SERVICE_ACTIONS } from './service-actions.js'
import { WEBHOOK_ACTIONS } from './webhook-actions.js'

/** The table of control actions. The control API serves them, and the console and the command line offer them. */
export const ACTIONS: readonly ControlAction[] = [
  ...SERVICE_ACTIONS,
  ...REFERRAL_ACTIONS,
  ...RESULT_ACTIONS,
  ...DIRECTORY_ACTIONS,
  ...CATALOGUE_ACTIONS,
  ...WEBHOOK_ACTIONS,
]
