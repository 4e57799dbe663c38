// @vitest-environment jsdom
import { describe } from 'vitest'
import { flowTests } from './flow.js'

describe("in Vitest's jsdom", flowTests)
