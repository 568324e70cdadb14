import { allowDeleting } from '../harness/access.ts';
import { registerAll, replicas } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

test.describe('Shortcuts', () => {
  test('search, pause and go to other pages', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    await page.keyboard.press('/');
    await expect(delegates.search).toBeFocused();
    await page.keyboard.type('/core-p');
    await expect(delegates.search).toHaveValue('/core-p');
    await delegates.search.blur();
    await page.keyboard.press('p');
    await expect(page.getByText(/^Live updates paused/)).toBeVisible();
    await page.keyboard.press('p');
    await expect(page.getByText(/^Live updates paused/)).toHaveCount(0);
    for (const [keys, heading] of [
      ['ga', 'Audit log'],
      ['gt', 'Tokens'],
      ['gd', 'Delegates'],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key);
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
      await delegates.awake();
    }
  });

  test('work in rows: next, previous, instances, choose, menu, open', async ({ page, account, versions }) => {
    await registerAll(account, [
      ...replicas(2, { name: 'edge-a', version: versions.latest }),
      { name: 'edge-b', version: versions.latest },
    ]);
    const delegates = await new Delegates(page).open(account.page('', 'sort=name'));
    const name = (group: string) => delegates.list.getByRole('link', { name: group, exact: true });
    await page.keyboard.press('j');
    await expect(name('edge-a')).toBeFocused();
    await page.keyboard.press('j');
    await expect(name('edge-b')).toBeFocused();
    await page.keyboard.press('k');
    await expect(name('edge-a')).toBeFocused();
    await page.keyboard.press('e');
    await expect(delegates.instances('edge-a').getByRole('rowheader')).toHaveCount(2);
    await expect(name('edge-a')).toBeFocused();
    await page.keyboard.press('x');
    await expect(page.getByRole('checkbox', { name: 'Select edge-a' })).toBeChecked();
    await expect(page.getByText('1 selected')).toBeVisible();
    await page.keyboard.press('.');
    const details = page.getByRole('menuitem', { name: 'Details' }).filter({ visible: true });
    await expect(details).toBeFocused();
    // In a menu the keys are those of the menu.
    await page.keyboard.press('j');
    await expect(details).toBeFocused();
    await page.keyboard.press('Escape');

    // The row keeps the focus while the page changes under it.
    await name('edge-a').focus();
    await registerAll(account, [{ name: 'another', version: versions.latest }]);
    await expect(delegates.group('another')).toBeVisible();
    await expect(name('edge-a')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'edge-a' })).toBeVisible();
  });

  test('are listed by ?, and wait while a dialog is open', async ({ page, account, versions }) => {
    await registerAll(account, [{ name: 'edge', version: versions.latest }]);
    await allowDeleting(account, '_edge');
    const delegates = await new Delegates(page).open(account.page());
    await page.keyboard.press('j');
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(sheet).toBeVisible();
    await page.keyboard.press('p');
    await page.keyboard.press('Escape');
    await expect(sheet).toHaveCount(0);
    await expect(delegates.list.getByRole('link', { name: 'edge', exact: true })).toBeFocused();
    await expect(page.getByText(/^Live updates paused/)).toHaveCount(0);
  });

  test('do nothing with a modifier, and nothing at all once they are off', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    const paused = page.getByText(/^Live updates paused/);
    await page.keyboard.press('Alt+p');
    await expect(paused).toHaveCount(0);
    await page.getByRole('button', { name: 'Display' }).click();
    const kept = page.waitForResponse((answer) => answer.url().endsWith('/ui/preferences'));
    await page.getByRole('group', { name: 'Keyboard shortcuts' }).getByRole('radio', { name: 'Off' }).check();
    await kept;
    await page.keyboard.press('Escape');
    await page.keyboard.press('p');
    await page.keyboard.press('j');
    await expect(paused).toHaveCount(0);
    await expect(delegates.list.getByRole('link', { name: 'core-helm', exact: true })).not.toBeFocused();
    await page.reload();
    await delegates.awake();
    await page.keyboard.press('p');
    await expect(paused).toHaveCount(0);
  });
});
