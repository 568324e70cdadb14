import { Account } from '../harness/account.ts';
import { violations } from '../harness/axe.ts';
import { registerAll } from '../harness/delegate.ts';
import { Site, embedKey } from '../harness/site.ts';
import { expect, test as base } from '../harness/test.ts';

const test = base.extend<{ site: Site }>({
  site: async ({}, use) => {
    const site = await Site.open();
    await use(site);
    site.close();
  },
});

/** What our snippet says. */
const SANDBOX = 'allow-scripts allow-popups allow-popups-to-escape-sandbox';

test.describe('A frame on another site', () => {
  for (const [kind, sandbox] of [
    ['plain', undefined],
    ['sandboxed', SANDBOX],
  ] as const) {
    test(`shows cards and list, stays fresh and tells its height (${kind})`, async ({ page, account, versions, site }) => {
      await registerAll(account, [{ name: 'old', version: versions.expired }]);
      const key = await embedKey(account, [site.origin]);
      await page.goto(site.around(`${account.server.url}/embed/${key}`, sandbox));
      const frame = page.frameLocator('iframe');
      await expect(frame.getByRole('heading', { level: 1, name: 'Delegates' })).toBeVisible();
      await expect(frame.getByRole('link', { name: /^Expired/ })).toContainText('1');
      await expect(frame.getByRole('rowheader', { name: /old/ })).toBeVisible();
      await expect(frame.getByText(/^Live · /)).toBeVisible();

      const told = page.getByRole('status');
      await expect(told).toHaveText(/"type":"rollcall:height","height":\d+/);
      const own = sandbox === undefined ? account.server.url : 'null';
      expect(await told.textContent()).toMatch(new RegExp(`^${own} `));
      const before = await told.textContent();
      await registerAll(
        account,
        Array.from({ length: 8 }, (_, n) => ({ name: `new-${n}`, version: versions.latest })),
      );
      await expect(frame.getByRole('rowheader', { name: /new-7/ })).toBeVisible();
      await expect(told).not.toHaveText(before ?? '');
      // The rows may arrive in several steps, and each tells its height.
      const height = () => page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height);
      await expect.poll(height).toBeGreaterThan(500);

      const { cookies } = await page.context().storageState();
      expect(cookies.filter((cookie) => cookie.domain === 'localhost')).toEqual([]);
    });
  }

  test('filters inside itself and opens Rollcall in a new tab only', async ({ page, context, account, versions, site }) => {
    await registerAll(account, [
      { name: 'old', version: versions.expired },
      { name: 'fine', version: versions.latest },
    ]);
    const key = await embedKey(account, [site.origin]);
    const around = site.around(`${account.server.url}/embed/${key}?cols=version,status&theme=dark&density=compact`, SANDBOX);
    await page.goto(around);
    const frame = page.frameLocator('iframe');
    await expect(frame.getByRole('columnheader', { name: 'Version' })).toBeVisible();
    await expect(frame.getByRole('columnheader', { name: 'Connectivity' })).toHaveCount(0);
    await frame.getByRole('link', { name: /^Expired/ }).click();
    await expect(frame.getByRole('link', { name: /^Expired/ })).toHaveAttribute('aria-current', 'true');
    await expect(frame.getByRole('rowheader', { name: /fine/ })).toHaveCount(0);
    await expect(frame.locator('html')).toHaveAttribute('data-theme', 'dark');
    expect(page.url()).toBe(around);

    const opened = context.waitForEvent('page');
    await frame.getByRole('link', { name: 'Open in Rollcall' }).click();
    const tab = await opened;
    await expect(tab.getByRole('heading', { level: 1, name: 'Delegates' })).toBeVisible();
    expect(new URL(tab.url()).pathname).toBe(account.page());
    expect(await tab.evaluate(() => window.opener)).toBeNull();
    expect(page.url()).toBe(around);
  });

  test('has nothing to change, and no barrier', async ({ page, account, versions, site }) => {
    await registerAll(account, [{ name: 'old', version: versions.expired }]);
    const key = await embedKey(account, [site.origin]);
    for (const theme of ['light', 'dark']) {
      await page.goto(`${account.server.url}/embed/${key}?theme=${theme}`);
      await expect(page.getByText(/^Live · /)).toBeVisible();
      expect(await violations(page)).toEqual([]);
      await expect(page.getByRole('textbox')).toHaveCount(0);
      await expect(page.getByRole('checkbox')).toHaveCount(0);
      await expect(page.getByRole('navigation', { name: 'Pages', exact: true })).toHaveCount(0);
      await expect(page.getByText(/delete/i)).toHaveCount(0);
    }
  });

  test('is refused by the browser on a site that is not listed', async ({ page, account, versions, site, guard }) => {
    guard.expect(/frame-ancestors/);
    await registerAll(account, [{ name: 'old', version: versions.expired }]);
    const key = await embedKey(account, ['https://wiki.example']);
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.goto(site.around(`${account.server.url}/embed/${key}`));
    await refused;
    await expect(page.frameLocator('iframe').getByText('old')).toHaveCount(0);
    await expect(page.getByRole('status')).toHaveText('');
  });

  test('says that its key was revoked, and shows no data', async ({ page, server, versions, site, guard }) => {
    guard.expect(/403 \(Forbidden\)/);
    const account = await Account.create(server);
    await registerAll(account, [{ name: 'old', version: versions.expired }]);
    const key = await embedKey(account, [site.origin]);
    await page.goto(account.path('embeds'));
    await page.getByRole('button', { name: 'Revoke embed key Wiki' }).click();
    await expect(page.getByText('Revoked', { exact: true })).toBeVisible();
    await page.goto(site.around(`${server.url}/embed/${key}`, SANDBOX));
    const frame = page.frameLocator('iframe');
    await expect(frame.getByText('This frame does not work any more')).toBeVisible();
    await expect(frame.getByText('old')).toHaveCount(0);
  });
});

test('the snippet of a frame is chosen and seen before it is pasted', async ({ page, account, versions }) => {
  await registerAll(account, [{ name: 'old', version: versions.expired }]);
  await embedKey(account, ['https://wiki.example']);
  await page.goto(account.path('embeds'));
  await page.locator('html[data-on]').waitFor({ state: 'attached' });
  await page.getByRole('link', { name: 'Snippet… Wiki' }).click();
  const dialog = page.getByRole('dialog', { name: 'Show Wiki on another site' });
  const preview = dialog.frameLocator('iframe');
  await expect(preview.getByRole('rowheader', { name: /old/ })).toBeVisible();
  await expect(preview.getByRole('columnheader', { name: 'Connectivity' })).toBeVisible();
  await dialog.getByRole('checkbox', { name: 'Connectivity' }).uncheck();
  await dialog.getByRole('radio', { name: 'Dark' }).check();
  await dialog.getByRole('button', { name: 'Update preview' }).click();
  await expect(preview.getByRole('columnheader', { name: 'Connectivity' })).toHaveCount(0);
  await expect(preview.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(dialog.getByText(/<iframe src="http/)).toContainText('/embed/EMBED_KEY?cols=tags,version,status,heartbeat,autoUpgrade&amp;theme=dark');
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('link', { name: 'Close' }).click();
  await expect(dialog).toHaveCount(0);
});
