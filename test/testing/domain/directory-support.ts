import { FakePathologyService, type FakeStartOptions } from 'pathology-sdk/testing'
import * as z from 'zod'

import { errorEnvelope } from './shapes.js'

/** Time of these fakes until a test advances their clock. */
export const NOW = '2025-03-10T02:00:00.000Z'

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: unknown
  readonly version?: '1.0.0' | '1.1.0'
}

const tokenAnswer = z.object({ access_token: z.string() })

/** Long enough for tests that advance the clock by weeks. */
const TOKEN_SECONDS = 100_000_000

/** A fake that listens on loopback, and a plain HTTP client that compares responses with shapes. */
export class Directory {
  readonly fake: FakePathologyService
  readonly #token: string

  static async start(options: FakeStartOptions = {}): Promise<Directory> {
    const fake = await FakePathologyService.start({
      port: 0,
      startTime: NOW,
      seedReferrals: 0,
      accessTokenSeconds: TOKEN_SECONDS,
      ...options,
    })
    const { authUrl, clientId, clientSecret } = fake.clientOptions()
    const response = await fetch(`${authUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    return new Directory(fake, tokenAnswer.parse(await response.json()).access_token)
  }

  private constructor(fake: FakePathologyService, token: string) {
    this.fake = fake
    this.#token = token
  }

  stop(): Promise<void> {
    return this.fake.close()
  }

  async send(path: string, { method = 'GET', body, version = '1.1.0' }: Ask = {}) {
    const response = await fetch(`${this.fake.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        accept: `application/vnd.svc.v${version}+json`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const content: unknown = await response.json()
    return { status: response.status, content }
  }

  /** The body of a 200, compared with a shape. */
  async ask<Shape extends z.ZodType>(path: string, shape: Shape, ask?: Ask): Promise<z.infer<Shape>> {
    const { status, content } = await this.send(path, ask)
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(content)}`)
    return shape.parse(content)
  }

  /** The error of a response, which must have the envelope of §7. */
  async rejection(path: string, ask?: Ask) {
    const { status, content } = await this.send(path, ask)
    const { code, errorList } = errorEnvelope.parse(content)
    return { status, code, errorList }
  }
}
