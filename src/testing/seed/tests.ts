import type { TestRecord, TurnAroundRecord } from '../state/catalogue.js'
import { brandSeed } from './brands.js'
import { cellOf, listCell, numberCell, optionalCell, readTable } from './tables.js'

/*
 * Columns: id | name | short name | sample | m if Medicare lists it | price in cents | minimum and maximum days |
 * biomarkers.
 */
const TEST_TABLE = `
lipid-panel            | Lipid studies                          | Lipids       | blood | m | 3200 | 1-2 | total-cholesterol, hdl-cholesterol, ldl-cholesterol, non-hdl-cholesterol, triglycerides, cholesterol-hdl-ratio
apolipoproteins        | Apolipoproteins B and A1               | Apo B/A1     | blood |   | 5900 | 2-5 | apolipoprotein-b, apolipoprotein-a1
lipoprotein-a          | Lipoprotein (a)                        | Lp(a)        | blood |   | 4900 | 2-6 | lipoprotein-a
full-blood-count       | Full blood count                       | FBC          | blood | m | 2500 | 1-2 | haemoglobin, haematocrit, red-cell-count, mcv, mch, mchc, rdw, platelets, mean-platelet-volume, white-cell-count, neutrophils, lymphocytes, monocytes, eosinophils, basophils
blood-film             | Blood film and reticulocytes           | Film         | blood | m | 2900 | 1-3 | blood-film, reticulocytes
blood-group            | Blood group and Rh type                | Group        | blood | m | 3500 | 1-3 | blood-group, rh-d
iron-studies           | Iron studies                           | Iron         | blood | m | 3400 | 1-2 | iron, ferritin, transferrin, transferrin-saturation, iron-binding-capacity
ferritin               | Ferritin                               | Ferritin     | blood | m | 2600 | 1-2 | ferritin
thyroid-function       | Thyroid function                       | TFT          | blood | m | 4500 | 1-2 | tsh, free-t4, free-t3
tsh                    | Thyroid stimulating hormone            | TSH          | blood | m | 2800 | 1-2 | tsh
thyroid-antibodies     | Thyroid antibodies                     | TAB          | blood | m | 4900 | 2-4 | tpo-antibodies, thyroglobulin-antibodies
tsh-receptor-antibodies | TSH receptor antibodies               | TRAb         | blood | m | 6900 | 3-7 | trab
reverse-t3             | Reverse triiodothyronine               | rT3          | blood |   | 8900 | 7-14 | reverse-t3
liver-function         | Liver function                         | LFT          | blood | m | 2900 | 1-2 | alt, ast, alp, ggt, bilirubin, albumin, total-protein, globulin
kidney-function        | Urea, electrolytes and creatinine      | UEC          | blood | m | 2900 | 1-2 | sodium, potassium, chloride, bicarbonate, anion-gap, urea, creatinine, egfr
cystatin-c             | Cystatin C                             | CysC         | blood |   | 5500 | 3-7 | cystatin-c
urate                  | Urate                                  | Urate        | blood | m | 2200 | 1-2 | urate
calcium-phosphate      | Calcium, magnesium and phosphate       | CMP          | blood | m | 2700 | 1-2 | calcium, corrected-calcium, magnesium, phosphate, albumin
hba1c                  | Haemoglobin A1c                        | HbA1c        | blood | m | 3000 | 1-2 | hba1c-ngsp, hba1c-ifcc
fasting-glucose        | Glucose, fasting                       | Glucose      | blood | m | 2000 | 1-1 | fasting-glucose
insulin-resistance     | Insulin and glucose, fasting           | HOMA         | blood |   | 5400 | 1-3 | fasting-insulin, fasting-glucose, homa-ir
c-peptide              | C-peptide                              | C-pep        | blood | m | 5200 | 2-5 | c-peptide
vitamin-d              | Vitamin D                              | Vit D        | blood | m | 4200 | 1-3 | vitamin-d
vitamin-b12            | Vitamin B12 and active B12             | B12          | blood | m | 3600 | 1-3 | vitamin-b12, active-b12
folate                 | Folate, serum and red cell             | Folate       | blood | m | 3600 | 1-3 | folate, red-cell-folate
vitamins-a-and-e       | Vitamins A and E                       | Vit A/E      | blood |   | 7900 | 7-12 | vitamin-a, vitamin-e
vitamin-b6             | Vitamin B6                             | Vit B6       | blood |   | 6900 | 7-12 | vitamin-b6
zinc-and-copper        | Zinc and copper                        | Zn/Cu        | blood |   | 5800 | 3-7 | zinc, copper
selenium               | Selenium                               | Se           | blood |   | 5200 | 5-10 | selenium
homocysteine           | Homocysteine                           | Hcy          | blood |   | 5600 | 2-5 | homocysteine
omega-3-index          | Omega-3 index                          | Omega-3      | blood |   | 9900 | 7-14 | omega-3-index
female-hormones        | Female hormone profile                 | FHP          | blood | m | 6500 | 1-3 | oestradiol, progesterone, lh, fsh, prolactin
oestradiol             | Oestradiol                             | E2           | blood | m | 3400 | 1-2 | oestradiol
progesterone           | Progesterone                           | Prog         | blood | m | 3400 | 1-2 | progesterone
anti-mullerian-hormone | Anti-Müllerian hormone                 | AMH          | blood |   | 9500 | 2-5 | amh
pregnancy-hormone      | Human chorionic gonadotrophin          | hCG          | blood | m | 3200 | 1-1 | beta-hcg
androgen-profile       | Androgen profile                       | Androgens    | blood | m | 7200 | 2-5 | testosterone, free-testosterone, shbg, free-androgen-index, androstenedione
testosterone           | Testosterone                           | Testo        | blood | m | 3500 | 1-2 | testosterone, shbg, free-testosterone
dihydrotestosterone    | Dihydrotestosterone                    | DHT          | blood |   | 8900 | 7-14 | dihydrotestosterone
cortisol               | Cortisol, morning                      | Cortisol     | blood | m | 3600 | 1-2 | cortisol-morning
dhea-sulfate           | DHEA sulfate                           | DHEA-S       | blood | m | 4100 | 1-3 | dhea-sulfate
aldosterone-renin      | Aldosterone and renin                  | Aldo/Renin   | blood | m | 8200 | 4-8 | aldosterone, renin
c-reactive-protein     | C-reactive protein                     | CRP          | blood | m | 2400 | 1-1 | crp
high-sensitivity-crp   | C-reactive protein, high sensitivity   | hs-CRP       | blood |   | 3400 | 1-3 | hs-crp
esr                    | Erythrocyte sedimentation rate         | ESR          | blood | m | 2000 | 1-1 | esr
cardiac-enzymes        | Cardiac enzymes                        | Cardiac      | blood | m | 5200 | 1-1 | troponin-i, creatine-kinase, ldh
nt-probnp              | NT-proBNP                              | BNP          | blood | m | 7900 | 1-3 | nt-probnp
coagulation            | Coagulation studies                    | Coag         | blood | m | 3800 | 1-2 | inr, aptt, fibrinogen
d-dimer                | D-dimer                                | D-dimer      | blood | m | 4600 | 1-1 | d-dimer
coeliac-serology       | Coeliac serology                       | Coeliac      | blood | m | 5600 | 2-5 | ttg-iga, immunoglobulin-a
total-ige              | Immunoglobulin E                       | IgE          | blood | m | 3900 | 2-4 | immunoglobulin-e
rheumatoid-panel       | Rheumatoid panel                       | RF/CCP       | blood | m | 5900 | 2-5 | rheumatoid-factor, anti-ccp
antinuclear-antibodies | Antinuclear antibodies                 | ANA          | blood | m | 4200 | 2-5 | ana-pattern
blood-borne-viruses    | Blood-borne virus screen               | BBV          | blood | m | 6900 | 1-3 | hiv-combo, hepatitis-b-surface-antigen, hepatitis-c-antibody
syphilis-serology      | Syphilis serology                      | Syphilis     | blood | m | 3200 | 1-3 | syphilis-antibody
psa                    | Prostate specific antigen              | PSA          | blood | m | 3600 | 1-2 | psa
ca-125                 | Cancer antigen 125                     | CA 125       | blood | m | 4200 | 1-3 | ca-125
tumour-markers         | CEA and AFP                            | CEA/AFP      | blood | m | 5200 | 1-3 | cea, afp
toxic-metals           | Lead and mercury, whole blood          | Pb/Hg        | blood |   | 9800 | 5-10 | lead, mercury
urine-albumin          | Urine albumin to creatinine ratio      | ACR          | urine |   | 2900 | 1-2 | urine-albumin, urine-creatinine, albumin-creatinine-ratio
urine-microscopy       | Urine microscopy and culture           | MSU          | urine |   | 3400 | 2-4 | urine-microscopy, urine-culture, urine-ph, urine-specific-gravity
urine-iodine           | Urine iodine                           | Iodine       | urine |   | 6200 | 5-10 | iodine-urine, urine-creatinine
urine-arsenic          | Urine arsenic                          | Arsenic      | urine |   | 7900 | 7-12 | arsenic-urine, urine-creatinine
chlamydia-gonorrhoea   | Chlamydia and gonorrhoea PCR           | CT/NG        | urine |   | 5400 | 2-4 | chlamydia-pcr, gonorrhoea-pcr
cervical-screening     | Cervical screening, self-collected     | HPV          | swab  |   | 6900 | 5-10 | hpv-pcr
mrsa-screen            | MRSA screen                            | MRSA         | swab  |   | 4900 | 2-4 | mrsa-screen
calprotectin           | Faecal calprotectin                    | Calpro       | stool |   | 8900 | 4-8 | faecal-calprotectin
faecal-occult-blood    | Faecal occult blood                    | FOBT         | stool |   | 3900 | 2-4 | faecal-occult-blood
stool-pathogens        | Faecal pathogens PCR                   | Stool PCR    | stool |   | 9800 | 2-4 | stool-pathogens-pcr
pancreatic-elastase    | Pancreatic elastase                    | Elastase     | stool |   | 9200 | 5-10 | pancreatic-elastase
helicobacter-breath    | Helicobacter breath test               | UBT          | breath |  | 7200 | 3-6 | helicobacter-breath
salivary-cortisol      | Salivary cortisol, midnight            | Saliva cort  | saliva |  | 6400 | 4-8 | salivary-cortisol
malaria-film           | Thick and thin films for malaria       | Malaria      | blood | m | 4900 | 1-2 |
`

/** Laboratories with turnaround times, and the days that each adds to the minimum and the maximum of a test. */
const LABORATORIES: readonly (readonly [brand: string, minimum: number, maximum: number])[] = [
  ['lowanna-pathology', 0, 0],
  ['meridian-south', 1, 2],
  ['harbourside-pathology', 0, 1],
  ['ironbark-laboratories', 1, 1],
]

/** Returns the tests of the catalogue (§2.7). */
export function seedTests(): TestRecord[] {
  return readTable(TEST_TABLE).map((row, place) => ({
    id: cellOf(row, 0),
    name: cellOf(row, 1),
    shortName: cellOf(row, 2),
    sample: cellOf(row, 3),
    medicareListed: optionalCell(row, 4) === 'm',
    priceCents: numberCell(row, 5),
    turnAroundTimes: turnAroundTimes(cellOf(row, 6), place),
    biomarkerIds: listCell(row, 7),
  }))
}

function turnAroundTimes(days: string, place: number): TurnAroundRecord[] {
  const [minimum = 0, maximum = 0] = days.split('-').map(Number)
  const running = LABORATORIES.filter((_, laboratory) => (place + laboratory) % 4 !== 3)
  return running.map(([providerId, later, latest]) => ({
    providerId,
    providerName: brandSeed(providerId)?.name ?? providerId,
    minimumDays: minimum + later,
    maximumDays: maximum + latest,
  }))
}
