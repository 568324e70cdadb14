import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';

/** Protected header as Go clients and runners write it. */
const HEADER = base64url('{"alg":"dir","enc":"A128GCM","typ":"JWT"}');
/** A credential lives this long, in seconds (`agent-protocol 1.5`). */
const LIFETIME = 20 * 60;

/** The 32 hexadecimal characters of a token, from the form that the command line prints. */
export function inner(token: string): string {
  return Buffer.from(token, 'base64').toString('ascii').trim();
}

/** The hint that runners send beside a credential (`agent-protocol 1.9`). */
export function tokenHash(hex: string): string {
  return createHash('sha256').update(hex).digest('hex');
}

/** A credential for `account`, encrypted under the token's own bytes (`agent-protocol 1.4`). */
export function credential(hex: string, account: string): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { aud: ['audience'], exp: iat + LIFETIME, iat, iss: 'issuer', jti: randomUUID(), sub: account };
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-128-gcm', Buffer.from(hex, 'hex'), iv);
  cipher.setAAD(Buffer.from(HEADER, 'ascii'));
  const text = Buffer.concat([cipher.update(JSON.stringify(claims)), cipher.final()]);
  return [HEADER, '', ...[iv, text, cipher.getAuthTag()].map(base64url)].join('.');
}

function base64url(bytes: Buffer | string): string {
  return Buffer.from(bytes).toString('base64url');
}
