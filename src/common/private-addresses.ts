type Network = readonly [address: string, prefix: number]

/** IPv4 networks outside the public internet, from IANA's registry of special-purpose addresses, and multicast. */
const PRIVATE_IPV4: readonly Network[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private use
  ['100.64.0.0', 10], // shared address space of carriers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['172.16.0.0', 12], // private use
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private use
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]

/**
 * IPv6 networks outside the public internet. All public addresses are in 2000::/3. The first three networks contain all
 * addresses outside 2000::/3.
 */
const PRIVATE_IPV6: readonly Network[] = [
  ['::', 3], // unspecified, loopback, IPv4-compatible and IPv4-mapped, local-use NAT64 (64:ff9b:1::/48), discard-only
  ['4000::', 2], // not assigned
  ['8000::', 1], // unique local, link-local, site-local, multicast
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
]

/** Suffixes of names that only private networks resolve. A name without a dot is private too. */
const PRIVATE_NAMES = [
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

/**
 * Returns `true` when a URL's host is a private address or a private name. The URL parser has already normalised every
 * notation of an IPv4 address (octal, hexadecimal, short).
 *
 * @param hostname - The `hostname` of a `URL` with the protocol http or https.
 */
export function isPrivateHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return isPrivateAddress(hostname.slice(1, -1))
  if (IPV4.test(hostname)) return isPrivateAddress(hostname)
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  if (!name.includes('.') || name.endsWith('.')) return true
  return PRIVATE_NAMES.some((ending) => name === ending || name.endsWith(`.${ending}`))
}

/** 64:ff9b::/96: the gateway of an IPv6 network (NAT64) forwards to the IPv4 address in the last 32 bits. */
const NAT64 = 0x64ff9bn << 64n

/** Returns `true` when an IP address is not public. A text that is not an IP address counts as private. */
export function isPrivateAddress(address: string): boolean {
  const value = parseAddress(address)
  if (value === undefined) return true
  if (IPV4.test(address)) return isInAny(value, 32, PRIVATE_IPV4)
  if (value >> 32n === NAT64) return isInAny(value & 0xffff_ffffn, 32, PRIVATE_IPV4)
  return isInAny(value, 128, PRIVATE_IPV6)
}

function isInAny(value: bigint, bits: number, networks: readonly Network[]): boolean {
  return networks.some(([network, prefix]) => {
    const shift = BigInt(bits - prefix)
    return value >> shift === (parseAddress(network) ?? 0n) >> shift
  })
}

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/

function parseAddress(address: string): bigint | undefined {
  return IPV4.test(address) ? joined(address.split('.').map(Number), 8n) : parseIpv6(address)
}

function parseIpv6(address: string): bigint | undefined {
  const [withoutZone] = address.split('%')
  const url = `http://[${withoutZone}]`
  if (!URL.canParse(url)) return undefined
  const [head = '', tail = ''] = new URL(url).hostname.slice(1, -1).split('::')
  const [left, right] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0)
  return joined([...left, ...zeros, ...right], 16n)
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}

function joined(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) | BigInt(part), 0n)
}
