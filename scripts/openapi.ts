// Writes openapi.json: npm run openapi
import { writeFileSync } from 'node:fs'

import { openApiText } from './openapi/document.js'

writeFileSync(new URL('../openapi.json', import.meta.url), await openApiText())
console.log('wrote openapi.json')
