import type { Locator } from '@playwright/test';

import { allowDeleting } from '../harness/access.ts';
import { registerAll } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
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
      delegates.group('core-helm').getByRole('button', { name: /Why auto-upgrade/ }),
      delegates.group('core-helm').getByText('Upgrader last seen').locator('..'),
    );
    await inside(
      delegates.group('core-helm').getByRole('button', { name: /^Supported/ }),
      delegates.group('core-helm').getByText('Nothing newer is out').locator('..'),
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
