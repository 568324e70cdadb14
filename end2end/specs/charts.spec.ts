import type { Locator, Page } from '@playwright/test';

import { violations } from '../harness/axe.ts';
import { Delegates, read } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

const TITLES = ['Versions', 'Expiry, next 12 weeks', 'Heartbeats, 24 h'];

function chart(page: Page, title: string): Locator {
  return page.getByRole('region', { name: 'Charts' }).getByRole('figure').filter({ has: page.getByRole('heading', { name: title }) });
}

/** How many instances the name of a mark speaks of. */
async function counted(mark: Locator): Promise<number> {
  return Number(/([\d,]+) instance/.exec((await mark.locator('title').textContent()) ?? '')?.[1]?.replaceAll(',', ''));
}

test.describe('Charts', () => {
  for (const title of TITLES) {
    test(`${title}: a mark leads to exactly the instances it counts`, async ({ page, shown }) => {
      await new Delegates(page).open(shown.account.page('', 'all=true&size=100'));
      const mark = chart(page, title).getByRole('link').first();
      const count = await counted(mark);
      expect(count).toBeGreaterThan(0);
      await mark.locator('.hit').click();
      await expect(page).toHaveURL(/[?&](version|expires|silent)=/);
      await expect(page).toHaveURL(/all=true/);
      await expect.poll(async () => (await read(page)).instances).toBe(count);
      await expect(mark).toHaveAttribute('aria-current', 'true');
      await mark.locator('.hit').click();
      await expect(page).not.toHaveURL(/[?&](version|expires|silent)=/);
    });

    test(`${title}: a table tells the same by keyboard`, async ({ page, shown }) => {
      await new Delegates(page).open(shown.account.page('', 'all=true&size=100'));
      const opener = chart(page, title).getByRole('button', { name: `${title} as a table` });
      await opener.focus();
      await page.keyboard.press('Enter');
      const table = page.getByRole('table', { name: title });
      await expect(table).toBeVisible();
      const link = table.getByRole('link').first();
      const count = Number((/[\d,]+/.exec((await link.textContent()) ?? '') ?? [''])[0].replaceAll(',', ''));
      expect(await violations(page)).toEqual([]);
      await link.focus();
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(/[?&](version|expires|silent)=/);
      await expect.poll(async () => (await read(page)).instances).toBe(count);
    });
  }

  test('each says in a sentence what it shows', async ({ page, shown }) => {
    await new Delegates(page).open(shown.account.page());
    await expect(chart(page, 'Versions')).toContainText('Connected instances by version:');
    await expect(chart(page, 'Expiry, next 12 weeks')).toContainText('within 12 weeks');
    await expect(chart(page, 'Heartbeats, 24 h')).toContainText('of expected time connected in the past 24 h');
  });

  test('they can be folded away, which is remembered', async ({ page, shown }) => {
    const view = shown.account.page('', 'size=25');
    await new Delegates(page).open(view);
    const fold = page.getByRole('region', { name: 'Charts' }).getByRole('button', { name: 'Charts', exact: true });
    await fold.click();
    await expect(page).toHaveURL(view);
    await expect(fold).toHaveAttribute('aria-expanded', 'false');
    await expect(page.getByRole('figure')).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole('figure')).toHaveCount(0);
    await fold.click();
    await expect(page.getByRole('figure')).toHaveCount(3);
  });
});
