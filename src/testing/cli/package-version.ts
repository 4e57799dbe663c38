import { requireFromHere } from '../server/runtime.js'

/** Where the package's manifest is, seen from a built file and from a source file. */
const MANIFESTS = ['../package.json', '../../../package.json']

/** The version of the package that this file belongs to. */
export function packageVersion(): string {
  for (const path of MANIFESTS) {
    const { name, version } = readManifest(path)
    if (name === 'pathology-sdk' && typeof version === 'string') return version
  }
  throw new Error('the package has no manifest')
}

function readManifest(path: string): { readonly name?: unknown; readonly version?: unknown } {
  try {
    return requireFromHere(path)
  } catch {
    return {}
  }
}
