import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { withPostgres } from '../../test/support/postgres.ts'

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))

/**
 * @typedef {import('./machine.mjs').Measurements} Measurements
 * @typedef {{ id: number, value?: unknown, error?: string }} Message response of a process
 */

/** A process of a contender. */
export class Machine {
  #child
  #next = 0
  /** @type {Map<number, (message: Message) => void>} */
  #open = new Map()
  /** @type {(message: { handled: string, at: number }) => void} */
  onHandled = () => undefined

  /** @param {import('./machine.mjs').Order} order */
  constructor(order) {
    this.#child = fork(here('machine.mjs'), [JSON.stringify(order)], {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child.on('message', (value) => {
      const message = /** @type {Message | { handled: string, at: number }} */ (value)
      if ('handled' in message) return this.onHandled(message)
      const resolve = this.#open.get(message.id)
      this.#open.delete(message.id)
      resolve?.(message)
    })
    this.#child.once('exit', () => {
      for (const [id, resolve] of this.#open) resolve({ id, error: `a process of ${order.contender} ended` })
    })
  }

  /** Resolves when the process accepts commands. */
  async ready() {
    const ended = once(this.#child, 'exit').then(() => Promise.reject(new Error('a process did not start')))
    await Promise.race([once(this.#child, 'message'), ended])
    ended.catch(() => undefined)
    return this
  }

  /**
   * @template {keyof Measurements} Name
   * @param {Name} name
   * @param {Parameters<Measurements[Name]>[0]} [values]
   * @returns {Promise<Awaited<ReturnType<Measurements[Name]>>>}
   */
  ask(name, values) {
    this.#next += 1
    const id = this.#next
    return new Promise((resolve, reject) => {
      this.#open.set(id, ({ value, error }) => {
        if (error === undefined) resolve(/** @type {Awaited<ReturnType<Measurements[Name]>>} */ (value))
        else reject(new Error(error))
      })
      this.#child.send({ id, name, values: values ?? {} })
    })
  }

  /** Ends the process as a crash does. */
  async kill() {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

/** Starts Postgres with its default settings, including fsync. Returns functions that start services and databases. */
export async function createWorld() {
  const postgres = await withPostgres({ fsync: 'on' })
  if (postgres === undefined) throw new Error('the benchmark of the mirror needs Postgres')
  const admin = new pg.Pool({ connectionString: postgres.url, max: 2 })
  /** @type {import('node:child_process').ChildProcess[]} */
  const services = []
  /** @type {string[]} */
  const folders = []
  let databases = 0

  return {
    /** Starts a service with this number of pages in each list. Returns its URL. */
    async service(pages = 0) {
      const child = fork(here('service.mjs'), [], {
        execArgv: [],
        env: { ...process.env, PAGES: String(pages) },
      })
      services.push(child)
      const [base] = await once(child, 'message')
      return String(base)
    },

    /** Creates a database with the handler's table. */
    async database() {
      databases += 1
      await admin.query(`CREATE DATABASE bench_${databases}`)
      const url = new URL(postgres.url)
      url.pathname = `/bench_${databases}`
      await this.query(
        url.href,
        'CREATE TABLE handled (uuid text NOT NULL, process integer NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp())',
      )
      return url.href
    },

    /** Creates an empty directory for PGlite. */
    async folder() {
      const folder = await mkdtemp(join(tmpdir(), 'bench-mirror-'))
      folders.push(folder)
      return join(folder, 'data')
    },

    /**
     * @param {string} url
     * @param {string} text
     */
    async query(url, text) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    },

    async version() {
      return String((await admin.query('SHOW server_version')).rows[0]?.server_version)
    },

    async close() {
      for (const child of services) child.kill()
      await admin.end()
      await postgres.stop()
      for (const folder of folders) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** @typedef {Awaited<ReturnType<typeof createWorld>>} World */

/** @param {import('./machine.mjs').Order} order */
export function launch(order) {
  return new Machine(order).ready()
}
