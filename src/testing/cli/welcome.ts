/** What a program needs to reach the fake. */
export interface Ready {
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly signingSecret: string
  readonly controlUrl: string | undefined
}

/** For somebody at a terminal, beside the line of JSON that programs read: what to do with what it says. */
export function welcome(ready: Ready): string {
  return [
    '',
    'The fake is ready: keep this terminal open, Ctrl-C ends it.',
    `See what it holds and does: ${ready.controlUrl}`,
    'For the .env file of your program:',
    '',
    `PATHOLOGY_BASE_URL=${ready.baseUrl}`,
    `PATHOLOGY_AUTH_URL=${ready.authUrl}`,
    `PATHOLOGY_CLIENT_ID=${ready.clientId}`,
    `PATHOLOGY_CLIENT_SECRET=${ready.clientSecret}`,
    `PATHOLOGY_WEBHOOK_SECRET=${ready.signingSecret}`,
    '',
    '',
  ].join('\n')
}
