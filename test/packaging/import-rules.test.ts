import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importRules, importViolations } from '../../scripts/import-rules.mjs'

const refused: readonly (readonly [file: string, source: string])[] = [
  ['src/contract/a.ts', "import { x } from '../client/index.js'"],
  ['src/contract/a.ts', "import { x } from '../common/clock.js'"],
  ['src/contract/a.ts', "import { z } from 'undici'"],
  ['src/common/a.ts', "import { readFile } from 'node:fs/promises'"],
  ['src/client/a.ts', "import { x } from '../testing/index.js'"],
  ['src/client/a.ts', "import type { X } from '../webhooks/index.js'"],
  ['src/client/a.ts', "const x = await import('../testing/index.js')"],
  ['src/client/a.ts', "type X = import('../testing/index.js').X"],
  ['src/client/deep/a.ts', "export * from '../../webhooks/verify.js'"],
  ['src/client/a.ts', "import { z } from 'zod'"],
  ['src/client/a.ts', "import { type z } from 'zod'"],
  ['src/client/a.ts', "import { decodeJwt } from 'jose/jwt/decode'"],
  ['src/client/a.ts', "import 'left-pad'"],
  ['src/webhooks/a.ts', "import { createHmac } from 'node:crypto'"],
  ['src/webhooks/a.ts', "import { createHmac } from 'crypto'"],
  ['src/webhooks/a.ts', "const { request } = await import('undici')"],
  ['src/testing/a.ts', "import { http } from 'msw'"],
  ['src/testing/a.ts', "import { helper } from '../../test/helper.js'"],
  ['src/testing/a.ts', "export { demo } from '../../examples/demo/main.js'"],
  ['src/elsewhere/a.ts', ''],
  ['src/a.ts', "import { x } from './client/index.js'"],
]

const accepted: readonly (readonly [file: string, source: string])[] = [
  ['src/contract/schemas/a.ts', "import * as z from 'zod'\nimport { open } from '../open.js'"],
  ['src/client/client/a.ts', "import { x } from '../../contract/endpoints.js'"],
  ['src/client/a.ts', "import type { z } from 'zod'\nconst { compile } = await import('zod')"],
  ['src/client/a.ts', "import { performance } from 'node:perf_hooks'"],
  ['src/webhooks/a.ts', "import { PathologyError } from '../common/errors.js'"],
  ['src/webhooks/a.ts', "import type { IncomingMessage } from 'node:http'"],
  ['src/testing/a.ts', "import * as z from 'zod'\nconst { http } = await import('msw')"],
]

describe('import directions between the houses of src/', () => {
  it.each(refused)('refuses in %s: %s', (file, source) => {
    const violations = importViolations(file, source)
    expect(violations).toHaveLength(1)
    expect(violations[0]).toContain(file)
  })

  it.each(accepted)('accepts in %s: %s', (file, source) => {
    expect(importViolations(file, source)).toEqual([])
  })

  it('has a rule for every house there is', () => {
    const houses = readdirSync(fileURLToPath(new URL('../../src', import.meta.url)))
    expect(Object.keys(importRules)).toEqual(expect.arrayContaining(houses))
  })
})
