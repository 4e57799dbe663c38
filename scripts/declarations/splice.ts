import type ts from 'typescript'

/** A node of a parsed text, and the text that replaces it. */
export interface Splice {
  readonly node: ts.Node
  readonly text: string
}

/** Returns a parsed text with nodes replaced. */
export function spliced(file: ts.SourceFile, splices: readonly Splice[]): string {
  const fromTheEnd = splices.toSorted((a, b) => b.node.getStart(file) - a.node.getStart(file))
  return fromTheEnd.reduce(
    (text, { node, text: replacement }) =>
      text.slice(0, node.getStart(file)) + replacement + text.slice(node.getEnd()),
    file.text,
  )
}
