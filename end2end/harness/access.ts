import { type Page, expect } from '@playwright/test';

import type { Account } from './account.ts';
import type { Keyboard } from './keyboard.ts';

/** Changes a setting of an account by the command line, and waits until a page of it says so. */
export async function setting(account: Account, key: string, value: string, page: string, says: RegExp): Promise<void> {
  const { server } = account;
  await server.command('setting', 'set', key, value, '--scope', account.name);
  await expect
    .poll(async () => (await fetch(server.url + page, { headers: server.headers })).text(), { timeout: 30_000 })
    .toMatch(says);
}

/** Deleting of connected delegates is allowed in an account; `group` is one of them. */
export function allowDeleting(account: Account, group: string): Promise<void> {
  return setting(account, 'delegates.delete_connected', 'true', `${account.groupPage(group)}/delete`, /Delete delegate<\/button>/);
}

/** What the audit log of an account says of one action, each line in one piece; the newest first. */
export async function audited(page: Page, keys: Keyboard, account: Account, action: string): Promise<string[]> {
  await keys.open(`${account.path('audit')}?action=${action}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Audit log' })).toBeVisible();
  const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') }).filter({ hasText: action });
  return (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
}

/** Status of a sign-in by password that no browser makes: 303 when it works. */
export async function tries(account: Account, email: string, password: string): Promise<number> {
  const { url } = account.server;
  const answer = await fetch(`${url}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url },
    body: new URLSearchParams({ email, password }),
  });
  return answer.status;
}
