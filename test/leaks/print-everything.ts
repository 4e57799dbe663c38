import { inspect } from 'node:util'
import { HostileService } from './hostile-service.js'
import { ONE_OF_EACH_CLASS } from './provocations.js'
import { createWorld } from './world.js'

/**
 * Provokes an error of every class, prints it in every way that programs have, and leaves it unhandled, so that Node prints it
 * too. Run with `--unhandled-rejections=warn`.
 */
async function printEverything(): Promise<void> {
  const service = await HostileService.start()
  for (const { title, provoke } of ONE_OF_EACH_CLASS) {
    service.clear()
    const world = createWorld(service, console)
    const failing = (async () => provoke(world))()
    const unhandled = failing.finally(() => undefined)
    await failing.catch((error: unknown) => {
      console.error(`${title}:`, error)
      console.error('%s %j %O', error, error, error)
      console.dir(error, { depth: 10, showHidden: true })
      console.error(inspect(error, { depth: 10, showHidden: true, customInspect: false }))
      console.error(new AggregateError([error], 'several', { cause: error }), structuredClone(error))
      console.dir([world.client(), failing, unhandled], { depth: 10, showHidden: true })
    })
    await world.close()
  }
  await service[Symbol.asyncDispose]()
}

await printEverything()
