import type { Locator, Page } from '@playwright/test';

import { violations } from '../harness/axe.ts';
import { registerAll } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

/** The explanation on screen: a dialog where scripts run, else the page of its own. */
const panel = (page: Page, title: string): Locator =>
  page.locator('.explained').filter({ has: page.getByRole('heading', { level: 1, name: title, exact: true }) });

test('every state of a row is one press away from its explanation, and the focus comes back', async ({ page, keys, scripts, shown }) => {
  const row = () => new Delegates(page).group('core-near');
  const list = shown.account.page('', 'search=core-near');
  for (const [name, title, text] of [
    [/^Partially connected, 2 of 3\. Explain$/, 'Connectivity of core-near', '2 of 3 listed instances are connected: some of them.'],
    [/^Near expiry, .*\. Explain$/, 'Status of core-near', 'Expired after'],
    [/^Off\. Explain$/, 'Auto-upgrade of core-near', 'There is no upgrader on ECS and Fargate.'],
    [new RegExp(`^${shown.versions.near}\\. Explain$`), 'Version of core-near', 'Last reported'],
  ] as const) {
    await keys.open(list);
    await keys.press(row().getByRole('link', { name }));
    await expect(panel(page, title)).toContainText(text);
    await expect(panel(page, title)).toContainText('What time alone changes');
    await expect(panel(page, title)).toContainText('As of ');
    if (scripts) {
      await expect(page.getByRole('dialog', { name: title })).toBeVisible();
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(panel(page, title)).toHaveCount(0);
      await expect(row().getByRole('link', { name })).toBeFocused();
    } else {
      await expect(page).toHaveURL(/\/why\?of=/);
      await keys.press(page.getByRole('link', { name: 'Close' }));
      await expect(page.getByRole('heading', { level: 1, name: 'core-near' })).toBeVisible();
    }
  }
});

test('instances are explained too, those without version or status included', async ({ page, keys, shown }) => {
  const delegates = new Delegates(page);
  await keys.open(shown.account.page('', 'health=unreachable&search=core-lost'));
  const lost = delegates.instances('core-lost').getByRole('row').last();
  await lost.getByRole('link', { name: 'N/A. Explain' }).click();
  await expect(page.locator('.explained')).toContainText(shown.versions.unsupported);
  await expect(page.locator('.explained')).toContainText('N/A means not connected.');
  await keys.open(shown.account.page('', 'health=unreachable&search=core-lost'));
  await lost.getByRole('link', { name: 'Not connected. Explain', exact: true }).click();
  await expect(page.locator('.explained')).toContainText('more than 300 s.');
  await expect(page.locator('.explained')).toContainText('hidden from the list, 6 hours after its last heartbeat');
});

test('an explanation as a page of its own is accessible, and leads on', async ({ page, keys, account, versions }) => {
  await registerAll(account, [{ name: 'edge', version: versions.expired }]);
  for (const of of ['connectivity', 'status', 'version', 'auto-upgrade']) {
    await keys.open(`${account.groupPage('_edge')}/why?of=${of}`);
    await expect(page.locator('.explained')).toBeVisible();
    await keys.sound();
  }
  await keys.open(`${account.groupPage('_edge')}/why?of=status`);
  await expect(page.getByText('kubectl set image deployment/edge delegate=')).toBeVisible();
  await expect(page.locator('.explained')).toContainText('The status stops nothing');
  await keys.press(page.getByRole('link', { name: 'Help: versions and upgrades' }));
  await expect(page.getByRole('heading', { level: 1, name: 'Versions and auto-upgrade' })).toBeVisible();
});

test('the head of a delegate explains itself as well', async ({ page, keys, scripts, shown }) => {
  await keys.open(shown.account.groupPage('_core_old'));
  await keys.press(page.getByRole('link', { name: 'Expired. Explain', exact: true }));
  await expect(panel(page, 'Status of core-old')).toContainText('is over.');
  if (scripts) expect(await violations(page)).toEqual([]);
});

test('help is one menu away, and every page of it is accessible', async ({ page, keys, shown }) => {
  await keys.open(shown.account.page());
  await keys.press(page.getByRole('button', { name: /^Account of/ }));
  await keys.press(page.getByRole('link', { name: 'Help', exact: true }));
  await expect(page.getByRole('heading', { level: 1, name: 'Help' })).toBeVisible();
  const paths = await page.getByRole('navigation', { name: 'Help pages' }).getByRole('link').evaluateAll((links) =>
    links.map((link) => link.getAttribute('href') ?? ''),
  );
  expect(paths.length).toBeGreaterThan(8);
  for (const path of paths) {
    const answer = await page.goto(path);
    expect(answer?.status(), path).toBe(200);
    await keys.awake();
    await keys.sound();
  }
});
