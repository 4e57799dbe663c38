import { cellOf, numberCell, readTable } from './tables.js'

/** A town or suburb with approximate coordinates. */
export interface Town {
  readonly name: string
  readonly state: string
  /** Four digits, with leading zeros. */
  readonly postcode: string
  readonly lat: number
  readonly lng: number
  /** Relative number of collection centres, compared to the other towns. */
  readonly weight: number
}

/* Columns: name | postcode | latitude | longitude | weight. A line that begins with # names the state. */
const TOWN_TABLE = `
# NSW
Sydney            | 2000 | -33.8688 | 151.2093 | 12
Parramatta        | 2150 | -33.8150 | 151.0011 | 9
Bondi Junction    | 2022 | -33.8929 | 151.2474 | 6
Newtown           | 2042 | -33.8980 | 151.1790 | 5
Chatswood         | 2067 | -33.7969 | 151.1803 | 7
Hornsby           | 2077 | -33.7025 | 151.0993 | 5
Manly             | 2095 | -33.7969 | 151.2840 | 4
Dee Why           | 2099 | -33.7535 | 151.2860 | 4
Castle Hill       | 2154 | -33.7319 | 151.0042 | 6
Blacktown         | 2148 | -33.7710 | 150.9063 | 7
Penrith           | 2750 | -33.7511 | 150.6942 | 7
Liverpool         | 2170 | -33.9209 | 150.9231 | 7
Campbelltown      | 2560 | -34.0650 | 150.8142 | 6
Bankstown         | 2200 | -33.9173 | 151.0349 | 6
Hurstville        | 2220 | -33.9670 | 151.1020 | 6
Kogarah           | 2217 | -33.9630 | 151.1330 | 4
Miranda           | 2228 | -34.0340 | 151.1010 | 4
Randwick          | 2031 | -33.9144 | 151.2410 | 5
Burwood           | 2134 | -33.8774 | 151.1037 | 4
Ryde              | 2112 | -33.8150 | 151.1030 | 4
Gosford           | 2250 | -33.4269 | 151.3428 | 5
Wyong             | 2259 | -33.2830 | 151.4230 | 3
Newcastle         | 2300 | -32.9283 | 151.7817 | 7
Charlestown       | 2290 | -32.9640 | 151.6930 | 3
Maitland          | 2320 | -32.7330 | 151.5570 | 4
Cessnock          | 2325 | -32.8340 | 151.3550 | 2
Wollongong        | 2500 | -34.4278 | 150.8931 | 7
Shellharbour      | 2529 | -34.5790 | 150.8680 | 3
Nowra             | 2541 | -34.8810 | 150.6000 | 3
Ulladulla         | 2539 | -35.3580 | 150.4740 | 1
Batemans Bay      | 2536 | -35.7080 | 150.1740 | 2
Bega              | 2550 | -36.6740 | 149.8420 | 1
Queanbeyan        | 2620 | -35.3530 | 149.2340 | 3
Goulburn          | 2580 | -34.7540 | 149.7190 | 2
Bowral            | 2576 | -34.4780 | 150.4180 | 2
Bathurst          | 2795 | -33.4190 | 149.5780 | 3
Orange            | 2800 | -33.2840 | 149.1000 | 4
Dubbo             | 2830 | -32.2569 | 148.6011 | 4
Mudgee            | 2850 | -32.5910 | 149.5870 | 1
Parkes            | 2870 | -33.1370 | 148.1740 | 1
Tamworth          | 2340 | -31.0927 | 150.9320 | 4
Armidale          | 2350 | -30.5130 | 151.6690 | 2
Inverell          | 2360 | -29.7760 | 151.1120 | 1
Moree             | 2400 | -29.4650 | 149.8420 | 1
Port Macquarie    | 2444 | -31.4333 | 152.9000 | 4
Taree             | 2430 | -31.9110 | 152.4540 | 2
Forster           | 2428 | -32.1810 | 152.5110 | 2
Kempsey           | 2440 | -31.0790 | 152.8310 | 1
Coffs Harbour     | 2450 | -30.2963 | 153.1135 | 4
Grafton           | 2460 | -29.6910 | 152.9330 | 2
Lismore           | 2480 | -28.8135 | 153.2773 | 3
Ballina           | 2478 | -28.8670 | 153.5650 | 2
Byron Bay         | 2481 | -28.6474 | 153.6020 | 2
Tweed Heads       | 2485 | -28.1760 | 153.5420 | 4
Wagga Wagga       | 2650 | -35.1082 | 147.3598 | 4
Albury            | 2640 | -36.0737 | 146.9135 | 4
Griffith          | 2680 | -34.2890 | 146.0400 | 2
Broken Hill       | 2880 | -31.9505 | 141.4533 | 2
Deniliquin        | 2710 | -35.5280 | 144.9590 | 1
Cooma             | 2630 | -36.2350 | 149.1250 | 1
Bourke            | 2840 | -30.0900 | 145.9360 | 1
# VIC
Melbourne         | 3000 | -37.8136 | 144.9631 | 12
Carlton           | 3053 | -37.8000 | 144.9670 | 4
Richmond          | 3121 | -37.8230 | 144.9980 | 5
St Kilda          | 3182 | -37.8640 | 144.9820 | 4
Footscray         | 3011 | -37.8000 | 144.8990 | 5
Brunswick         | 3056 | -37.7670 | 144.9600 | 4
Preston           | 3072 | -37.7440 | 145.0170 | 5
Heidelberg        | 3084 | -37.7560 | 145.0670 | 4
Box Hill          | 3128 | -37.8190 | 145.1250 | 6
Ringwood          | 3134 | -37.8140 | 145.2290 | 5
Glen Waverley     | 3150 | -37.8780 | 145.1640 | 5
Clayton           | 3168 | -37.9240 | 145.1200 | 5
Dandenong         | 3175 | -37.9870 | 145.2150 | 6
Berwick           | 3806 | -38.0310 | 145.3450 | 4
Frankston         | 3199 | -38.1440 | 145.1260 | 6
Mornington        | 3931 | -38.2180 | 145.0380 | 3
Rosebud           | 3939 | -38.3570 | 144.9070 | 2
Cheltenham        | 3192 | -37.9680 | 145.0550 | 4
Brighton          | 3186 | -37.9060 | 144.9900 | 3
Hawthorn          | 3122 | -37.8220 | 145.0340 | 4
Werribee          | 3030 | -37.8990 | 144.6610 | 6
Sunshine          | 3020 | -37.7880 | 144.8330 | 5
Melton            | 3337 | -37.6830 | 144.5830 | 3
Sunbury           | 3429 | -37.5770 | 144.7280 | 2
Craigieburn       | 3064 | -37.6000 | 144.9410 | 4
Epping            | 3076 | -37.6500 | 145.0250 | 4
Lilydale          | 3140 | -37.7570 | 145.3540 | 3
Pakenham          | 3810 | -38.0710 | 145.4870 | 3
Geelong           | 3220 | -38.1499 | 144.3617 | 7
Torquay           | 3228 | -38.3300 | 144.3260 | 1
Colac             | 3250 | -38.3400 | 143.5850 | 1
Warrnambool       | 3280 | -38.3830 | 142.4830 | 3
Portland          | 3305 | -38.3460 | 141.6040 | 1
Hamilton          | 3300 | -37.7440 | 142.0220 | 1
Ballarat          | 3350 | -37.5622 | 143.8503 | 6
Bendigo           | 3550 | -36.7570 | 144.2794 | 6
Castlemaine       | 3450 | -37.0640 | 144.2170 | 1
Echuca            | 3564 | -36.1400 | 144.7500 | 2
Shepparton        | 3630 | -36.3805 | 145.3990 | 4
Wangaratta        | 3677 | -36.3580 | 146.3120 | 2
Wodonga           | 3690 | -36.1210 | 146.8880 | 3
Mildura           | 3500 | -34.2080 | 142.1240 | 3
Swan Hill         | 3585 | -35.3380 | 143.5540 | 1
Horsham           | 3400 | -36.7120 | 142.2000 | 2
Traralgon         | 3844 | -38.1950 | 146.5400 | 3
Sale              | 3850 | -38.1110 | 147.0680 | 2
Bairnsdale        | 3875 | -37.8250 | 147.6290 | 2
Warragul          | 3820 | -38.1590 | 145.9310 | 2
Wonthaggi         | 3995 | -38.6060 | 145.5920 | 1
# QLD
Brisbane          | 4000 | -27.4698 | 153.0251 | 10
Spring Hill       | 4000 | -27.4600 | 153.0230 | 4
South Brisbane    | 4101 | -27.4800 | 153.0200 | 4
Chermside         | 4032 | -27.3860 | 153.0310 | 6
Indooroopilly     | 4068 | -27.5000 | 152.9730 | 4
Mount Gravatt     | 4122 | -27.5400 | 153.0800 | 5
Carindale         | 4152 | -27.5050 | 153.1020 | 3
Sunnybank         | 4109 | -27.5790 | 153.0610 | 4
Logan Central     | 4114 | -27.6390 | 153.1090 | 4
Beenleigh         | 4207 | -27.7110 | 153.2030 | 3
Ipswich           | 4305 | -27.6144 | 152.7609 | 5
Springfield       | 4300 | -27.6800 | 152.9150 | 3
Redcliffe         | 4020 | -27.2300 | 153.1000 | 3
North Lakes       | 4509 | -27.2310 | 153.0160 | 4
Caboolture        | 4510 | -27.0850 | 152.9510 | 4
Cleveland         | 4163 | -27.5270 | 153.2650 | 3
Southport         | 4215 | -27.9670 | 153.4000 | 7
Robina            | 4226 | -28.0710 | 153.3930 | 4
Burleigh Heads    | 4220 | -28.0890 | 153.4480 | 3
Coolangatta       | 4225 | -28.1680 | 153.5360 | 2
Nerang            | 4211 | -27.9890 | 153.3360 | 3
Maroochydore      | 4558 | -26.6560 | 153.0880 | 4
Caloundra         | 4551 | -26.8030 | 153.1220 | 4
Nambour           | 4560 | -26.6270 | 152.9590 | 3
Noosa Heads       | 4567 | -26.3940 | 153.0900 | 2
Gympie            | 4570 | -26.1890 | 152.6660 | 2
Toowoomba         | 4350 | -27.5598 | 151.9507 | 7
Warwick           | 4370 | -28.2150 | 152.0340 | 1
Dalby             | 4405 | -27.1810 | 151.2620 | 1
Roma              | 4455 | -26.5730 | 148.7870 | 1
Kingaroy          | 4610 | -26.5400 | 151.8400 | 1
Maryborough       | 4650 | -25.5400 | 152.7020 | 2
Hervey Bay        | 4655 | -25.2900 | 152.8500 | 4
Bundaberg         | 4670 | -24.8661 | 152.3489 | 4
Gladstone         | 4680 | -23.8430 | 151.2560 | 3
Rockhampton       | 4700 | -23.3791 | 150.5100 | 5
Yeppoon           | 4703 | -23.1330 | 150.7440 | 1
Emerald           | 4720 | -23.5270 | 148.1640 | 1
Longreach         | 4730 | -23.4400 | 144.2500 | 1
Mackay            | 4740 | -21.1411 | 149.1860 | 5
Airlie Beach      | 4802 | -20.2690 | 148.7180 | 1
Bowen             | 4805 | -20.0130 | 148.2470 | 1
Townsville        | 4810 | -19.2590 | 146.8169 | 6
Ayr               | 4807 | -19.5740 | 147.4060 | 1
Ingham            | 4850 | -18.6490 | 146.1540 | 1
Innisfail         | 4860 | -17.5240 | 146.0310 | 1
Cairns            | 4870 | -16.9186 | 145.7781 | 6
Atherton          | 4883 | -17.2680 | 145.4760 | 1
Mareeba           | 4880 | -16.9970 | 145.4230 | 1
Mount Isa         | 4825 | -20.7256 | 139.4927 | 2
# SA
Adelaide          | 5000 | -34.9285 | 138.6007 | 10
North Adelaide    | 5006 | -34.9070 | 138.5930 | 4
Norwood           | 5067 | -34.9210 | 138.6340 | 4
Glenelg           | 5045 | -34.9800 | 138.5150 | 4
Marion            | 5043 | -35.0060 | 138.5560 | 4
Modbury           | 5092 | -34.8330 | 138.6830 | 4
Salisbury         | 5108 | -34.7640 | 138.6440 | 4
Elizabeth         | 5112 | -34.7180 | 138.6700 | 4
Port Adelaide     | 5015 | -34.8460 | 138.5030 | 3
Woodville         | 5011 | -34.8770 | 138.5430 | 3
Morphett Vale     | 5162 | -35.1250 | 138.5230 | 3
Noarlunga Centre  | 5168 | -35.1400 | 138.4970 | 3
Mount Barker      | 5251 | -35.0660 | 138.8580 | 3
Gawler            | 5118 | -34.5980 | 138.7450 | 2
Nuriootpa         | 5355 | -34.4700 | 138.9960 | 1
Victor Harbor     | 5211 | -35.5520 | 138.6220 | 2
Murray Bridge     | 5253 | -35.1190 | 139.2730 | 2
Mount Gambier     | 5290 | -37.8284 | 140.7804 | 3
Naracoorte        | 5271 | -36.9580 | 140.7430 | 1
Port Pirie        | 5540 | -33.1860 | 138.0170 | 2
Port Augusta      | 5700 | -32.4930 | 137.7650 | 2
Whyalla           | 5600 | -33.0330 | 137.5830 | 2
Port Lincoln      | 5606 | -34.7320 | 135.8590 | 2
Ceduna            | 5690 | -32.1260 | 133.6730 | 1
Kadina            | 5554 | -33.9640 | 137.7150 | 1
Berri             | 5343 | -34.2830 | 140.6000 | 1
Coober Pedy       | 5723 | -29.0130 | 134.7540 | 1
Kingscote         | 5223 | -35.6570 | 137.6380 | 1
# WA
Perth             | 6000 | -31.9523 | 115.8613 | 9
Subiaco           | 6008 | -31.9490 | 115.8270 | 5
Fremantle         | 6160 | -32.0569 | 115.7439 | 5
Nedlands          | 6009 | -31.9810 | 115.8070 | 3
Morley            | 6062 | -31.8870 | 115.9070 | 4
Joondalup         | 6027 | -31.7450 | 115.7660 | 6
Wanneroo          | 6065 | -31.7480 | 115.8030 | 3
Midland           | 6056 | -31.8880 | 116.0100 | 4
Cannington        | 6107 | -32.0170 | 115.9340 | 4
Armadale          | 6112 | -32.1530 | 116.0150 | 4
Murdoch           | 6150 | -32.0690 | 115.8370 | 3
Rockingham        | 6168 | -32.2770 | 115.7300 | 5
Mandurah          | 6210 | -32.5269 | 115.7217 | 5
Bunbury           | 6230 | -33.3271 | 115.6414 | 4
Busselton         | 6280 | -33.6530 | 115.3460 | 3
Margaret River    | 6285 | -33.9550 | 115.0750 | 1
Collie            | 6225 | -33.3620 | 116.1560 | 1
Albany            | 6330 | -35.0269 | 117.8837 | 3
Esperance         | 6450 | -33.8610 | 121.8910 | 1
Kalgoorlie        | 6430 | -30.7490 | 121.4660 | 3
Northam           | 6401 | -31.6530 | 116.6710 | 1
Geraldton         | 6530 | -28.7774 | 114.6150 | 3
Carnarvon         | 6701 | -24.8840 | 113.6570 | 1
Karratha          | 6714 | -20.7360 | 116.8460 | 2
Port Hedland      | 6721 | -20.3120 | 118.6110 | 1
Newman            | 6753 | -23.3570 | 119.7310 | 1
Broome            | 6725 | -17.9614 | 122.2359 | 2
Kununurra         | 6743 | -15.7730 | 128.7390 | 1
# TAS
Hobart            | 7000 | -42.8821 | 147.3272 | 7
Glenorchy         | 7010 | -42.8330 | 147.2760 | 4
Rosny Park        | 7018 | -42.8670 | 147.3600 | 2
Kingston          | 7050 | -42.9770 | 147.3080 | 3
Huonville         | 7109 | -43.0310 | 147.0480 | 1
New Norfolk       | 7140 | -42.7830 | 147.0590 | 1
Sorell            | 7172 | -42.7790 | 147.5620 | 1
Launceston        | 7250 | -41.4332 | 147.1441 | 6
Mowbray           | 7248 | -41.4020 | 147.1400 | 1
George Town       | 7253 | -41.1030 | 146.8250 | 1
Scottsdale        | 7260 | -41.1610 | 147.5170 | 1
Devonport         | 7310 | -41.1770 | 146.3510 | 3
Ulverstone        | 7315 | -41.1590 | 146.1720 | 1
Burnie            | 7320 | -41.0550 | 145.9060 | 3
Smithton          | 7330 | -40.8440 | 145.1210 | 1
Queenstown        | 7467 | -42.0810 | 145.5560 | 1
St Helens         | 7216 | -41.3200 | 148.2480 | 1
# NT
Darwin            | 0800 | -12.4634 | 130.8456 | 5
Parap             | 0820 | -12.4310 | 130.8430 | 2
Casuarina         | 0810 | -12.3740 | 130.8820 | 3
Nightcliff        | 0810 | -12.3830 | 130.8520 | 1
Palmerston        | 0830 | -12.4860 | 130.9830 | 3
Humpty Doo        | 0836 | -12.5760 | 131.1110 | 1
Katherine         | 0850 | -14.4650 | 132.2640 | 2
Tennant Creek     | 0860 | -19.6480 | 134.1900 | 1
Alice Springs     | 0870 | -23.6980 | 133.8807 | 3
Nhulunbuy         | 0880 | -12.1810 | 136.7780 | 1
# ACT
Canberra          | 2601 | -35.2809 | 149.1300 | 6
Braddon           | 2612 | -35.2710 | 149.1350 | 2
Belconnen         | 2617 | -35.2390 | 149.0660 | 5
Bruce             | 2617 | -35.2440 | 149.0880 | 2
Gungahlin         | 2912 | -35.1850 | 149.1330 | 4
Dickson           | 2602 | -35.2510 | 149.1400 | 2
Deakin            | 2600 | -35.3210 | 149.1020 | 3
Phillip           | 2606 | -35.3500 | 149.0920 | 4
Greenway          | 2900 | -35.4170 | 149.0670 | 3
Weston            | 2611 | -35.3390 | 149.0580 | 2
`

/** Returns towns and suburbs of every state and territory. */
export function readTowns(): Town[] {
  let state = ''
  const towns: Town[] = []
  for (const row of readTable(TOWN_TABLE)) {
    const heading = /^# (.+)$/.exec(cellOf(row, 0))?.[1]
    if (heading === undefined) {
      towns.push({
        name: cellOf(row, 0),
        state,
        postcode: cellOf(row, 1),
        lat: numberCell(row, 2),
        lng: numberCell(row, 3),
        weight: numberCell(row, 4),
      })
    } else {
      state = heading
    }
  }
  return towns
}
