/**
 * Texts and numbers for people who read results and look for collection centres, and the known values of enums. Runs in
 * browsers.
 *
 * @module pathology-sdk/display
 */

export * from '../contract/enums.js'
export type {
  AdditionalRange,
  Biomarker,
  BiomarkerCategory,
  BiomarkerSummary,
  CanonicalValue,
  CollectionCentre,
  Doctor,
  LabPatient,
  OpeningDay,
  OpeningPeriod,
} from '../contract/types.js'
export {
  type BiomarkerFlag,
  flagOf,
  formatOpeningHours,
  formatRange,
  type MeasuredNumber,
  numberOf,
  type RangedValue,
} from './display-text.js'
export { type ReportLine, type ReportSource, reportLines, reportText } from './report-text.js'
