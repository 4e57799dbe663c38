/** A code of a code system. */
export type Coding = { system?: string; version?: string; code?: string; display?: string }
/** A concept: codes, a text or both. */
export type CodeableConcept = Element & { coding?: Coding[]; text?: string }
/** An identifier within a system. */
export type Identifier = Element & { type?: CodeableConcept; system?: string; value?: string }
/** A reference to a resource, by its URL, by an identifier, or only by a text. */
export type Reference = { reference?: string; identifier?: Identifier; display?: string }
/** An element of which only extensions are known, such as the reason why its value is missing. */
export type Element = { extension?: Extension[] }
/** An extension. */
export type Extension = {
  url: string
  valueCode?: string
  valueInteger?: number
  valueCodeableConcept?: CodeableConcept
}
