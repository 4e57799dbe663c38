/** A request limit. */
export interface Limit {
  /** Counts a request. Returns `undefined`, or the milliseconds until the next permitted request. */
  refuse(nowMs: number): number | undefined
}

/** Returns the limit of a token bucket: a number of requests per second, and a burst of at most `capacity`. */
export function tokenBucket(perSecond: number, capacity = perSecond): Limit {
  let tokens = capacity
  let at = 0
  return {
    refuse(nowMs) {
      tokens = Math.min(capacity, tokens + ((nowMs - at) * perSecond) / 1_000)
      at = nowMs
      if (tokens < 1) return ((1 - tokens) * 1_000) / perSecond
      tokens -= 1
      return undefined
    },
  }
}

/** Returns a limit of the requests in each period of `lengthMs`. */
export function fixedWindow(requests: number, lengthMs: number): Limit {
  let window = -1
  let count = 0
  return {
    refuse(nowMs) {
      const present = Math.floor(nowMs / lengthMs)
      if (present !== window) count = 0
      window = present
      count += 1
      return count > requests ? (present + 1) * lengthMs - nowMs : undefined
    },
  }
}

/** Returns a limit of the accepted requests in the last `lengthMs`. */
export function slidingWindow(requests: number, lengthMs: number): Limit {
  let accepted: number[] = []
  return {
    refuse(nowMs) {
      accepted = accepted.filter((at) => at > nowMs - lengthMs)
      const [oldest] = accepted
      if (oldest !== undefined && accepted.length >= requests) return oldest + lengthMs - nowMs
      accepted.push(nowMs)
      return undefined
    },
  }
}
