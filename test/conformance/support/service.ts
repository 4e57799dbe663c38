import { Command } from 'commander'
import { FakePathologyService } from 'pathology-sdk/testing'
import { Agent, request } from 'undici'
import { START_FLAGS, startOptions } from '../../../src/cli/commands/fake-start.js'
import { type Json, obj, parseJson, str } from './json.js'

export type Query = string | Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface CallOptions {
  readonly query?: Query
  readonly body?: unknown
  /** The body as it is, in place of JSON. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  /** `null` sends no Authorization header at all. */
  readonly authorization?: string | null
  /** Sent as the Accept header of §9; without it no Accept header is sent. */
  readonly version?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
  readonly text: string
  readonly body: Json
}

export type Call = (method: Method, path: string, options?: CallOptions) => Promise<Answer>
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'

export interface Service {
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly signingSecret: string
  readonly controlUrl: string
  readonly token: string
  readonly call: Call
  readonly send: (url: string, method: Method, options?: CallOptions) => Promise<Answer>
  readonly control: (method: Method, path: string, body?: unknown) => Promise<Json>
  readonly tokens: (
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  readonly stop: () => Promise<void>
}

export const acceptOf = (version: string): string => `application/vnd.svc.v${version}+json`

export const queryText = (query: Query | undefined): string => {
  if (query === undefined || query === '') return ''
  if (typeof query === 'string') return `?${query}`
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object') for (const entry of value) params.append(name, entry)
    else params.append(name, String(value))
  }
  return `?${params.toString()}`
}

const emptyOrJson = (text: string): Json => {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

const payload = (options: CallOptions): { body?: string; type?: string } => {
  if (options.raw !== undefined) return { body: options.raw, type: 'application/json' }
  if (options.body === undefined) return {}
  return { body: JSON.stringify(options.body), type: 'application/json' }
}

const sender =
  (agent: Agent) =>
  async (url: string, method: Method, options: CallOptions = {}): Promise<Answer> => {
    const { body, type } = payload(options)
    const headers: Record<string, string> = {}
    if (type !== undefined) headers['content-type'] = type
    if (options.version !== undefined) headers['accept'] = acceptOf(options.version)
    if (typeof options.authorization === 'string') headers['authorization'] = options.authorization
    const answer = await request(url, {
      method,
      dispatcher: agent,
      headers: { ...headers, ...options.headers },
      body: body ?? null,
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    const text = bytes.toString('utf8')
    return { status: answer.statusCode, headers: answer.headers, bytes, text, body: emptyOrJson(text) }
  }

/** Starts the fake with flags of its command. Tests use only its HTTP interfaces. */
export const startService = async (...flags: readonly string[]): Promise<Service> => {
  const words = ['--port', '0', '--allow-loopback-webhooks', ...flags]
  const command = new Command()
  for (const flag of START_FLAGS) command.addOption(flag)
  const { options } = startOptions(command.parse(words, { from: 'user' }).opts())
  const fake = await FakePathologyService.start(options)
  const agent = new Agent({ connections: 16 })
  const send = sender(agent)
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  const { signingSecret } = fake
  const told = { baseUrl, authUrl, clientId, clientSecret, signingSecret, controlUrl: str(fake.controlUrl) }
  const tokens: Service['tokens'] = (form, headers = {}) =>
    send(`${told.authUrl}/oauth/token`, 'POST', {
      raw: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
  const granted = await tokens({
    grant_type: 'client_credentials',
    client_id: told.clientId,
    client_secret: told.clientSecret,
  })
  const token = str(obj(granted.body)['access_token'])
  return {
    ...told,
    token,
    send,
    tokens,
    call: (method, path, options = {}) =>
      send(`${told.baseUrl}${path}${queryText(options.query)}`, method, {
        authorization: `Bearer ${token}`,
        ...options,
      }),
    control: async (method, path, body) => {
      const answer = await send(`${told.controlUrl}${path}`, method, body === undefined ? {} : { body })
      if (answer.status >= 300) throw new Error(`${method} ${path} of the control API: ${answer.text}`)
      return answer.body
    },
    stop: async () => {
      await fake.close()
      await agent.close()
    },
  }
}
