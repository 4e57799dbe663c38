/**
 * Steps of the flows, in order. Tests stop a process at each of them. `receive:before` is before the event's transaction,
 * and `receive:committed` is before the response; the others are named after what has just happened.
 */
export const POINTS = [
  'receive:before',
  'receive:committed',
  'claimed',
  'fetch:before',
  'fetch:after',
  'store:loaded',
  'store:written',
  'store:finished',
  'store:appended',
  'store:committed',
  'document:read',
  'document:downloaded',
  'document:stored',
  'document:committed',
  'deliver:begun',
  'deliver:handled',
  'deliver:advanced',
  'deliver:committed',
] as const

/** The name of a step. */
export type Point = (typeof POINTS)[number]

/** Called at each step. A test can wait, throw or end the process in it. */
export type PointHook = (point: Point) => void | Promise<void>
