import type { Page } from '@playwright/test';

import { allowDeleting } from '../harness/access.ts';
import type { Account } from '../harness/account.ts';
import { registerAll, replicas } from '../harness/delegate.ts';
import { overflow } from '../harness/keyboard.ts';
import { expect, test } from '../harness/test.ts';

/** The tabs of a group. */
function tab(page: Page, name: string) {
  return page.getByRole('navigation', { name: 'Delegate' }).getByRole('link', { name });
}

/** Two pods of one delegate, one of which was restarted with another version. */
async function edge(account: Account, [before, after]: [string, string]) {
  const delegates = await registerAll(account, replicas(2, { name: 'edge', version: before, tags: ['eu', 'namespace:agents'] }));
  await delegates[0]?.beat({ version: after });
  return delegates;
}

test.describe('The page of a group', () => {
  test('leads from tab to tab, by keyboard, without a flaw for screen readers', async ({ page, keys, account, versions, scripts }) => {
    await edge(account, [versions.unsupported, versions.latest]);
    await keys.open(account.groupPage('_edge'));
    await expect(tab(page, 'Overview')).toHaveAttribute('aria-current', 'page');
    const beats = page.getByRole('region', { name: 'Heartbeats' });
    await expect(beats.getByRole('img', { name: /^Heartbeats of edge-.* in the past 24 hours: connected 100 % of the time, never lost\.$/ })).toHaveCount(2);
    await keys.sound();

    await keys.press(tab(page, 'Instances'));
    await keys.awake();
    const table = page.getByRole('table', { name: 'Instances of edge' });
    await expect(table.getByRole('rowheader')).toHaveCount(2);
    await expect(table).toContainText('192.0.2.7');
    await keys.sound();
    await keys.press(table.getByRole('columnheader', { name: 'Version' }).getByRole('link'));
    await expect(page).toHaveURL(/sort=version/);
    await expect(table.getByRole('columnheader', { name: 'Version' })).toHaveAttribute('aria-sort', 'ascending');

    await keys.press(tab(page, 'Activity'));
    // A reload before that would stay on the tab before.
    await expect(page).toHaveURL(/\/activity$/);
    await keys.awake();
    // It may have been midnight since.
    const today = page.getByRole('region', { name: /^(Today|Yesterday),/ });
    // The change of a version is written within a second.
    await expect(async () => {
      if (!scripts) await page.reload();
      await expect(today.getByText(`Changed its version from ${versions.unsupported} to ${versions.latest}`)).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expect(today.getByText('Registered for the first time')).toHaveCount(2);
    await keys.sound();
  });

  test('has longer windows in its address', async ({ page, keys, account, versions }) => {
    await edge(account, [versions.unsupported, versions.latest]);
    await keys.open(account.groupPage('_edge'));
    const beats = page.getByRole('region', { name: 'Heartbeats' });
    for (const [word, window] of [['7 days', '7d'], ['30 days', '30d']] as const) {
      await keys.press(beats.getByRole('link', { name: `Heartbeats of the past ${word}` }));
      await expect(page).toHaveURL(new RegExp(`window=${window}$`));
      await expect(beats.getByRole('img', { name: new RegExp(`in the past ${word}`) })).toHaveCount(2);
    }
    await keys.unfold('As a table');
    await expect(beats.getByRole('table', { name: 'Heartbeats in the past 30 days' }).getByRole('rowheader')).toHaveCount(2);
  });

  test('narrows activity to one instance', async ({ page, keys, account, versions }) => {
    const [first] = await edge(account, [versions.unsupported, versions.latest]);
    await keys.open(`${account.groupPage('_edge')}/activity`);
    await page.getByRole('combobox', { name: 'Instance' }).selectOption({ label: 'edge-5f7d9c6b8-00001' });
    await keys.press(page.getByRole('button', { name: 'Apply' }));
    await expect(page).toHaveURL(/instance=/);
    await keys.awake();
    await expect(async () => {
      await page.reload();
      await expect(page.getByText('Registered for the first time')).toHaveCount(1, { timeout: 1_000 });
    }).toPass();
    await expect(page.getByText('Changed its version')).toHaveCount(0);
    await page.goto(`${account.groupPage('_edge')}/activity?instance=${first?.id}&before=1000-0`);
    await expect(page.getByRole('heading', { name: 'Nothing older' })).toBeVisible();
  });

  test('says that a delegate is updated by hand on purpose, and who said so', async ({ page, keys, account }) => {
    await registerAll(account, [{ name: 'edge', family: 'runner', version: '3.0.0' }]);
    await keys.open(account.groupPage('_edge'));
    const overview = page.getByRole('region', { name: 'Overview' });
    await expect(overview).toContainText('Not supported by 3.x');
    await keys.press(overview.getByRole('button', { name: 'Updated by hand on purpose: edge' }));
    await keys.awake();
    await expect(overview).toContainText('Off (by choice)');
    await keys.press(tab(page, 'Activity'));
    await expect(page.getByText('edge is updated by hand on purpose')).toBeVisible();
    await page.goto(account.groupPage('_edge'));
    await keys.awake();
    await keys.press(overview.getByRole('button', { name: 'Not by hand any more: edge' }));
    await keys.awake();
    await expect(overview).not.toContainText('Off (by choice)');
  });

  test('can be read after the delegate was deleted', async ({ page, keys, account, versions }) => {
    await registerAll(account, [{ name: 'edge', version: versions.latest }]);
    await allowDeleting(account, '_edge');
    const path = account.groupPage('_edge');
    await keys.open(`${path}/delete`);
    await page.getByRole('textbox').fill('edge');
    await page.getByRole('button', { name: 'Delete delegate' }).click();
    await expect(page).toHaveURL(account.page());
    await keys.open(`${path}/activity`);
    await expect(page.getByText('It was deleted or rejected.')).toBeVisible();
    await expect(page.getByText('edge was deleted from the list; nothing was uninstalled')).toBeVisible();
  });

  test('is never wider than a phone', async ({ page, keys, account, versions }) => {
    await edge(account, [versions.unsupported, versions.latest]);
    await page.setViewportSize({ width: 320, height: 800 });
    for (const part of ['', '/instances', '/activity']) {
      await keys.open(account.groupPage('_edge') + part);
      expect(await overflow(page), part).toBeLessThanOrEqual(0);
    }
  });
});
