import type { Locator } from '@playwright/test';

import { allowDeleting } from '../harness/access.ts';
import { registerAll } from '../harness/delegate.ts';
import { overflow } from '../harness/keyboard.ts';
import { Delegates, read } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

test.describe('On a phone', () => {
  test('the page fits, only the table scrolls sideways, and names stay in sight', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    const [scroll, client] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return [scrollWidth, clientWidth];
    });
    expect(scroll).toBeLessThanOrEqual(client);
    const name = delegates.list.getByRole('link', { name: 'core-helm' });
    await delegates.group('core-helm').getByRole('button', { name: 'Actions for core-helm' }).scrollIntoViewIfNeeded();
    await expect(name).toBeInViewport();
  });

  test('cards, rows, menus and Details work by touch', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    await delegates.card('Expired').tap();
    await expect(page).toHaveURL(/health=expired/);
    await delegates.card('Expired').tap();
    await expect(page).not.toHaveURL(/health/);
    await delegates.group('core-helm').getByRole('button', { name: 'Instances of core-helm' }).tap();
    await expect(delegates.instances('core-helm').getByRole('rowheader')).toHaveCount(2);
    await delegates.group('core-helm').getByRole('button', { name: 'Actions for core-helm' }).tap();
    const details = page.getByRole('menuitem', { name: 'Details' }).filter({ visible: true });
    await expect(details).toBeInViewport({ ratio: 1 });
    await details.tap();
    await expect(page.getByRole('heading', { level: 1, name: 'core-helm' })).toBeVisible();
  });

  test('a mark of a chart can be tapped, and its table fits', async ({ page, shown }) => {
    await new Delegates(page).open(shown.account.page('', 'size=100'));
    const charts = page.getByRole('region', { name: 'Charts' });
    for (const title of ['Versions', 'Expiry, next 12 weeks', 'Heartbeats, 24 h']) {
      await charts.getByRole('button', { name: `${title} as a table` }).tap();
      await expect(page.getByRole('table', { name: title }).locator('..')).toBeInViewport({ ratio: 1 });
      await page.keyboard.press('Escape');
    }
    const mark = charts.getByRole('link', { name: /^Week of / }).first();
    const count = Number(/: (\d+) instance/.exec((await mark.locator('title').textContent()) ?? '')?.[1]);
    await mark.locator('.hit').tap();
    await expect(page).toHaveURL(/expires=/);
    await expect.poll(async () => (await read(page)).instances).toBe(count);
  });

  test('what opens stays on the screen', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    const inside = async (opener: Locator, opened: Locator) => {
      await opener.tap();
      await expect(opened).toBeInViewport({ ratio: 1 });
      await page.keyboard.press('Escape');
      await expect(opened).toBeHidden();
    };
    await inside(page.getByRole('button', { name: 'Display' }), page.getByRole('dialog', { name: 'Display' }));
    await inside(page.getByRole('button', { name: 'Manage', exact: true }), page.getByRole('link', { name: 'Embeds' }));
    await inside(page.getByRole('button', { name: /^Account of/ }), page.getByRole('button', { name: 'Sign out' }));
    await inside(page.getByRole('button', { name: 'About Auto-upgrade off' }), page.getByText(/^Counts groups/).locator('..'));
    await inside(page.getByRole('button', { name: 'About Near expiry' }), page.getByText(/instances that reach/).locator('..'));
    await inside(
      delegates.group('core-helm').getByRole('button', { name: /^\+3 tags/ }),
      page.getByText('Tags of core-helm').locator('..'),
    );
    await inside(
      delegates.group('core-helm').getByRole('link', { name: /^Supported/ }),
      page.getByRole('dialog', { name: 'Status of core-helm' }),
    );
    // The last row stands at the lower edge of the screen.
    await inside(page.getByRole('button', { name: /^Actions for/ }).last(), page.getByRole('menu').last());
  });

  test('a delegate is deleted by touch, and brought back', async ({ page, account, versions }) => {
    await registerAll(account, [{ name: 'edge', version: versions.latest }]);
    await allowDeleting(account, '_edge');
    const delegates = await new Delegates(page).open(account.page());
    await delegates.group('edge').getByRole('button', { name: 'Actions for edge' }).tap();
    await page.getByRole('menuitem', { name: 'Delete…' }).filter({ visible: true }).tap();
    const dialog = page.getByRole('dialog', { name: 'Delete delegate edge?' });
    await expect(dialog).toBeInViewport({ ratio: 1 });
    await dialog.getByRole('textbox').fill('edge');
    await dialog.getByRole('button', { name: 'Delete delegate' }).tap();
    await expect(delegates.group('edge')).toHaveCount(0);
    await delegates.awake();
    await page.getByRole('button', { name: 'Undo: bring edge back' }).tap();
    await expect(delegates.group('edge')).toContainText('Connected');
  });

  test('the scope switcher can be used', async ({ page, shown }) => {
    await new Delegates(page).open(shown.account.page('payments/checkout'));
    await page.getByRole('button', { name: /^Scope/ }).tap();
    const switcher = page.getByRole('dialog', { name: 'Scopes' });
    await expect(switcher).toBeVisible();
    const box = await switcher.boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
    await switcher.getByRole('link', { name: 'streaming', exact: true }).filter({ visible: true }).last().tap();
    await expect(page).toHaveURL(/\/p\/streaming\/delegates$/);
  });
});

test('A new delegate is installed by touch', async ({ page, account }) => {
  await new Delegates(page).open(account.page());
  await page.getByRole('link', { name: 'Install a delegate' }).tap();
  await page.getByRole('link', { name: 'Docker' }).tap();
  await expect(page).toHaveURL(/platform=docker/);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('edge');
  await page.getByRole('button', { name: 'Make the files' }).tap();
  await expect(page.getByRole('region', { name: 'docker-run.sh' })).toContainText('--name=edge');
  const [scroll, client] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth];
  });
  expect(scroll).toBeLessThanOrEqual(client);
});

test.describe('The past of a delegate on a phone', () => {
  test('fits, tab by tab, down to one instance', async ({ page, account, versions }) => {
    await registerAll(account, [{ name: 'edge', version: versions.latest }]);
    await new Delegates(page).open(account.groupPage('_edge'));
    for (const name of ['Instances', 'Activity', 'Overview']) {
      await page.getByRole('navigation', { name: 'Delegate' }).getByRole('link', { name }).tap();
      await expect(page.getByRole('navigation', { name: 'Delegate' }).getByRole('link', { name })).toHaveAttribute('aria-current', 'page');
      expect(await overflow(page), name).toBeLessThanOrEqual(0);
    }
    await page.getByRole('region', { name: 'Heartbeats' }).getByRole('link', { name: /^edge-/ }).tap();
    await expect(page.getByRole('heading', { level: 1, name: /^edge-/ })).toBeVisible();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });
});
