/** Handles a rejection or an event that someone else has dealt with. */
export function ignore(): void {
  // Deliberately nothing.
}
