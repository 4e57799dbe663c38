/** One value of a biomarker, in its canonical unit. */
export interface TrendPoint {
  readonly name: string
  readonly unit: string
  readonly number: number
  readonly low: number | null
  readonly high: number | null
}

const HEIGHT = 8

/** Draws values from left to right as text: `●` is a value, and `·` is a limit of the reference interval. */
export function drawTrend(points: readonly TrendPoint[]): string {
  const [first] = points
  if (first === undefined) return 'no values'
  const numbers = points.flatMap(({ number, low, high }) => [number, low ?? number, high ?? number])
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  const rowOf = (value: number): number =>
    most === least ? 0 : Math.round(((value - least) / (most - least)) * (HEIGHT - 1))
  const lines = Array.from({ length: HEIGHT }, (_, index) => {
    const row = HEIGHT - 1 - index
    const cells = points.map(({ number, low, high }) => {
      if (rowOf(number) === row) return '●'
      return [low, high].some((limit) => limit !== null && rowOf(limit) === row) ? '·' : ' '
    })
    const value = least + (row / (HEIGHT - 1)) * (most - least)
    return `${value.toFixed(1).padStart(9)} ┤ ${cells.join(' ')}`
  })
  return [`${first.name} in ${first.unit}, ${points.length} results`, ...lines].join('\n')
}
