import type { Page } from '@playwright/test';

import { Delegate } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { PASSWORD, addPerson, become } from '../harness/people.ts';
import type { Server } from '../harness/server.ts';
import { expect, test } from '../harness/test.ts';

/** Ends the session of a browser without its knowledge. */
async function end(page: Page, server: Server): Promise<void> {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const answer = await fetch(`${server.url}/sign-out`, { method: 'POST', redirect: 'manual', headers: { cookie, origin: server.url } });
  expect(answer.status).toBe(303);
}

let people = 0;

/** Somebody whose sessions are nobody else's. */
async function somebody(server: Server, scope: string): Promise<string> {
  people += 1;
  const email = `leaver-${people}-${test.info().workerIndex}@example.test`;
  await addPerson(server, { email, scope, role: 'operator' });
  return email;
}

test.describe('The end of a session', () => {
  test('is told five minutes before, and put off by a press', async ({ page }) => {
    await page.clock.install();
    await new Delegates(page).open('/me');
    const notice = page.getByRole('status').filter({ hasText: /^Your session ends at \d\d:\d\d:\d\d UTC unless you go on/ });
    await page.clock.fastForward('11:54:00');
    await expect(notice).toHaveCount(0);
    await page.clock.fastForward('00:02:00');
    await expect(notice).toBeVisible();
    await notice.getByRole('button', { name: 'Stay signed in' }).click();
    await expect(notice).toHaveCount(0);
  });

  test('that cannot be put off leads to the sign-in page in another tab', async ({ page, server, account }) => {
    const email = await somebody(server, account.name);
    await become(page, server, email);
    const threeMinutesLeft = 7 * 24 * 3_600_000 - 180_000;
    await server.rewrite(
      `UPDATE sessions SET created_at = created_at - ${threeMinutesLeft} WHERE user_id = (SELECT id FROM users WHERE email = '${email}')`,
    );
    await new Delegates(page).open(account.page());
    const notice = page.getByRole('status').filter({ hasText: /^Your session ends at/ });
    const opened = page.waitForEvent('popup');
    await notice.getByRole('link', { name: 'Sign in again (new tab)' }).click();
    const tab = await opened;
    await tab.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await tab.getByLabel('Password').fill(PASSWORD);
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(tab.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible();
    await page.bringToFront();
    await page.reload();
    await expect(page.getByRole('banner').getByText(/^Live · /)).toBeVisible();
    await expect(notice).toHaveCount(0);
  });

  test('is said on a live page, which leads back to exactly this view', async ({ page, server, account, versions, guard }) => {
    guard.expect(/status of 401/);
    await new Delegate(account, { name: 'edge', version: versions.expired }).register();
    const email = await somebody(server, account.name);
    await become(page, server, email);
    const view = account.page('', 'health=expired&sort=-name');
    const delegates = await new Delegates(page).open(view);
    await expect(page.getByRole('banner').getByText(/^Live · /)).toBeVisible();
    await end(page, server);
    await expect(page.getByText(/^Your session has ended\./)).toBeVisible();
    await expect(page.getByRole('banner').getByText('Signed out')).toBeVisible();
    await expect(delegates.group('edge')).toBeVisible();

    await page.getByRole('main').getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page).toHaveURL(view);
    await expect(delegates.group('edge')).toBeVisible();
  });
});
