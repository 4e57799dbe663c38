import { createServer } from 'node:http'

import { PGlite } from '@electric-sql/pglite'
import { PathologyClient } from 'pathology-sdk'
import { createMirror } from 'pathology-sdk/mirror'

import { drawTrend, type TrendPoint } from './trend.js'

// This program is one machine of the demo. Its parent process sends commands, and may kill it at any moment.
const folder = process.env['DEMO_FOLDER'] ?? ''
const port = Number(process.env['DEMO_PORT'] ?? 0)

const pglite = await PGlite.create(folder)
await pglite.exec('CREATE TABLE IF NOT EXISTS handled (position bigint PRIMARY KEY, uuid text NOT NULL)')
const client = new PathologyClient()
const mirror = createMirror({
  database: pglite,
  client,
  secret: process.env['PATHOLOGY_WEBHOOK_SECRET'],
  poll: 50,
  on: {
    '*': async ({ position, uuid }, { tx }) => {
      await tx.query('INSERT INTO handled (position, uuid) VALUES ($1, $2)', [position, uuid])
    },
  },
})

const TREND = `
WITH most AS (SELECT biomarker_id, unit FROM pathology.biomarker_trend GROUP BY 1, 2 ORDER BY count(*) DESC, 1 LIMIT 1)
SELECT common_name AS name, unit, number, ref_low AS low, ref_high AS high FROM pathology.biomarker_trend
JOIN most USING (biomarker_id, unit) ORDER BY measured_at DESC LIMIT 30`

const COMMANDS: Readonly<Record<string, () => Promise<unknown>>> = {
  start: async () => {
    createServer(mirror.receiver.node).listen(port, '127.0.0.1')
    await mirror.start()
  },
  backfill: () => mirror.backfill({ onProgress: ({ read }) => void process.send?.({ progress: read }) }),
  idle: () => mirror.drain(),
  sweep: () => mirror.sweep('open'),
  verify: () => mirror.verify(),
  handled: async () => {
    const counts = await pglite.query<{ handled: number; changes: number }>(
      'SELECT (SELECT count(*)::int FROM handled) AS handled, (SELECT count(*)::int FROM pathology.change) AS changes',
    )
    return counts.rows[0]
  },
  trend: async () => drawTrend((await pglite.query<TrendPoint>(TREND)).rows.reverse()),
  stop: async () => {
    await mirror.stop()
    await client.close()
    await pglite.close()
  },
}

process.on('message', (command: unknown) => {
  const run = COMMANDS[String(command)] ?? (async () => undefined)
  run().then(
    (result) => {
      process.send?.({ result })
      if (command === 'stop') process.exit(0)
    },
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : 'failed' }),
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.({ ready: true })
