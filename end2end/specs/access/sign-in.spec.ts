import type { Page } from '@playwright/test';

import { ADMIN, PASSWORD, become } from '../../harness/people.ts';
import { expect, test } from '../../harness/test.ts';

const email = (page: Page) => page.getByLabel('E-mail', { exact: true });
const password = (page: Page) => page.getByLabel('Password', { exact: true });
const WRONG = 'E-mail or password is not right.';

test.describe('Sign-in', () => {
  test.use({ storageState: { cookies: [], origins: [] } });
  test.beforeEach(({ guard }) => guard.expect(/status of 4\d\d/));

  test('leads to the page that was asked for', async ({ page, keys, server, account }) => {
    const view = account.page('', 'search=a%26b&size=25');
    await keys.open(view);
    await expect(page).toHaveURL(`/sign-in?next=${encodeURIComponent(view)}`);
    await expect(page.getByRole('heading', { level: 1, name: 'Sign in to Rollcall' })).toBeVisible();
    await expect(page).toHaveTitle('Sign in · Rollcall');
    await expect(email(page)).toBeFocused();
    await expect(email(page)).toHaveAttribute('autocomplete', 'username');
    await expect(password(page)).toHaveAttribute('autocomplete', 'current-password');
    await keys.sound();

    await keys.type(email(page), ADMIN.toUpperCase());
    await keys.type(password(page), PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(view);
    await expect(page.getByRole('button', { name: `Account of ${ADMIN}` })).toBeVisible();
    const [cookie] = (await page.context().cookies(server.url)).filter(({ name }) => name === 'rollcall_session');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });

    // Who is signed in has no use for the page.
    await keys.open(`/sign-in?next=${encodeURIComponent(view)}`);
    await expect(page).toHaveURL(view);
  });

  test('leads nowhere else', async ({ page, keys, server }) => {
    await keys.open(`/sign-in?next=${encodeURIComponent('//elsewhere.example/a')}`);
    await keys.type(email(page), ADMIN);
    await keys.type(password(page), PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: `Account of ${ADMIN}` })).toBeVisible();
    expect(page.url().startsWith(`${server.url}/`)).toBe(true);
  });

  test('with a wrong password says so, keeps the e-mail, and does not tell who exists', async ({ page, keys, account }) => {
    const view = account.page();
    const told: string[] = [];
    await keys.open(view);
    for (const name of [ADMIN, 'nobody@example.test']) {
      await keys.type(email(page), name);
      await keys.type(password(page), 'not the right one');
      const answer = page.waitForResponse((response) => response.request().method() === 'POST');
      await keys.press(page.getByRole('button', { name: 'Sign in', exact: true }));
      expect((await answer).status()).toBe(422);
      await expect(page.getByRole('alert')).toHaveText(WRONG);
      await expect(email(page)).toHaveValue(name);
      await expect(password(page)).toHaveValue('');
      expect(await page.content()).not.toContain('not the right one');
      told.push((await page.getByRole('main').innerText()).trim());
    }
    expect(told[0]).toBe(told[1]);
    await keys.sound();

    // The way on is not lost.
    await keys.type(email(page), ADMIN);
    await keys.type(password(page), PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(view);
  });

  test('is slowed down after a few tries, for this person only', async ({ page, keys, account }) => {
    await keys.open(account.page());
    const enter = async (name: string, word: string) => {
      await keys.type(email(page), name);
      await keys.type(password(page), word);
      const answer = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.keyboard.press('Enter');
      const status = (await answer).status();
      if (status !== 303) await expect(page.getByRole('alert')).toBeVisible();
      return status;
    };
    const tries: number[] = [];
    while (tries.at(-1) !== 429 && tries.length < 12) tries.push(await enter('uri@example.test', 'a wrong password'));
    expect(tries.slice(0, 5)).toEqual([422, 422, 422, 422, 422]);
    expect(tries.at(-1)).toBe(429);
    await expect(page.getByRole('alert')).toHaveText(/^Too many tries\. The next one is possible in \d+ s\.$/);
    await expect(email(page)).toHaveValue('uri@example.test');
    await keys.sound();

    expect(await enter(ADMIN, PASSWORD)).toBe(303);
    await expect(page).toHaveURL(account.page());
  });
});

test('Sign-out ends the session for good', async ({ page, keys, server, account, guard }) => {
  guard.expect(/status of 4\d\d/);
  await become(page, server, ADMIN);
  await keys.open(account.page());
  const [before] = (await page.context().cookies(server.url)).filter(({ name }) => name === 'rollcall_session');
  if (!before) throw new Error('no session');
  await keys.press(page.getByRole('button', { name: `Account of ${ADMIN}` }));
  await expect(page.getByRole('link', { name: 'Your account' })).toBeVisible();
  await keys.sound();
  await keys.press(page.getByRole('button', { name: 'Sign out', exact: true }));
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in to Rollcall' })).toBeVisible();
  expect((await page.context().cookies(server.url)).filter(({ name }) => name === 'rollcall_session')).toEqual([]);

  await keys.open(account.page());
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  // Whoever kept the cookie has nothing.
  await page.context().addCookies([before]);
  await keys.open(account.page());
  await expect(page).toHaveURL(/\/sign-in\?next=.*ended=true/);
  await expect(page.getByRole('alert')).toHaveText('Your session has ended. Sign in again.');
  await keys.sound();
  const tool = await fetch(server.url + account.api(), { headers: { cookie: `${before.name}=${before.value}` } });
  expect(tool.status).toBe(401);
});
