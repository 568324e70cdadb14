import type { Page } from '@playwright/test';

import type { Server } from './server.ts';

/** The admin that every server has. */
export const ADMIN = 'admin@example.test';
/** The password of everybody. */
export const PASSWORD = 'blue whales sing low';

/** A cookie as a browser keeps it. */
export interface Cookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'Lax';
}

/** Somebody with a role. */
export interface Person {
  email: string;
  /** `*`, or `acme/payments`. */
  scope: string;
  role: string;
  name?: string;
  /** Identifiers of delegates that the role is narrowed to. */
  delegates?: string;
}

/** Creates somebody, or gives somebody another role. */
export async function addPerson(server: Server, { email, scope, role, name, delegates }: Person): Promise<void> {
  const more = [...(name ? ['--name', name] : []), ...(delegates ? ['--delegates', delegates] : [])];
  await server.commandReading(PASSWORD, 'user', 'create', '--email', email, '--scope', scope, '--role', role, ...more);
}

/** Signs somebody in by a link of the command line, and gives the cookie of the session. */
export async function session(server: Server, email: string): Promise<Cookie> {
  const link = (await server.command('user', 'link', '--email', email, '--url', server.url)).trim();
  let set: string | undefined;
  // The link waits for a server that does not know the person yet.
  await server.until(
    new URL(link).pathname,
    (answer) => (set = answer.headers.getSetCookie().find((cookie) => cookie.includes('session='))) !== undefined,
    () => ({ redirect: 'manual' }),
  );
  const [name = '', value = ''] = set?.split(';')[0]?.split('=') ?? [];
  const { hostname } = new URL(server.url);
  return { name, value, domain: hostname, path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' };
}

/** Makes a browser that of somebody else. */
export async function become(page: Page, server: Server, email: string): Promise<void> {
  const cookie = await session(server, email);
  await page.context().clearCookies();
  await page.context().addCookies([cookie]);
}
