import { BlockList, isIPv4 } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isPrivateAddress, isPrivateHost } from '../../src/common/private-addresses.js'

/** The networks as lists of Node's own BlockList, for comparison. */
const PRIVATE: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['::', 96], // unspecified, loopback, IPv4-compatible
  ['::ffff:0:0', 96], // IPv4-mapped
  ['64:ff9b:1::', 48], // NAT64 of one's own
  ['100::', 64], // discard-only
  ['2001::', 32], // Teredo
  ['2001:2::', 48], // benchmarking
  ['2001:10::', 28], // ORCHID
  ['2001:20::', 28], // ORCHID, version 2
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
  ['5f00::', 16], // segment routing
  ['fc00::', 7], // unique local
  ['fe80::', 10], // link-local
  ['fec0::', 10], // site-local
  ['ff00::', 8], // multicast
]

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6')

/** One list for each family: Node's treats every IPv4 address as one of ::ffff:0:0/96. */
const oracle = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const [network, prefix] of PRIVATE) {
  const family = familyOf(network)
  oracle[family].addSubnet(network, prefix, family)
}

const V4 = fc.ipV4()
const V6 = fc.ipV6()

/** Addresses near the edges of the networks, which detect an incorrect prefix. */
const nearPrivate = fc.constantFrom(...PRIVATE).chain(([network, prefix]) => {
  const bits = isIPv4(network) ? 32 : 128
  const base = bitsOf(network)
  return fc
    .bigInt(-2n, 1n << BigInt(bits - prefix))
    .map((offset) => textOf(BigInt.asUintN(bits, base + offset), bits))
})

function bitsOf(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n)
}

function textOf(value: bigint, bits: number): string {
  const [size, count, radix, separator] = bits === 32 ? [8, 4, 10, '.'] : [16, 8, 16, ':']
  const parts = Array.from({ length: count }, (_, index) =>
    BigInt.asUintN(size, value >> BigInt(bits - size * (index + 1))).toString(radix),
  )
  return parts.join(separator)
}

const hostOf = (address: string): string =>
  new URL(`https://${isIPv4(address) ? address : `[${address}]`}/`).hostname

it("the private addresses of IPv4 are those that Node's BlockList finds in the table", () => {
  fc.assert(
    fc.property(fc.oneof(V4, nearPrivate.filter(isIPv4)), (address) => {
      const expected = oracle.ipv4.check(address, 'ipv4')
      expect(isPrivateAddress(address)).toBe(expected)
      expect(isPrivateHost(hostOf(address))).toBe(expected)
    }),
    { numRuns: 600 },
  )
})

it('the private addresses of IPv6 are at least those of the table, and all that are not global unicast', () => {
  const near = nearPrivate.filter((address) => !isIPv4(address))
  fc.assert(
    fc.property(fc.oneof(V6, near), (address) => {
      const value = bitsOf(hostOf(address).slice(1, -1))
      fc.pre(value >> 32n !== 0x64ff9bn << 64n)
      const isGlobalUnicast = value >> 125n === 1n
      if (oracle.ipv6.check(address, 'ipv6') || !isGlobalUnicast) {
        expect(isPrivateAddress(address)).toBe(true)
        expect(isPrivateHost(hostOf(address))).toBe(true)
      }
    }),
    { numRuns: 600 },
  )
})

it('addresses of a NAT64 gateway are private if their IPv4 address is', () => {
  fc.assert(
    fc.property(fc.oneof(V4, nearPrivate.filter(isIPv4)), (address) => {
      expect(isPrivateAddress(`64:ff9b::${address}`)).toBe(isPrivateAddress(address))
      expect(isPrivateAddress(`64:ff9b:1::${address}`)).toBe(true)
      expect(isPrivateAddress(`64:ff9b::1:${address}`)).toBe(true)
    }),
  )
})

it.each([
  ...['64:ff9b::8.8.8.8', '2606:4700::1111', '2001:4860:4860::8888', '2003::1', '3ffe::1', '3fff:1000::1'],
  ...['2001:200::1', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
])('the address %s is public', (address) => expect(isPrivateAddress(address)).toBe(false))

it.each([
  'fe80::1%eth0',
  'fd00::1%1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '',
  'example.com',
  '1.2.3',
  '::g',
])('the result of a name lookup, %j, is private or not an address', (address) =>
  expect(isPrivateAddress(address)).toBe(true),
)

it('private addresses are recognised in every spelling that the URL parser accepts', () => {
  const spellings = V4.map((address) => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
    const hex = (part: number): string => `0x${part.toString(16)}`
    const octal = (part: number): string => `0${part.toString(8)}`
    return {
      address,
      spelt: [
        [a, b, c, d].map(hex).join('.'),
        [a, b, c, d].map(octal).join('.'),
        [a, b, c * 256 + d].join('.'),
        [a, hex((b * 256 + c) * 256 + d)].join('.'),
        String(((a * 256 + b) * 256 + c) * 256 + d),
        hex(((a * 256 + b) * 256 + c) * 256 + d),
        `${address}.`,
        address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
      ],
    }
  })
  fc.assert(
    fc.property(spellings, ({ address, spelt }) => {
      for (const host of spelt) {
        expect(isPrivateHost(new URL(`https://${host}/`).hostname)).toBe(isPrivateAddress(address))
      }
    }),
  )
})

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/)

it('private names are names without a dot, and names of internal networks, with a trailing dot or without', () => {
  const endings = ['localhost', 'local', 'internal', 'home.arpa', 'lan', 'corp', 'intranet', 'localdomain']
  fc.assert(
    fc.property(label, fc.constantFrom(...endings), fc.boolean(), (first, ending, dot) => {
      const end = dot ? '.' : ''
      for (const name of [ending, `${first}.${ending}`, `a.${first}.${ending}`]) {
        expect(isPrivateHost(`${name}${end}`)).toBe(true)
      }
      if (!/^\d+$|^0x/.test(first)) expect(isPrivateHost(`${first}${end}`)).toBe(true)
    }),
  )
})

it('private names do not include other names, whatever they begin with', () => {
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), fc.boolean(), (labels, dot) => {
      expect(isPrivateHost(`${labels.join('.')}.example.com${dot ? '.' : ''}`)).toBe(false)
    }),
  )
})

it.each([
  ...['10.cdn.example.com', 'fd-example.com', '10.0.0.1.example.com', 'fe80.example.com', '192.168.com'],
  ...['local.example.com', 'thelocal.com', 'notinternal.com', 'xn--bcher-kva.example'],
])('the name %s is public', (name) => expect(isPrivateHost(new URL(`https://${name}/`).hostname)).toBe(false))

it.each(['files..', '.', 'files.example.com..'])('the name %j with an empty label is rejected', (name) =>
  expect(isPrivateHost(name)).toBe(true),
)
