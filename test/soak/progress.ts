const STEPS = 10

/** Shows the progress of a soak: one line that changes in a terminal, otherwise a line for each tenth. */
export function progressTo(stream: NodeJS.WriteStream, whole: number): (calls: number) => void {
  const startedAt = performance.now()
  let shown = -1
  return (calls) => {
    const share = Math.min(1, calls / whole)
    const step = Math.floor(share * (stream.isTTY ? 100 : STEPS))
    if (step === shown) return
    shown = step
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    const line = `${String(Math.round(share * 100)).padStart(3)} %  ${calls} of ${whole} calls, ${seconds} s`
    stream.write(stream.isTTY ? `\r${bar(share)} ${line}${share === 1 ? '\n' : ''}` : `${line}\n`)
  }
}

function bar(share: number): string {
  const full = Math.round(share * 30)
  return `${'█'.repeat(full)}${'░'.repeat(30 - full)}`
}
