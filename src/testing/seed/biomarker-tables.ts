/*
 * Biomarkers by category. Columns: id | name | common name | sample | unit | most common spelling of the unit | low |
 * high | decimals | another unit with its factor | description. Columns of the text table after the sample: possible
 * values, the usual value first | description. Intervals are rounded values for adults, for software tests only. They
 * are not a clinical reference.
 */

/** Category ids with their names and descriptions. */
export const CATEGORY_TABLE = `
lipids          | Lipids                | Fats in the blood and the particles that carry them
blood-count     | Full blood count      | Red cells, white cells and platelets
iron            | Iron studies          | Iron in circulation and in store
thyroid         | Thyroid               | Thyroid hormones and antibodies against the gland
liver           | Liver function        | Enzymes and proteins that show how the liver is doing
kidney          | Kidney function       | Waste products that the kidneys clear
electrolytes    | Electrolytes          | Salts and minerals dissolved in the blood
diabetes        | Glucose metabolism    | Sugar in the blood and the hormones that govern it
vitamins        | Vitamins and minerals | Nutrients from food and sun
female-hormones | Female hormones       | Hormones of the menstrual cycle and of fertility
male-hormones   | Androgens             | Testosterone and related hormones
adrenal         | Adrenal hormones      | Hormones of stress and blood pressure
inflammation    | Inflammation          | Signs of inflammation or infection in the body
heart           | Heart and muscle      | Markers of strain on the heart and on muscle
coagulation     | Coagulation           | How well the blood clots
immunity        | Immunity              | Antibodies and autoimmune markers
infections      | Infections            | Evidence of present or past infections
cancer-markers  | Tumour markers        | Proteins that some cancers raise
toxic-metals    | Toxic metals          | Metals that do harm when they build up
urine           | Urine                 | What the urine shows of kidneys and bladder
stool           | Stool                 | What the stool shows of the gut
`

/** Numeric biomarkers, first half. A line that begins with # starts a category. */
export const NUMERIC_TABLE_ONE = `
# lipids
total-cholesterol    | Cholesterol, total                 | Total cholesterol  | blood | mmol/L |  |      | 5.5 | 1 | mg/dL x 0.02586 | All the cholesterol in the blood, whichever particle carries it
hdl-cholesterol      | HDL cholesterol                    | "Good" cholesterol | blood | mmol/L |  | 1.0  |     | 1 | mg/dL x 0.02586 | Cholesterol on its way back to the liver
ldl-cholesterol      | LDL cholesterol                    | "Bad" cholesterol  | blood | mmol/L |  |      | 3.5 | 1 | mg/dL x 0.02586 | Cholesterol that can settle in the walls of arteries
non-hdl-cholesterol  | Non-HDL cholesterol                | Non-HDL            | blood | mmol/L |  |      | 4.0 | 1 | | Total cholesterol less HDL cholesterol
triglycerides        | Triglycerides                      | Blood fats         | blood | mmol/L |  |      | 2.0 | 1 | mg/dL x 0.01129 | Fat in transport, raised after meals and by alcohol
cholesterol-hdl-ratio | Cholesterol to HDL ratio          | Cholesterol ratio  | blood | ratio  |  |      | 4.5 | 1 | | Total cholesterol divided by HDL cholesterol
apolipoprotein-b     | Apolipoprotein B                   | ApoB               | blood | g/L    |  | 0.5  | 1.1 | 2 | mg/dL x 0.01 | Counts the particles that can enter artery walls
apolipoprotein-a1    | Apolipoprotein A1                  | ApoA1              | blood | g/L    |  | 1.1  | 2.0 | 2 | mg/dL x 0.01 | The main protein of HDL particles
lipoprotein-a        | Lipoprotein (a)                    | Lp(a)              | blood | nmol/L |  |      | 75  | 0 | | An inherited particle that adds to the risk for the heart
# blood-count
haemoglobin          | Haemoglobin                        | Haemoglobin        | blood | g/L    |  | 120  | 170 | 0 | g/dL x 10 | The protein in red cells that carries oxygen
haematocrit          | Haematocrit                        | Packed cell volume | blood | L/L    |  | 0.36 | 0.50 | 2 | % x 0.01 | The part of the blood that is red cells
red-cell-count       | Red cell count                     | Red blood cells    | blood | 10^12/L | x10^12/L | 3.9 | 5.8 | 1 | | The number of red cells
mcv                  | Mean cell volume                   | MCV                | blood | fL     |  | 80   | 100 | 0 | | The average size of a red cell
mch                  | Mean cell haemoglobin              | MCH                | blood | pg     |  | 27   | 33  | 1 | | The haemoglobin in an average red cell
mchc                 | Mean cell haemoglobin concentration | MCHC              | blood | g/L    |  | 310  | 360 | 0 | g/dL x 10 | How densely red cells are filled with haemoglobin
rdw                  | Red cell distribution width        | RDW                | blood | %      |  | 11.0 | 15.0 | 1 | | How much red cells differ in size
platelets            | Platelet count                     | Platelets          | blood | 10^9/L | x10^9/L | 150 | 400 | 0 | | Cells that start a clot
mean-platelet-volume | Mean platelet volume               | MPV                | blood | fL     |  | 7.0  | 12.0 | 1 | | The average size of a platelet
white-cell-count     | White cell count                   | White blood cells  | blood | 10^9/L | x10^9/L | 4.0 | 11.0 | 1 | | All white cells together
neutrophils          | Neutrophils                        | Neutrophils        | blood | 10^9/L | x10^9/L | 2.0 | 7.5 | 1 | | White cells that fight bacteria
lymphocytes          | Lymphocytes                        | Lymphocytes        | blood | 10^9/L | x10^9/L | 1.0 | 4.0 | 1 | | White cells that remember germs
monocytes            | Monocytes                          | Monocytes          | blood | 10^9/L | x10^9/L | 0.2 | 1.0 | 1 | | White cells that clear debris
eosinophils          | Eosinophils                        | Eosinophils        | blood | 10^9/L | x10^9/L | 0.0 | 0.5 | 1 | | White cells of allergy and parasites
basophils            | Basophils                          | Basophils          | blood | 10^9/L | x10^9/L | 0.0 | 0.2 | 2 | | The rarest white cells, part of allergic reactions
reticulocytes        | Reticulocyte count                 | Young red cells    | blood | 10^9/L | x10^9/L | 20 | 130 | 0 | | Red cells fresh from the marrow
# iron
iron                 | Iron                               | Serum iron         | blood | umol/L | µmol/L | 10 | 30 | 0 | ug/dL x 0.179 | Iron in circulation at the moment of collection
ferritin             | Ferritin                           | Iron stores        | blood | ug/L   | µg/L | 30  | 300 | 0 | ng/mL x 1 | The store of iron
transferrin          | Transferrin                        | Transferrin        | blood | g/L    |  | 2.0  | 3.6 | 1 | | The protein that carries iron
transferrin-saturation | Transferrin saturation           | Iron saturation    | blood | %      |  | 15   | 45  | 0 | | How full the carriers of iron are
iron-binding-capacity | Total iron binding capacity       | TIBC               | blood | umol/L | µmol/L | 45 | 80 | 0 | | How much iron the blood could carry
# thyroid
tsh                  | Thyroid stimulating hormone        | TSH                | blood | mIU/L  | mU/L | 0.4 | 4.0 | 2 | | The brain's request for thyroid hormone
free-t4              | Free thyroxine                     | Free T4            | blood | pmol/L |  | 10.0 | 20.0 | 1 | ng/dL x 12.87 | The thyroid's stored hormone, unbound
free-t3              | Free triiodothyronine              | Free T3            | blood | pmol/L |  | 3.5  | 6.5 | 1 | pg/mL x 1.536 | The thyroid's active hormone, unbound
reverse-t3           | Reverse triiodothyronine           | Reverse T3         | blood | pmol/L |  | 140  | 540 | 0 | | An inactive form of thyroid hormone
tpo-antibodies       | Thyroid peroxidase antibodies      | TPO antibodies     | blood | kIU/L  | IU/mL |   | 34  | 0 | | Antibodies against an enzyme of the thyroid
thyroglobulin-antibodies | Thyroglobulin antibodies       | Tg antibodies      | blood | kIU/L  | IU/mL |   | 115 | 0 | | Antibodies against a protein of the thyroid
trab                 | TSH receptor antibodies            | TRAb               | blood | IU/L   |  |      | 1.8 | 1 | | Antibodies that can drive the thyroid too hard
# liver
alt                  | Alanine aminotransferase           | ALT                | blood | U/L    |  | 5    | 40  | 0 | | A liver enzyme that leaks when cells are hurt
ast                  | Aspartate aminotransferase         | AST                | blood | U/L    |  | 5    | 35  | 0 | | An enzyme of liver and muscle
alp                  | Alkaline phosphatase               | ALP                | blood | U/L    |  | 30   | 110 | 0 | | An enzyme of bile ducts and bone
ggt                  | Gamma-glutamyl transferase         | GGT                | blood | U/L    |  | 5    | 50  | 0 | | An enzyme that alcohol and bile problems raise
bilirubin            | Bilirubin, total                   | Bilirubin          | blood | umol/L | µmol/L | 3 | 20 | 0 | mg/dL x 17.1 | The yellow remains of old red cells
albumin              | Albumin                            | Albumin            | blood | g/L    |  | 35   | 50  | 0 | g/dL x 10 | The main protein of the blood, made in the liver
total-protein        | Protein, total                     | Total protein      | blood | g/L    |  | 60   | 80  | 0 | g/dL x 10 | Albumin and globulins together
globulin             | Globulin                           | Globulins          | blood | g/L    |  | 23   | 39  | 0 | | Proteins other than albumin, antibodies among them
# kidney
creatinine           | Creatinine                         | Creatinine         | blood | umol/L | µmol/L | 45 | 110 | 0 | mg/dL x 88.42 | Waste from muscle that healthy kidneys clear
egfr                 | Estimated glomerular filtration rate | eGFR             | blood | mL/min/1.73m2 | mL/min/1.73m^2 | 60 | | 0 | | How fast the kidneys filter, worked out from creatinine
urea                 | Urea                               | Urea               | blood | mmol/L |  | 3.0  | 8.0 | 1 | mg/dL x 0.1665 | Waste from protein
urate                | Urate                              | Uric acid          | blood | mmol/L |  | 0.15 | 0.42 | 2 | mg/dL x 0.05948 | Waste that can form crystals in joints
cystatin-c           | Cystatin C                         | Cystatin C         | blood | mg/L   |  | 0.50 | 0.96 | 2 | | A marker of filtering that muscle does not disturb
# electrolytes
sodium               | Sodium                             | Sodium             | blood | mmol/L |  | 135  | 145 | 0 | | The salt that governs the body's water
potassium            | Potassium                          | Potassium          | blood | mmol/L |  | 3.5  | 5.2 | 1 | | The salt that keeps the heart's rhythm
chloride             | Chloride                           | Chloride           | blood | mmol/L |  | 95   | 110 | 0 | | Sodium's counterpart
bicarbonate          | Bicarbonate                        | Bicarbonate        | blood | mmol/L |  | 22   | 32  | 0 | | The buffer that keeps the blood from turning acid
anion-gap            | Anion gap                          | Anion gap          | blood | mmol/L |  | 8    | 16  | 0 | | The difference between measured salts
calcium              | Calcium, total                     | Calcium            | blood | mmol/L |  | 2.10 | 2.60 | 2 | mg/dL x 0.2495 | Calcium in the blood, for nerves, muscle and bone
corrected-calcium    | Calcium, corrected for albumin     | Corrected calcium  | blood | mmol/L |  | 2.10 | 2.60 | 2 | | Calcium as it would be with ordinary albumin
phosphate            | Phosphate                          | Phosphate          | blood | mmol/L |  | 0.75 | 1.50 | 2 | | Calcium's partner in bone
magnesium            | Magnesium                          | Magnesium          | blood | mmol/L |  | 0.70 | 1.10 | 2 | | A mineral that hundreds of enzymes need
`

/** Numeric biomarkers, second half. */
export const NUMERIC_TABLE_TWO = `
# diabetes
fasting-glucose      | Glucose, fasting                   | Fasting blood sugar | blood | mmol/L | | 3.6  | 6.0 | 1 | mg/dL x 0.0555 | Blood sugar after a night without food
hba1c-ifcc           | Haemoglobin A1c (IFCC)             | HbA1c              | blood | mmol/mol | | 20  | 42  | 0 | | Average blood sugar of the last three months
hba1c-ngsp           | Haemoglobin A1c (NGSP)             | HbA1c percentage   | blood | %      |  | 4.0  | 6.0 | 1 | | The same average on the older scale
fasting-insulin      | Insulin, fasting                   | Fasting insulin    | blood | mIU/L  | mU/L | 2 | 12 | 1 | pmol/L x 0.144 | The hormone that moves sugar into cells
homa-ir              | Insulin resistance index (HOMA)    | HOMA-IR            | blood | index  |  |      | 2.0 | 1 | | How hard insulin has to work, from glucose and insulin
c-peptide            | C-peptide                          | C-peptide          | blood | nmol/L |  | 0.26 | 1.00 | 2 | | Shows how much insulin the body makes itself
# vitamins
vitamin-d            | Vitamin D (25-hydroxy)             | Vitamin D          | blood | nmol/L |  | 50   | 150 | 0 | ng/mL x 2.5 | The store of vitamin D from sun and food
vitamin-b12          | Vitamin B12                        | B12                | blood | pmol/L |  | 150  | 700 | 0 | pg/mL x 0.738 | A vitamin for nerves and red cells
active-b12           | Holotranscobalamin                 | Active B12         | blood | pmol/L |  | 35   | 140 | 0 | | The part of vitamin B12 that cells can use
folate               | Folate, serum                      | Folate             | blood | nmol/L |  | 7.0  | 45.0 | 1 | ng/mL x 2.266 | A B vitamin that growing cells need
red-cell-folate      | Folate, red cell                   | Red cell folate    | blood | nmol/L |  | 340  | 1600 | 0 | | Folate over the last months
homocysteine         | Homocysteine                       | Homocysteine       | blood | umol/L | µmol/L | 5 | 15 | 1 | | An amino acid that rises when B vitamins are short
zinc                 | Zinc                               | Zinc               | blood | umol/L | µmol/L | 10 | 18 | 1 | | A mineral for skin and immunity
copper               | Copper                             | Copper             | blood | umol/L | µmol/L | 11 | 22 | 1 | | A mineral that helps to use iron
selenium             | Selenium                           | Selenium           | blood | umol/L | µmol/L | 0.8 | 1.9 | 2 | | A trace element that the thyroid needs
vitamin-a            | Retinol                            | Vitamin A          | blood | umol/L | µmol/L | 1.0 | 3.1 | 1 | | The vitamin of sight and skin
vitamin-e            | Alpha-tocopherol                   | Vitamin E          | blood | umol/L | µmol/L | 12 | 46 | 0 | | A vitamin that protects fats
vitamin-b6           | Pyridoxal phosphate                | Vitamin B6         | blood | nmol/L |  | 20   | 190 | 0 | | A B vitamin for nerves
iodine-urine         | Iodine, urine                      | Urine iodine       | urine-spot | ug/L | µg/L | 100 | 300 | 0 | | How much iodine the diet brings
omega-3-index        | Omega-3 index                      | Omega-3            | blood | %      |  | 8.0  |     | 1 | | The part of red cell fats that is omega-3
# female-hormones
oestradiol           | Oestradiol                         | Estrogen           | blood | pmol/L |  |      |     | 0 | pg/mL x 3.671 | The main oestrogen
progesterone         | Progesterone                       | Progesterone       | blood | nmol/L |  |      |     | 1 | ng/mL x 3.18 | The hormone of the second half of the cycle
lh                   | Luteinising hormone                | LH                 | blood | IU/L   | U/L |    |     | 1 | | The hormone that sets off ovulation
fsh                  | Follicle stimulating hormone       | FSH                | blood | IU/L   | U/L |    |     | 1 | | The hormone that ripens eggs
prolactin            | Prolactin                          | Prolactin          | blood | mIU/L  | mU/L | 85 | 500 | 0 | ng/mL x 21.2 | The hormone of milk
amh                  | Anti-Müllerian hormone             | AMH                | blood | pmol/L |  |      |     | 1 | ng/mL x 7.14 | An estimate of the eggs in reserve
beta-hcg             | Human chorionic gonadotrophin      | Pregnancy hormone  | blood | IU/L   | U/L |    | 5   | 0 | | The hormone of pregnancy
# male-hormones
testosterone         | Testosterone, total                | Testosterone       | blood | nmol/L |  |      |     | 1 | ng/dL x 0.0347 | The main androgen
free-testosterone    | Testosterone, calculated free      | Free testosterone  | blood | pmol/L |  |      |     | 0 | | Testosterone that is not bound
shbg                 | Sex hormone binding globulin       | SHBG               | blood | nmol/L |  | 15   | 100 | 0 | | The protein that binds sex hormones
free-androgen-index  | Free androgen index                | FAI                | blood | %      |  |      |     | 1 | | Testosterone against its binding protein
dihydrotestosterone  | Dihydrotestosterone                | DHT                | blood | nmol/L |  | 0.3  | 3.0 | 2 | | A strong form of testosterone
androstenedione      | Androstenedione                    | Androstenedione    | blood | nmol/L |  | 1.0  | 8.5 | 1 | | A forerunner of testosterone and oestrogen
# adrenal
cortisol-morning     | Cortisol, morning                  | Morning cortisol   | blood | nmol/L |  | 140  | 640 | 0 | ug/dL x 27.59 | The hormone of stress at its daily peak
dhea-sulfate         | Dehydroepiandrosterone sulfate     | DHEA-S             | blood | umol/L | µmol/L | 1.0 | 11.0 | 1 | | An adrenal forerunner of sex hormones
salivary-cortisol    | Cortisol, saliva, midnight         | Night cortisol     | saliva | nmol/L | |      | 8.0 | 1 | | Cortisol when it should be lowest
aldosterone          | Aldosterone                        | Aldosterone        | blood | pmol/L |  | 60   | 980 | 0 | | The hormone that keeps salt
renin                | Renin, direct                      | Renin              | blood | mIU/L  | mU/L | 3 | 40 | 1 | | The kidney's signal for blood pressure
# inflammation
crp                  | C-reactive protein                 | CRP                | blood | mg/L   |  |      | 5.0 | 1 | mg/dL x 10 | Rises within hours of inflammation
hs-crp               | C-reactive protein, high sensitivity | hs-CRP           | blood | mg/L   |  |      | 2.0 | 2 | | Slight inflammation, for the risk of the heart
esr                  | Erythrocyte sedimentation rate     | ESR                | blood | mm/h   | mm/hr | 1  | 20  | 0 | | How fast red cells sink: a slow sign of inflammation
# heart
creatine-kinase      | Creatine kinase                    | CK                 | blood | U/L    |  | 30   | 200 | 0 | | An enzyme that hurt muscle gives off
troponin-i           | Troponin I, high sensitivity       | Troponin           | blood | ng/L   |  |      | 26  | 0 | | A protein that a hurt heart gives off
nt-probnp            | NT-proBNP                          | Heart failure marker | blood | ng/L | |      | 125 | 0 | pmol/L x 8.457 | Rises when the heart is strained
ldh                  | Lactate dehydrogenase              | LDH                | blood | U/L    |  | 120  | 250 | 0 | | An enzyme of many tissues
# coagulation
inr                  | International normalised ratio     | INR                | blood | ratio  |  | 0.9  | 1.2 | 1 | | Clotting time on one scale everywhere
aptt                 | Activated partial thromboplastin time | APTT            | blood | s      | sec | 25 | 38  | 0 | | Clotting time of the inner pathway
fibrinogen           | Fibrinogen                         | Fibrinogen         | blood | g/L    |  | 1.5  | 4.0 | 1 | | The protein that a clot is made of
d-dimer              | D-dimer                            | D-dimer            | blood | mg/L FEU | | | 0.50 | 2 | | Remains of a dissolved clot
# immunity
immunoglobulin-a     | Immunoglobulin A                   | IgA                | blood | g/L    |  | 0.7  | 4.0 | 2 | | Antibodies of the mucous membranes
ttg-iga              | Tissue transglutaminase IgA        | Coeliac antibodies | blood | U/mL   |  |      | 7   | 1 | | The antibody of coeliac disease
immunoglobulin-e     | Immunoglobulin E, total            | IgE                | blood | kU/L   | IU/mL |   | 100 | 0 | | Antibodies of allergy
rheumatoid-factor    | Rheumatoid factor                  | RF                 | blood | kIU/L  | IU/mL |   | 14  | 0 | | An antibody of joint disease
anti-ccp             | Anti-cyclic citrullinated peptide  | Anti-CCP           | blood | U/mL   |  |      | 5   | 1 | | A specific antibody of rheumatoid arthritis
# cancer-markers
psa                  | Prostate specific antigen          | PSA                | blood | ug/L   | µg/L |   | 4.00 | 2 | ng/mL x 1 | A protein of the prostate
ca-125               | Cancer antigen 125                 | CA 125             | blood | kU/L   | U/mL |   | 35  | 0 | | A protein that ovarian disease can raise
cea                  | Carcinoembryonic antigen           | CEA                | blood | ug/L   | µg/L |   | 5.0 | 1 | | A protein that bowel disease can raise
afp                  | Alpha-fetoprotein                  | AFP                | blood | kIU/L  | IU/mL |   | 8   | 0 | | A protein that liver disease can raise
# toxic-metals
lead                 | Lead, whole blood                  | Lead               | blood | umol/L | µmol/L |  | 0.24 | 2 | ug/dL x 0.0483 | Lead from paint, dust or work
mercury              | Mercury, whole blood               | Mercury            | blood | nmol/L |  |      | 50  | 0 | | Mercury, mostly from fish
arsenic-urine        | Arsenic, urine                     | Arsenic            | urine-spot | umol/mol creat | umol/mol creatinine | | 30 | 0 | | Arsenic against the concentration of the urine
# urine
urine-albumin        | Albumin, urine                     | Urine albumin      | urine-spot | mg/L | | | 20 | 1 | | Protein that healthy kidneys hold back
urine-creatinine     | Creatinine, urine                  | Urine creatinine   | urine-spot | mmol/L | | 3.0 | 25.0 | 1 | | How concentrated the urine is
albumin-creatinine-ratio | Albumin to creatinine ratio    | ACR                | urine-spot | mg/mmol | | | 2.5 | 1 | mg/g x 0.113 | The earliest sign of kidney damage
urine-ph             | pH, urine                          | Urine pH           | urine-spot | pH | | 5.0 | 8.0 | 1 | | How acid the urine is
urine-specific-gravity | Specific gravity, urine          | Urine density      | urine-spot | | | 1.005 | 1.030 | 3 | | How dense the urine is
# stool
faecal-calprotectin  | Calprotectin, faecal               | Calprotectin       | stool | ug/g | µg/g | | 50 | 0 | | Inflammation of the bowel
pancreatic-elastase  | Pancreatic elastase, faecal        | Elastase           | stool | ug/g | µg/g | 200 | | 0 | | How well the pancreas digests
`

/** Biomarkers with a text value. */
export const TEXT_TABLE = `
# blood-count
blood-group          | ABO blood group                    | Blood group        | blood | O; A; B; AB | The ABO group
rh-d                 | Rh(D) type                         | Rhesus factor      | blood | Positive; Negative | Whether the D antigen is there
blood-film           | Blood film                         | Blood film         | blood | Normocytic, normochromic red cells. White cells and platelets normal.; Mild anisocytosis. No blasts seen. | What a scientist sees under the microscope
# immunity
ana-pattern          | Antinuclear antibody pattern       | ANA                | blood | Not detected; Speckled, titre 1:80; Homogeneous, titre 1:160 | Antibodies against the nuclei of cells
# infections
hiv-combo            | HIV antigen and antibody           | HIV                | blood | Not detected; Reactive, referred for confirmation | Screens for HIV 1 and 2
hepatitis-b-surface-antigen | Hepatitis B surface antigen | Hepatitis B        | blood | Not detected; Detected | Shows a present hepatitis B infection
hepatitis-c-antibody | Hepatitis C antibody               | Hepatitis C        | blood | Not detected; Detected | Shows a present or past hepatitis C infection
syphilis-antibody    | Syphilis antibody                  | Syphilis           | blood | Non-reactive; Reactive | Screens for syphilis
chlamydia-pcr        | Chlamydia trachomatis PCR          | Chlamydia          | urine-first-catch | Not detected; Detected | Looks for the bacterium's genes
gonorrhoea-pcr       | Neisseria gonorrhoeae PCR          | Gonorrhoea         | urine-first-catch | Not detected; Detected | Looks for the bacterium's genes
hpv-pcr              | Human papillomavirus PCR           | HPV                | swab | Not detected; HPV 16 detected; HPV other detected | Looks for high-risk types of the virus
mrsa-screen          | MRSA screen                        | MRSA               | swab | Not isolated; Isolated | A bacterium that resists many antibiotics
helicobacter-breath  | Urea breath test                   | Helicobacter       | breath | Negative; Positive; Borderline | Shows the stomach bacterium by the breath
# urine
urine-microscopy     | Urine microscopy                   | Urine cells        | urine-spot | No significant cells or casts; Leucocytes 10-100 x10^6/L | Cells seen in the urine
urine-culture        | Urine culture                      | Urine culture      | urine-spot | No significant growth; E. coli > 10^8 cfu/L | Whether germs grow from the urine
# stool
faecal-occult-blood  | Faecal occult blood                | Bowel screen       | stool | Not detected; Detected | Traces of blood that the eye does not see
stool-pathogens-pcr  | Faecal pathogens PCR               | Stool germs        | stool | No pathogens detected; Giardia detected; Campylobacter detected | Looks for the genes of common germs
`
