import { readFile } from 'node:fs/promises';

import type { Locator, Page } from '@playwright/test';

import { violations } from '../harness/axe.ts';
import { registerAll } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

/** Downloads by a link of the menu. */
async function download(page: Page, link: Locator): Promise<{ name: string; text: string }> {
  const coming = page.waitForEvent('download');
  await link.click();
  const file = await coming;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

test.describe('The export menu', () => {
  test('gives the page, the view and the whole scope, as the screen shows them', async ({ page, account, versions }) => {
    await registerAll(account, [
      ...Array.from({ length: 12 }, (_, n) => ({ name: `old-${String(n).padStart(2, '0')}`, version: versions.expired })),
      { name: 'fine', version: versions.latest },
    ]);
    const delegates = await new Delegates(page).open(account.page('', 'health=expired&sort=-name'));
    const button = page.getByRole('button', { name: 'Export' });
    await button.click();
    const menu = page.getByRole('menu', { name: 'Export' });
    await expect(menu.getByRole('group')).toHaveCount(3);
    expect(await violations(page)).toEqual([]);

    const json = await download(page, menu.getByRole('menuitem', { name: 'JSON: This page (10 instances)', exact: true }));
    expect(json.name).toMatch(new RegExp(`^rollcall-delegates-${account.name}-\\d{8}T\\d{6}Z\\.json$`));
    const exported = JSON.parse(json.text) as { delegates: { name: string }[]; filters: unknown };
    expect(exported.delegates.map(({ name }) => name)).toEqual(await delegates.names());
    expect(exported.filters).toEqual({ health: 'expired' });

    const view = await download(page, menu.getByRole('menuitem', { name: 'JSON, one line each: This view (12 instances)' }));
    expect(view.text.trimEnd().split('\n')).toHaveLength(12);
    const all = await download(page, menu.getByRole('menuitem', { name: 'CSV: All in scope (13 instances)' }));
    expect(all.text.trimEnd().split('\r\n')).toHaveLength(14);
    expect(page.url()).toContain('health=expired');
  });

  test('is used by keyboard', async ({ page, account, versions }) => {
    await registerAll(account, [{ name: 'edge', version: versions.latest }]);
    await new Delegates(page).open(account.page());
    const button = page.getByRole('button', { name: 'Export' });
    await button.focus();
    await page.keyboard.press('ArrowDown');
    const menu = page.getByRole('menu', { name: 'Export' });
    await expect(menu.getByRole('menuitem', { name: /^CSV: All in scope/ })).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(menu.getByRole('menuitem', { name: /^JSON: All in scope/ })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(button).toBeFocused();
  });

  test('gives links that a key can use', async ({ page, account, versions }) => {
    await registerAll(account, [{ name: 'edge', version: versions.latest }]);
    await new Delegates(page).open(account.page());
    await page.getByRole('button', { name: 'Export' }).click();
    const link = page.getByRole('menuitem', { name: /^CSV: All in scope/ });
    const path = await link.getAttribute('href');
    const answer = await fetch(account.server.url + path, { headers: account.headers });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(await answer.text()).toContain(`${account.name},edge,_edge,`);
  });
});
