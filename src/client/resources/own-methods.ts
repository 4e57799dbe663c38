/**
 * Gives a resource its methods as properties of its own, so that `const { create } = client.referrals` and
 * `uuids.map(client.referrals.retrieve)` find the client.
 */
export function withOwnMethods<T extends object>(resource: T): T {
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(
    Reflect.getPrototypeOf(resource) ?? {},
  )
  for (const [name, { value }] of Object.entries<PropertyDescriptor>(methods)) {
    const method: unknown = value
    if (typeof method !== 'function') continue
    Object.defineProperty(resource, name, {
      value: method.bind(resource),
      writable: true,
      configurable: true,
    })
  }
  return resource
}
