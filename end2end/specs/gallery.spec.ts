import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { settled, violations } from '../harness/axe.ts';
import { overflow } from '../harness/keyboard.ts';
import { ROOT, program } from '../harness/programs.ts';
import { Server } from '../harness/server.ts';
import { expect, test } from '../harness/test.ts';

/** The debug build, which alone has the gallery; `cargo test` leaves it. */
const DEBUG = join(ROOT, 'target/debug/rollcall');

test.describe('The gallery', () => {
  test('shows every component in both themes, without a breach of WCAG 2.2 AA', async ({ page }, info) => {
    expect(existsSync(DEBUG), `${DEBUG} is built`).toBe(true);
    const server = await Server.create({ program: DEBUG });
    try {
      await page.context().clearCookies();
      await page.context().addCookies(server.signedIn);
      await page.goto(`${server.url}/dev/gallery`);
      const links = page.getByRole('navigation', { name: 'Entries' }).getByRole('link');
      const names = await links.allTextContents();
      expect(names.length).toBeGreaterThan(20);
      for (const theme of ['Light', 'Dark']) {
        await page.goto(`${server.url}/dev/gallery`);
        await page.getByRole('button', { name: 'Display' }).click();
        const menu = page.getByRole('dialog', { name: 'Display' });
        await menu.getByRole('radio', { name: theme, exact: true }).check();
        await menu.getByRole('button', { name: 'Apply' }).click();
        await expect(page.locator('html')).toHaveAttribute('data-theme', theme.toLowerCase());
        for (const name of names) {
          await page.goto(`${server.url}/dev/gallery/${name}`);
          await expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible();
          await settled(page);
          await info.attach(`${name} ${theme}`, { body: await page.screenshot({ fullPage: true }), contentType: 'image/png' });
          expect.soft(await violations(page), `${name} in ${theme}`).toEqual([]);
          expect.soft(await overflow(page), `${name} is too wide`).toBeLessThanOrEqual(0);
        }
      }
    } finally {
      await server.dispose();
    }
  });

  test('is not in an optimised build', async ({ page, server, guard }) => {
    guard.expect(/status of 404/);
    const optimised = program('rollcall') !== DEBUG;
    const answer = await page.goto(`${server.url}/dev/gallery`);
    expect(answer?.status()).toBe(optimised ? 404 : 200);
  });
});
