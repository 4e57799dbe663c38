import type { Dispatcher } from 'undici'

/** Callbacks of a dispatched request, in their order. */
export type Calls = [name: string, ...details: unknown[]][]

/** Records the callbacks of a dispatched request. */
export function listener(
  calls: Calls,
  on: (name: string, controller: Dispatcher.DispatchController) => void = () => undefined,
): { handler: Dispatcher.DispatchHandler; ended: Promise<void> } {
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const hear = (name: string, controller: Dispatcher.DispatchController, ...details: unknown[]): void => {
    calls.push([name, ...details])
    on(name, controller)
  }
  return {
    ended,
    handler: {
      onRequestStart: (controller) => hear('start', controller),
      onResponseStart: (controller, status, headers) =>
        hear('response', controller, status, headers['content-type']),
      onResponseData: (controller, chunk) => hear('data', controller, chunk.byteLength),
      onResponseEnd: (controller) => {
        hear('end', controller)
        end()
      },
      onResponseError: (controller, error) => {
        hear('error', controller, Reflect.get(error, 'code'), error.name)
        end()
      },
    },
  }
}

/** The names of the callbacks. */
export const names = (calls: Calls): string[] => calls.map(([name]) => name)
