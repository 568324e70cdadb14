import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

test.describe('Display', () => {
  test('theme and row height take effect at once and stay', async ({ page, context, shown }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    const delegates = await new Delegates(page).open(shown.account.page('', 'search=core'));
    const canvas = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const height = async () => (await delegates.group('core-helm').boundingBox())?.height ?? 0;
    const [light, tall] = [await canvas(), await height()];

    await page.getByRole('button', { name: 'Display' }).click();
    const menu = page.getByRole('dialog', { name: 'Display' });
    await expect(menu.getByRole('radio', { name: 'System' })).toBeChecked();
    const kept = page.waitForResponse((answer) => answer.url().endsWith('/ui/preferences'));
    await menu.getByRole('radio', { name: 'Dark' }).check();
    await kept;
    await expect.poll(canvas).not.toBe(light);
    const dark = await canvas();
    const keptAgain = page.waitForResponse((answer) => answer.url().endsWith('/ui/preferences'));
    await menu.getByRole('radio', { name: 'Compact' }).check();
    await keptAgain;
    await expect.poll(height).toBeLessThan(tall);

    // Another page of the same browser has both from its first byte on.
    const other = await context.newPage();
    const answer = await other.goto(shown.account.page('payments'));
    expect(await answer?.text()).toMatch(/<html[^>]* data-theme="dark" data-density="compact"/);
    const compact = await height();
    await delegates.open(page.url());
    expect([await canvas(), await height()]).toEqual([dark, compact]);
    await page.getByRole('button', { name: 'Display' }).click();
    await expect(menu.getByRole('radio', { name: 'Dark' })).toBeChecked();
    await expect(menu.getByRole('radio', { name: 'Compact' })).toBeChecked();
  });

  test('times are ages, local or UTC, at once and on the next page', async ({ browser, server, shown }) => {
    const context = await browser.newContext({ timezoneId: 'Asia/Kolkata', baseURL: server.url });
    await context.addCookies(server.signedIn);
    const page = await context.newPage();
    const delegates = await new Delegates(page).open(shown.account.page('', 'search=core-helm'));
    const beat = delegates.group('core-helm').getByRole('time').last();
    await expect(beat).toHaveText(/ ago$/);
    await expect(beat).toHaveAttribute('title', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    await page.getByRole('button', { name: 'Display' }).click();
    const menu = page.getByRole('dialog', { name: 'Display' });
    for (const [choice, form] of [
      ['UTC', /^\d\d:\d\d:\d\d UTC$/],
      ['Local', /^\d\d:\d\d:\d\d UTC\+5:30$/],
    ] as const) {
      const kept = page.waitForResponse((answer) => answer.url().endsWith('/ui/preferences'));
      await menu.getByRole('radio', { name: choice, exact: true }).check();
      await kept;
      await expect(beat).toHaveText(form);
    }
    await delegates.open(shown.account.groupPage('_core_helm'));
    await expect(page.getByRole('region', { name: 'Overview' }).getByRole('time').first()).toHaveText(/ UTC\+5:30$/);
    await expect(page.getByRole('banner').getByText(/ UTC\+5:30$/)).toBeVisible();
    // The log keeps UTC, as its column says.
    await delegates.open(shown.account.path('audit'));
    await expect(page.getByRole('columnheader', { name: 'Time (UTC)' })).toBeVisible();
    await expect(page.getByRole('time').first()).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    await context.close();
  });

  test('the form leads back to the view it was opened in', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    await delegates.card('Expired').click();
    await expect(page).toHaveURL(/health=expired/);
    const view = page.url();
    await page.getByRole('button', { name: 'Display' }).click();
    await page.getByRole('dialog', { name: 'Display' }).getByRole('button', { name: 'Apply' }).click();
    await delegates.awake();
    await expect(page).toHaveURL(view);
  });

  test('follows the system unless told otherwise', async ({ page, shown }) => {
    const canvas = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(shown.account.page());
    const light = await canvas();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(canvas).not.toBe(light);
  });
});
