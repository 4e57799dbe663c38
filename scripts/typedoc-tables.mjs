// A plugin of typedoc: documents the rows of a table in the code, such as ERROR_CODES, by their `meaning`, so
// that docstrings need not repeat it.
import { Comment, Converter, ReflectionKind, UnknownType } from 'typedoc'

/**
 * Returns the meaning in a row; `undefined` if the property is not a row of a table.
 *
 * @param {import('typedoc').DeclarationReflection | undefined} row
 */
function meaningOf(row) {
  const meaning = row?.children?.find(({ name }) => name === 'meaning')?.type
  return meaning?.type === 'literal' && typeof meaning.value === 'string' ? meaning.value : undefined
}

/** @param {import('typedoc').DeclarationReflection} field */
const fieldText = ({ name, type }) => `readonly ${name}: ${name === 'meaning' ? 'string' : type}`

/**
 * `true` for a field of a FHIR resource or element, which FHIR documents.
 *
 * @param {import('typedoc').Reflection | undefined} reflection
 * @returns {boolean}
 */
function isFhirField(reflection) {
  if (reflection === undefined || /Options$|^Gap$/.test(reflection.name)) return false
  return reflection.name === 'pathology-sdk/fhir' || isFhirField(reflection.parent)
}

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const property of project.getReflectionsByKind(ReflectionKind.Property)) {
      if (!property.hasComment() && isFhirField(property))
        property.comment = new Comment([{ kind: 'text', text: 'As in FHIR R4.' }])
    }
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const property of project.getReflectionsByKind(ReflectionKind.Property)) {
      if (!property.isDeclaration() || property.type?.type !== 'reflection') continue
      const row = property.type.declaration
      const meaning = meaningOf(row)
      if (meaning === undefined) continue
      property.comment = new Comment([{ kind: 'text', text: meaning }])
      property.type = new UnknownType(`{ ${(row.children ?? []).map(fieldText).join('; ')} }`)
      project.removeReflection(row)
    }
  })
}
