import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from '@playwright/test';

import { Account } from './harness/account.ts';
import { fleet } from './harness/api.ts';
import { settled } from './harness/axe.ts';
import { silentFor } from './harness/database.ts';
import { Drill } from './harness/drill.ts';
import { Delegates } from './harness/pages.ts';
import { ROOT } from './harness/programs.ts';
import type { Server } from './harness/server.ts';
import { expect, test } from './harness/test.ts';

const FOLDER = join(ROOT, 'docs/screenshots');
const LOST = 17 * 60_000;

/** Pictures by name, and how a page gets there. */
const VIEWS: Record<string, (page: Page, account: Account) => Promise<unknown>> = {
  overview: (page, account) => new Delegates(page).open(account.page('', 'all=true')),
  filtered: (page, account) => new Delegates(page).open(account.page('', 'health=expired&search=eu&all=true')),
  expanded: async (page, account) => {
    await new Delegates(page).open(account.page('', 'all=true&search=spot'));
    const arrows = page.getByRole('button', { name: /^Instances of .*-spot$/ });
    await arrows.first().click();
    await expect(arrows.first()).toHaveAttribute('aria-expanded', 'true');
  },
  group: async (page, account) => {
    const { delegates } = await fleet(account, '', 'all=true&search=mixed');
    const { identifier = '', orgName, projectName } = delegates[0] ?? {};
    const below = [orgName, projectName].filter(Boolean).join('/');
    await new Delegates(page).open(account.groupPage(identifier, below));
  },
  empty: (page, account) => new Delegates(page).open(account.page('sandbox')),
  'not-found': (page, account) => new Delegates(page).open(account.groupPage('_gone', 'payments')),
  compact: async (page, account) => {
    const { origin } = new URL(account.server.url);
    await page.context().addCookies([{ name: 'rollcall_density', value: 'compact', url: origin }]);
    await new Delegates(page).open(account.page('', 'all=true'));
  },
};

async function shoot(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: width === 390 ? 844 : 1060 });
      await page.evaluate(() => document.fonts.ready);
      await page.evaluate(() => window.scrollTo(0, 0));
      await settled(page);
      await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}-${width}.png`), fullPage: width === 390 });
    }
  }
}

/** The demo fleet, standing still: nobody beats any more, and some have been silent for long. */
async function still(server: Server): Promise<Account> {
  const account = await Account.create(server, [...(await Drill.demoScopes()), 'sandbox'], 'acme');
  const drill = Drill.demo(account, '--ramp', '3s');
  await expect.poll(async () => (await fleet(account, '', 'all=true')).counts.instances, { timeout: 60_000 }).toBeGreaterThan(300);
  // Until upgraders have called and the first pods have been replaced.
  await new Promise((wake) => setTimeout(wake, 30_000));
  drill.check();
  await drill.kill();
  await server.command('setting', 'set', 'connectivity.start_hold_seconds', '0');
  const lost = `group_id IN (SELECT id FROM delegate_groups WHERE name LIKE '%-archive' OR name LIKE '%-relay')
                OR group_id IN (SELECT id FROM delegate_groups WHERE name LIKE '%-spot') AND rowid % 3 = 0`;
  await server.rewrite(silentFor(LOST, account.name, lost));
  return account;
}

test.setTimeout(600_000);

test('pictures of the main states', async ({ page, server, guard }) => {
  guard.expect(/status of 404|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET/);
  await mkdir(FOLDER, { recursive: true });
  const account = await still(server);
  for (const [name, open] of Object.entries(VIEWS)) {
    await page.setViewportSize({ width: 1440, height: 1000 });
    await open(page, account);
    await shoot(page, name);
    await page.context().clearCookies();
  }
  await new Delegates(page).open(account.page('', 'all=true'));
  await expect(page.getByRole('banner').getByText(/^Live · /)).toBeVisible();
  await server.kill();
  await expect(page.getByText(/^Disconnected since/)).toBeVisible();
  await shoot(page, 'stale');
});
