import type { KnownBundleVisibility } from '../../contract/enums.js'
import type { BundleRecord } from '../state/catalogue.js'
import type { Organisation } from '../state/orders.js'
import { cellOf, listCell, numberCell, optionalCell, readTable } from './tables.js'

/* Columns: id | name | p for PRIVATE, x for a bundle of another organisation | age in days | tests. */
const BUNDLE_TABLE = `
general-health        | General health check           |   | 900 | full-blood-count, kidney-function, liver-function, lipid-panel, fasting-glucose
heart-health          | Heart health                   |   | 880 | lipid-panel, apolipoproteins, lipoprotein-a, high-sensitivity-crp, hba1c
iron-check            | Iron check                     |   | 860 | iron-studies, full-blood-count
thyroid-check         | Thyroid check                  |   | 840 | thyroid-function, thyroid-antibodies
diabetes-risk         | Diabetes risk                  |   | 815 | hba1c, fasting-glucose, insulin-resistance
liver-and-kidney      | Liver and kidney               |   | 790 | liver-function, kidney-function, urate, urine-albumin
vitamin-check         | Vitamin check                  |   | 765 | vitamin-d, vitamin-b12, folate
minerals              | Minerals                       |   | 740 | calcium-phosphate, zinc-and-copper, selenium, iron-studies
female-hormones-basic | Female hormones                |   | 715 | female-hormones, thyroid-function
female-fertility      | Female fertility               |   | 690 | female-hormones, anti-mullerian-hormone, thyroid-function, vitamin-d
perimenopause         | Perimenopause                  |   | 665 | female-hormones, thyroid-function, iron-studies, vitamin-d, cortisol
polycystic-ovary      | Polycystic ovary check         |   | 640 | female-hormones, androgen-profile, insulin-resistance, lipid-panel
male-hormones         | Male hormones                  |   | 615 | testosterone, dhea-sulfate, psa, full-blood-count
male-health           | Male health check              |   | 590 | full-blood-count, lipid-panel, liver-function, kidney-function, testosterone, psa, hba1c
female-health         | Female health check            |   | 565 | full-blood-count, iron-studies, thyroid-function, lipid-panel, liver-function, kidney-function, vitamin-d
tired-all-the-time    | Tired all the time             |   | 540 | full-blood-count, iron-studies, thyroid-function, vitamin-b12, folate, vitamin-d, c-reactive-protein, coeliac-serology
gut-health            | Gut health                     |   | 515 | coeliac-serology, calprotectin, stool-pathogens, helicobacter-breath
sexual-health         | Sexual health                  |   | 490 | blood-borne-viruses, syphilis-serology, chlamydia-gonorrhoea
athlete               | Athlete                        |   | 465 | full-blood-count, iron-studies, vitamin-d, cardiac-enzymes, testosterone, cortisol
plant-based-diet      | Plant-based diet               |   | 440 | vitamin-b12, iron-studies, vitamin-d, zinc-and-copper, omega-3-index
allergy-and-immunity  | Allergy and immunity           |   | 415 | total-ige, full-blood-count, antinuclear-antibodies, esr
joint-pain            | Joint pain                     |   | 390 | rheumatoid-panel, urate, c-reactive-protein, esr, antinuclear-antibodies
pregnancy-planning    | Planning a pregnancy           |   | 365 | blood-group, full-blood-count, iron-studies, blood-borne-viruses, thyroid-function, vitamin-d
stress-and-sleep      | Stress and sleep               |   | 340 | cortisol, dhea-sulfate, salivary-cortisol, thyroid-function
executive-check       | Executive check                | p | 300 | full-blood-count, iron-studies, lipid-panel, apolipoproteins, lipoprotein-a, liver-function, kidney-function, thyroid-function, hba1c, vitamin-d, vitamin-b12, high-sensitivity-crp
new-starter-medical   | New starter medical            | p | 250 | full-blood-count, liver-function, kidney-function, urine-microscopy
mine-site-medical     | Mine site medical              | p | 200 | full-blood-count, liver-function, kidney-function, toxic-metals, urine-arsenic
partner-clinic-trial  | Partner clinic trial           | p | 120 | lipid-panel, hba1c
recheck-iron          | Iron, second look              |   | 60  | ferritin, full-blood-count
longevity             | Longevity                      |   | 30  | lipid-panel, apolipoproteins, hba1c, insulin-resistance, high-sensitivity-crp, homocysteine, omega-3-index, testosterone, vitamin-d, cystatin-c
elsewhere-essentials  | Essentials of another organisation | x | 500 | full-blood-count, lipid-panel
`

const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * Returns the bundles, oldest first (§2.9). `elsewhere-essentials` belongs to another organisation, so that tests can
 * order a bundle that the API does not find.
 */
export function seedBundles(now: number): BundleRecord[] {
  const rows = readTable(BUNDLE_TABLE).toSorted((one, other) => numberCell(other, 3) - numberCell(one, 3))
  return rows.map((row, place) => ({
    sequence: place + 1,
    organisation: organisationOf(row),
    id: cellOf(row, 0),
    name: cellOf(row, 1),
    productId: `product-${cellOf(row, 0)}`,
    productName: cellOf(row, 1),
    testIds: listCell(row, 4),
    visibility: visibilityOf(row),
    createdAt: new Date(now - numberCell(row, 3) * DAY_MS).toISOString(),
  }))
}

function organisationOf(row: readonly string[]): Organisation {
  return optionalCell(row, 2) === 'x' ? 'other' : 'own'
}

function visibilityOf(row: readonly string[]): KnownBundleVisibility {
  return optionalCell(row, 2) === 'p' ? 'PRIVATE' : 'PUBLIC'
}
