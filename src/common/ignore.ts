/** Ignores a rejection or an event that other code has handled. */
export function ignore(): void {
  // Intentionally empty.
}
