// @vitest-environment happy-dom
import { describe } from 'vitest'
import { flowTests } from './flow.js'

describe("in Vitest's happy-dom", flowTests)
