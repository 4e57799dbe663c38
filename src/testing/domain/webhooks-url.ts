import { BlockList, isIP } from 'node:net'

/** Networks that are not the public internet (§4.6): private, loopback, link-local, and what only inner networks use. */
export const INTERNAL_NETWORKS = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
] as const

/** Endings of names that only inner networks answer; a name without a dot is one too. */
export const INTERNAL_NAMES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
] as const

/** Whether a webhook may point there. */
export interface UrlPolicy {
  /** Accept loopback hosts, over http too. */
  readonly allowLoopback: boolean
}

const INTERNAL = blockListOf(INTERNAL_NETWORKS)
const LOOPBACK = blockListOf([
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
])

/** A webhook's URL as it is stored, or what is wrong with it in words (§2.12, §4.6). Nothing is looked up. */
export function checkWebhookUrl(text: string, policy: UrlPolicy): { url: string } | { problem: string } {
  if (!URL.canParse(text)) return { problem: 'must be a URL' }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return { problem: 'must not carry credentials' }
  const host = hostOf(url)
  if (policy.allowLoopback && /^https?:$/.test(url.protocol) && isLoopback(host)) return { url: url.href }
  if (url.protocol !== 'https:') return { problem: 'must use https' }
  const internal = isIP(host) === 0 ? isInternalName(host) : covers(INTERNAL, host)
  return internal
    ? { problem: 'must not be a private, loopback, link-local or internal address' }
    : { url: url.href }
}

function blockListOf(networks: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix, family] of networks) list.addSubnet(network, prefix, family)
  return list
}

/** The URL parser has turned decimal, octal and hexadecimal addresses into the usual form already. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** A mapped IPv4 address is checked as the address it stands for. */
function covers(list: BlockList, host: string): boolean {
  return list.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')
}

function isLoopback(host: string): boolean {
  if (isIP(host) !== 0) return covers(LOOPBACK, host)
  return host === 'localhost' || host.endsWith('.localhost')
}

function isInternalName(host: string): boolean {
  return !host.includes('.') || INTERNAL_NAMES.some((name) => host.endsWith(`.${name}`))
}
