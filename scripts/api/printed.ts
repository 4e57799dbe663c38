import ts from 'typescript'

const printer = ts.createPrinter({ removeComments: true })

/**
 * A declaration as text that is the same after every build: the compiler writes the members of a union in the order in
 * which it met them anywhere, so they are sorted here, and private fields are left out.
 */
export function printed(declaration: ts.Node): string {
  const file = declaration.getSourceFile()
  const textOf = (node: ts.Node): string => printer.printNode(ts.EmitHint.Unspecified, node, file)
  const { transformed, dispose } = ts.transform(declaration, [(context) => steady(context, textOf)])
  try {
    return transformed.map(textOf).join('\n')
  } finally {
    dispose()
  }
}

function steady(context: ts.TransformationContext, textOf: (node: ts.Node) => string) {
  const visit = (node: ts.Node): ts.Node | undefined => {
    if (ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name)) return undefined
    const inner = ts.visitEachChild(node, visit, context)
    if (!ts.isUnionTypeNode(inner)) return inner
    const members = inner.types.map((member) => ({ member, key: keyOf(textOf(member)) }))
    const sorted = members.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    return ts.factory.updateUnionTypeNode(
      inner,
      ts.factory.createNodeArray(sorted.map(({ member }) => member)),
    )
  }
  return (root: ts.Node): ts.Node => visit(root) ?? root
}

/** What may be missing is said last. */
function keyOf(text: string): string {
  return ['null', 'undefined'].includes(text) ? `\uffff${text}` : text
}
