import type { Biomarker } from '../contract/types.js'
import type { Coding } from './types.js'

type Target = Readonly<Partial<Record<'code' | 'display' | 'equivalence', string | undefined>>>
type Row = { readonly code?: string | undefined; readonly target?: readonly Target[] | undefined }
type Group = { readonly target?: string | undefined; readonly element?: readonly Row[] | undefined }

/** The part of a FHIR R4 ConceptMap that {@link conceptMap} reads. */
export type ConceptMapSource = { readonly group?: readonly Group[] | undefined }

/**
 * Returns a function for the option `codes` from your own ConceptMap, whose source codes are the ids of biomarkers. Only
 * targets that are `equal` or `equivalent` count.
 */
export function conceptMap({ group = [] }: ConceptMapSource): (biomarker: Pick<Biomarker, 'id'>) => Coding[] {
  const rows = group.flatMap(({ target: system, element = [] }) =>
    element.flatMap(({ code: id, target = [] }) =>
      target.flatMap(({ code, display, equivalence }) => {
        if (!system || !code || !/^(equal|equivalent)$/.test(equivalence ?? '')) return []
        return [{ id, coding: { system, code, ...(display && { display }) } }]
      }),
    ),
  )
  return (biomarker) => rows.filter(({ id }) => id === biomarker.id).map(({ coding }) => coding)
}
