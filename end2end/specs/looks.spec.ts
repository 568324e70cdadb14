import type { Page } from '@playwright/test';

import { settled } from '../harness/axe.ts';
import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

/** Every status on the page: its words and its drawing. */
function marks(page: Page): Promise<[word: string, drawing: string][]> {
  return page.evaluate(() => {
    const found = [...document.querySelectorAll('main .st, main .card .lab')];
    return found
      .filter((mark) => mark.closest('[popover]') === null)
      .map((mark) => [mark.textContent?.trim() ?? '', mark.querySelector('use')?.getAttribute('href') ?? ''] as [string, string]);
  });
}

test.describe('Without colours', () => {
  test('every status has a word and a drawing of its own', async ({ page, shown }, info) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setEmulatedVisionDeficiency', { type: 'achromatopsia' });
    for (const query of ['all=true&size=50', 'all=true&size=50&health=expired']) {
      await new Delegates(page).open(shown.account.page('', query));
      await settled(page);
      await info.attach(query, { body: await page.screenshot({ fullPage: true }), contentType: 'image/png' });
      const drawings = new Map<string, Set<string>>();
      for (const [word, drawing] of await marks(page)) {
        expect(word, drawing).not.toBe('');
        expect(drawing, word).toMatch(/^#i-/);
        drawings.set(word, (drawings.get(word) ?? new Set()).add(drawing));
      }
      for (const [word, seen] of drawings) expect([...seen], `one drawing for ${word}`).toHaveLength(1);
      const versions = ['Expired', 'Near expiry', 'Unsupported', 'Supported', 'Unknown'].filter((word) => drawings.has(word));
      const used = versions.map((word) => [...(drawings.get(word) ?? [])][0]);
      expect(new Set(used).size, versions.join()).toBe(versions.length);
    }
  });
});

test.describe('On paper', () => {
  for (const theme of ['light', 'dark'] as const) {
    test(`there are figures, and neither navigation nor controls: ${theme}`, async ({ page, shown }, info) => {
      await page.emulateMedia({ colorScheme: theme });
      await new Delegates(page).open(shown.account.page('', 'search=core&open=x'));
      await page.emulateMedia({ media: 'print', colorScheme: theme });
      await expect(page.getByRole('banner')).toBeHidden();
      await expect(page.getByRole('searchbox')).toBeHidden();
      await expect(page.getByRole('button', { name: /^Actions/ }).first()).toBeHidden();
      const foot = page.locator('footer');
      await expect(foot).toBeVisible();
      await expect(foot).toHaveText(/^Rollcall · \S+ · as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC · http.*\/delegates\?.*search=core/);
      const looks = await page.evaluate(() => ({
        canvas: getComputedStyle(document.documentElement).backgroundColor,
        head: getComputedStyle(document.querySelector('.list > thead') ?? document.body).display,
      }));
      expect(looks).toEqual({ canvas: 'rgb(255, 255, 255)', head: 'table-header-group' });
      await info.attach('paper', { body: await page.screenshot({ fullPage: true }), contentType: 'image/png' });
      const pdf = await page.pdf({ format: 'A4', landscape: true });
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
      await info.attach('paper.pdf', { body: pdf, contentType: 'application/pdf' });
    });
  }
});
