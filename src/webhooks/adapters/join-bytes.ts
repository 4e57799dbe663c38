/** One run of bytes; a single chunk is not copied. */
export function joinBytes(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const joined = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    joined.set(chunk, offset)
    offset += chunk.byteLength
  }
  return joined
}
