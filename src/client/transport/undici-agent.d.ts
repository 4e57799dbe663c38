declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export default Agent
}

declare module 'undici/lib/api/api-request.js' {
  import { Dispatcher } from 'undici'

  const request: Dispatcher['request']
  export default request
}
