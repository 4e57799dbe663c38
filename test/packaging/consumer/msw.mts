import { setupServer } from 'msw/node'
import { FakePathologyService } from 'pathology-sdk/testing'

const fake = new FakePathologyService()

export const server = setupServer(...fake.handlers())
