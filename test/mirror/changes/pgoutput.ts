/** Values of an inserted row by column, as text; `null` for NULL. */
export type OutboxRow = ReadonlyMap<string, string | null>

/** Messages of the plugin pgoutput. */
export interface DecodedChanges {
  /** Kinds of changes that occur. */
  readonly operations: ReadonlySet<string>
  /** OIDs of the types of all columns. */
  readonly types: ReadonlyMap<string, number>
  /** Inserted rows, in the order of their commits. */
  readonly inserted: readonly OutboxRow[]
}

const OPERATIONS: Readonly<Record<string, string>> = { I: 'insert', U: 'update', D: 'delete', T: 'truncate' }

/** Reads values one after another. */
class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  letter(): string {
    return this.bytes(1).toString('latin1')
  }

  int16(): number {
    return this.bytes(2).readInt16BE()
  }

  int32(): number {
    return this.bytes(4).readInt32BE()
  }

  bytes(length: number): Buffer {
    const start = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) throw new Error('a message of pgoutput is too short')
    return this.#bytes.subarray(start, this.#at)
  }

  text(): string {
    const end = this.#bytes.indexOf(0, this.#at)
    const text = this.bytes(end - this.#at).toString('utf8')
    this.#at += 1
    return text
  }
}

/** Decodes messages of the plugin pgoutput, protocol version 1, about one table. */
export function decodePgoutput(messages: readonly Buffer[]): DecodedChanges {
  const operations = new Set<string>()
  const types = new Map<string, number>()
  const inserted: OutboxRow[] = []
  for (const message of messages) {
    const reader = new Reader(message)
    const letter = reader.letter()
    const operation = OPERATIONS[letter]
    if (operation !== undefined) operations.add(operation)
    if (letter === 'R') for (const [name, type] of columnsOf(reader)) types.set(name, type)
    if (letter === 'I') inserted.push(rowOf(reader, [...types.keys()]))
  }
  return { operations, types, inserted }
}

function columnsOf(reader: Reader): readonly (readonly [string, number])[] {
  reader.int32()
  reader.text()
  reader.text()
  reader.letter()
  return Array.from({ length: reader.int16() }, () => {
    reader.letter()
    const name = reader.text()
    const type = reader.int32()
    reader.int32()
    return [name, type] as const
  })
}

function rowOf(reader: Reader, names: readonly string[]): OutboxRow {
  reader.int32()
  reader.letter()
  const values = Array.from({ length: reader.int16() }, () =>
    reader.letter() === 't' ? reader.bytes(reader.int32()).toString('utf8') : null,
  )
  return new Map(names.map((name, at) => [name, values[at] ?? null]))
}
