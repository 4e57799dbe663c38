import { PathologyClient } from 'pathology-sdk'

new PathologyClient({ baseUrl: 'no URL' })
