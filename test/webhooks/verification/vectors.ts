/** An invented signing secret. */
export const SECRET = 'whsec-test-5d0a7c1e'
/** The secret that replaces it. */
export const NEXT_SECRET = 'whsec-test-5d0a7c1e-next'

export interface Vector {
  readonly title: string
  readonly body: string
  readonly secret: string
  /** Printed by `openssl dgst -sha256 -hmac <secret>` over the body's bytes. */
  readonly signature: string
  readonly eventName: string
}

const ISSUED =
  '{"eventName":"referral.issued","eventUuid":"7c0e8a52-3f0b-4c7d-9b58-2d3a54f6a001","version":"1.0","data":{"uuid":"b7f4c1d2-6a3e-4f58-8e21-90cf3a6d4e10","status":"ISSUED","reference":"10482233"}}'

export const ISSUED_VECTOR: Vector = {
  title: 'plain text',
  body: ISSUED,
  secret: SECRET,
  signature: '4776e70289909ca06ac7ac21b9c834e0e8f9353db2c8c21df71d3d0170cc571c',
  eventName: 'referral.issued',
}

export const VECTORS: readonly Vector[] = [
  ISSUED_VECTOR,
  {
    title: 'the next secret',
    body: ISSUED,
    secret: NEXT_SECRET,
    signature: 'b513dacfc96586c17b5ddfa0f945923c6edbd1b39865365a8278ca34161ef1f5',
    eventName: 'referral.issued',
  },
  {
    title: 'a secret that is not ASCII',
    body: ISSUED,
    secret: 'sëcret-病',
    signature: '98f6f7526ed55fac4e25c6e3181beaa9388ba556624703fad8f4250746ab8fe5',
    eventName: 'referral.issued',
  },
  {
    title: 'a body of one to four bytes a character',
    body: '{"eventName":"referral.created","eventUuid":"7c0e8a52-3f0b-4c7d-9b58-2d3a54f6a002","version":"1.0","data":{"uuid":"b7f4c1d2-6a3e-4f58-8e21-90cf3a6d4e10","metadata":{"ward":"Zoë’s 病棟 🩸"}}}',
    secret: SECRET,
    signature: 'd133e55ec485eb5fab6ee79627c1b6ffcb7602a5e287f93d616d1d6f0e921059',
    eventName: 'referral.created',
  },
  {
    title: 'white space and key order of its own',
    body: '{ "eventName" : "result.updated",\r\n  "version":"1.0", "eventUuid":"7c0e8a52-3f0b-4c7d-9b58-2d3a54f6a003",\n\t"data" : { } }\n',
    secret: SECRET,
    signature: '6de29b2ab8751c5392f4d4b89b357c6831b810412b1a7b1ffe13ecce71a8ace3',
    eventName: 'result.updated',
  },
]
