/** Commands that control a running fake. */
export const CONTROL_COMMANDS = ['resend', 'trigger', 'advance', 'fault'] as const

/** Whether the words start a fake, instead of controlling a running one. */
export function startsFake([group, command]: readonly string[]): boolean {
  return group === 'fake' && !CONTROL_COMMANDS.some((name) => name === command)
}
