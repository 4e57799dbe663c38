import { isPrivateHost } from '../../common/private-addresses.js'

/** Whether a webhook may point there. */
export interface UrlPolicy {
  /** Accept loopback hosts, over http too. */
  readonly allowLoopback: boolean
}

/** A webhook's URL as it is stored, or what is wrong with it in words (§2.12, §4.6). Nothing is looked up. */
export function checkWebhookUrl(text: string, policy: UrlPolicy): { url: string } | { problem: string } {
  if (!URL.canParse(text)) return { problem: 'must be a URL' }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return { problem: 'must not carry credentials' }
  if (policy.allowLoopback && /^https?:$/.test(url.protocol) && isLoopback(url.hostname)) {
    return { url: url.href }
  }
  if (url.protocol !== 'https:') return { problem: 'must use https' }
  return isPrivateHost(url.hostname)
    ? { problem: 'must not be a private, loopback, link-local or internal address' }
    : { url: url.href }
}

/** The URL parser has turned decimal, octal and hexadecimal addresses into the usual form already. */
function isLoopback(hostname: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost\.?)$/.test(hostname)
}
