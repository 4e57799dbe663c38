import ts from 'typescript'
import { expect, it } from 'vitest'

import { printed } from '../../scripts/api/printed.js'

/** The first declaration of a text, as the report of the public surface prints it. */
function print(text: string): string {
  const [declaration] = ts.createSourceFile('a.d.ts', text, ts.ScriptTarget.Latest, true).statements
  if (declaration === undefined) throw new Error('there is no declaration')
  return printed(declaration)
}

it.each([
  ["type A = 'b' | 'a';", "type A = 'a' | 'b';"],
  [
    "type A = undefined | null | 'x' | Map<2 | 1, string>;",
    "type A = 'x' | Map<1 | 2, string> | null | undefined;",
  ],
  ["type A = ('d' | 'c')[] | (() => 'b' | 'a');", "type A = ('c' | 'd')[] | (() => 'a' | 'b');"],
  ["type A = 'b | a' | 'a | c';", "type A = 'a | c' | 'b | a';"],
  [
    'declare class A {\n    #private;\n    b(): void;\n    a(): void;\n}',
    'declare class A {\n    b(): void;\n    a(): void;\n}',
  ],
])('prints %s alike after every build', (text, expected) => {
  expect(print(text)).toBe(expected)
})
