import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CodeBlock, ROOT } from './blocks.js'

const FOLDER = join(ROOT, 'test', 'docs', '.run')

/** Runs a block as a separate module. Rejects with the error that it throws. */
export async function runBlock(block: CodeBlock): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  const name = `${block.page.replaceAll(/[^a-z0-9]+/gi, '-')}-${block.line}.${block.language}`
  const path = join(FOLDER, name)
  await writeFile(path, `${block.code}\nexport {}\n`)
  try {
    await import(/* @vite-ignore */ pathToFileURL(path).href)
  } finally {
    await rm(path, { force: true })
  }
}

export async function removeRunFolder(): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true })
}
