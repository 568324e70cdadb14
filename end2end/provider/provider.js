// An identity provider for tests: oidc-provider with fixed people, sign-in without questions, and ways to misbehave.
//
//   node provider.js --client ID --secret SECRET --redirect URL [--port PORT]
//
// Prints {"issuer": URL} when it listens, and ends when its standard input does. A request with `login_hint` signs
// that person in at once; without, a page asks who it should be. `ana+wrong-nonce` is ana with a fault.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

import { SignJWT, decodeJwt, exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

const { values: args } = parseArgs({
  options: {
    client: { type: 'string' },
    secret: { type: 'string' },
    redirect: { type: 'string', multiple: true },
    port: { type: 'string', default: '0' },
  },
});
if (!args.client || !args.secret || !args.redirect) {
  console.error('needed: --client, --secret, --redirect');
  process.exit(2);
}

// What is known of people beside their name.
const people = {
  ana: { email: 'ana@acme.example', email_verified: true, name: 'Ana Lima', groups: ['fleet-admins', 'everyone'] },
  bo: { email: 'bo@acme.example', name: 'Bo', groups: 'everyone' },
  stranger: { email: 'stranger@acme.example', email_verified: true, name: 'Stranger', groups: ['visitors'] },
  nomail: { name: 'No Mail', groups: ['everyone'] },
  unverified: { email: 'boss@acme.example', email_verified: false, name: 'Unverified', groups: ['fleet-admins'] },
};

async function key(kid) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const about = { kid, alg: 'RS256', use: 'sig' };
  return {
    kid,
    privateKey,
    private: { ...(await exportJWK(privateKey)), ...about },
    public: { ...(await exportJWK(publicKey)), ...about },
  };
}

// The first signs. The second comes into use with the first `+new-key`; nobody has ever seen the third.
const first = await key('first');
const second = await key('second');
const forged = await key('forged');
let rotated = false;

const now = () => Math.floor(Date.now() / 1000);

// How an ID token is changed and by which key it is signed then.
const faults = {
  'wrong-nonce': (claims) => ({ claims: { ...claims, nonce: 'another' } }),
  'no-nonce': ({ nonce, ...claims }) => ({ claims }),
  'wrong-issuer': (claims) => ({ claims: { ...claims, iss: 'https://evil.example' } }),
  'wrong-audience': (claims) => ({ claims: { ...claims, aud: 'another' } }),
  'more-audiences': (claims) => ({ claims: { ...claims, aud: [claims.aud, 'another'], azp: claims.aud } }),
  'wrong-party': (claims) => ({ claims: { ...claims, azp: 'another' } }),
  expired: (claims) => ({ claims: { ...claims, iat: now() - 3600, exp: now() - 120 } }),
  'expired-a-moment-ago': (claims) => ({ claims: { ...claims, iat: now() - 3600, exp: now() - 20 } }),
  future: (claims) => ({ claims: { ...claims, iat: now() + 600, exp: now() + 4200 } }),
  'wrong-hash': (claims) => ({ claims: { ...claims, at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' } }),
  'bad-signature': (claims) => ({ claims, signer: { ...forged, kid: first.kid } }),
  'unknown-key': (claims) => ({ claims, signer: forged }),
  'new-key': (claims) => {
    rotated = true;
    return { claims, signer: second };
  },
  'shared-secret': (claims) => ({
    claims,
    signer: { privateKey: new TextEncoder().encode(args.secret), alg: 'HS256' },
  }),
  unsigned: (claims) => ({ claims, unsigned: true }),
  'no-token': () => ({}),
  'asked-only': ({ email, email_verified, name, groups, ...claims }) => ({ claims }),
};

const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function spoil(token, fault) {
  const { claims, signer = first, unsigned } = faults[fault](decodeJwt(token));
  if (!claims) return undefined;
  if (unsigned) return `${base64url({ alg: 'none' })}.${base64url(claims)}.`;
  const header = { alg: signer.alg ?? 'RS256', kid: signer.kid };
  return new SignJWT(claims).setProtectedHeader(header).sign(signer.privateKey);
}

const server = createServer();
await new Promise((resolve) => server.listen(Number(args.port), '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: args.client,
      client_secret: args.secret,
      redirect_uris: args.redirect,
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  ],
  jwks: { keys: [first.private] },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
  // Claims are in the ID token, as most providers do it.
  conformIdTokenClaims: false,
  features: { devInteractions: { enabled: false } },
  pkce: { required: () => true },
  interactions: { url: (ctx, interaction) => `/interaction/${interaction.uid}` },
  ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 3600, IdToken: 600, Interaction: 600, Session: 3600 },
  async findAccount(ctx, id) {
    const [person, fault] = id.split('+');
    const known = people[person] && (!fault || faults[fault]);
    return known && { accountId: id, claims: async () => ({ sub: id, ...people[person] }) };
  },
  // This client asks for nothing that people would have to agree to.
  async loadExistingGrant(ctx) {
    const grant = new ctx.oidc.provider.Grant({
      clientId: ctx.oidc.client.clientId,
      accountId: ctx.oidc.session.accountId,
    });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});

provider.use(async (ctx, next) => {
  await next();
  const route = ctx.oidc?.route;
  if (route === 'token' && ctx.body?.id_token) {
    const fault = ctx.oidc.entities.Account?.accountId.split('+')[1];
    if (fault) ctx.body = { ...ctx.body, id_token: await spoil(ctx.body.id_token, fault) };
  }
  if (route === 'jwks' && rotated) ctx.body = { keys: [...ctx.body.keys, second.public] };
});

const page = (title, content) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><main><h1>${title}</h1>${content}</main>`;

async function interact(request, response) {
  const details = await provider.interactionDetails(request, response);
  const chosen = new URL(request.url, issuer).searchParams.get('login');
  const login = chosen ?? details.params.login_hint;
  if (login === 'nobody') {
    const refusal = { error: 'access_denied', error_description: 'said <b>no</b>' };
    return provider.interactionFinished(request, response, refusal);
  }
  if (login) {
    const result = { login: { accountId: login, remember: false } };
    return provider.interactionFinished(request, response, result);
  }
  const buttons = [...Object.keys(people), 'nobody'].map((name) => `<button name="login">${name}</button>`);
  const form = buttons.map((button) => button.replace(/>(.*)</, ' value="$1">$1<')).join(' ');
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(page('Who are you?', `<form>${form}</form>`));
}

const handle = provider.callback();
server.on('request', (request, response) => {
  if (!request.url.startsWith('/interaction/')) return handle(request, response);
  interact(request, response).catch((error) => {
    response.statusCode = 400;
    response.end(String(error.message));
  });
});

process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
console.log(JSON.stringify({ issuer }));
