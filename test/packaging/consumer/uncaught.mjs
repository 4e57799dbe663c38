import { PathologyClient } from 'pathology-sdk'

new PathologyClient({ baseUrl: 'no URL', authUrl: 'no URL', clientId: 'id', clientSecret: 'secret' })
