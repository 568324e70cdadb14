import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from '@playwright/test';

import { allowDeleting } from './harness/access.ts';
import { Account } from './harness/account.ts';
import { fleet } from './harness/api.ts';
import { settled } from './harness/axe.ts';
import { silentFor } from './harness/database.ts';
import { registerAll, replicas } from './harness/delegate.ts';
import { Drill } from './harness/drill.ts';
import { Delegates } from './harness/pages.ts';
import { ROOT } from './harness/programs.ts';
import { addPerson, become } from './harness/people.ts';
import { Server } from './harness/server.ts';
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
  'new-delegate': (page, account) =>
    new Delegates(page).open(`${account.path('new')}?platform=kubernetes&name=edge-eu&tags=eu`),
  empty: (page, account) => new Delegates(page).open(account.page('sandbox')),
  'not-found': (page, account) => new Delegates(page).open(account.groupPage('_gone', 'payments')),
  compact: async (page, account) => {
    const { origin } = new URL(account.server.url);
    await page.context().addCookies([{ name: 'rollcall_density', value: 'compact', url: origin }]);
    await new Delegates(page).open(account.page('', 'all=true'));
  },
};

type Look = ['light' | 'dark', number];

const ALL: Look[] = [
  ['light', 1440],
  ['light', 390],
  ['dark', 1440],
  ['dark', 390],
];
const SOME = ALL.slice(0, 3);

async function shoot(page: Page, name: string, looks = ALL, ready = () => Promise.resolve()): Promise<void> {
  for (const [colorScheme, width] of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: width === 390 ? 844 : 1060 });
    await page.evaluate(() => document.fonts.ready);
    await page.evaluate(() => window.scrollTo(0, 0));
    await ready();
    await settled(page);
    // What lies over a page is seen where it is.
    const overlaid = (await page.locator(':popover-open, dialog[open]').count()) > 0;
    const path = join(FOLDER, `${name}-${colorScheme}-${width}.png`);
    await page.screenshot({ path, fullPage: width === 390 && !overlaid });
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
    await page.context().clearCookies({ name: 'rollcall_density' });
  }
  await new Delegates(page).open(account.page('', 'all=true'));
  await expect(page.getByRole('banner').getByText(/^Live · /)).toBeVisible();
  await server.kill();
  await expect(page.getByText(/^Disconnected since/)).toBeVisible();
  await shoot(page, 'stale');
});

test('pictures of who may do what', async ({ page, versions, guard }) => {
  guard.expect(/status of 4\d\d|ERR_/);
  await mkdir(FOLDER, { recursive: true });
  const server = await Server.create();
  const delegates = new Delegates(page);
  try {
    await server.importCatalog(versions.document);
    const account = await Account.create(server, ['payments', 'logistics'], 'acme');
    const at = (path: string) => server.url + path;
    await registerAll(account, [
      ...replicas(3, { name: 'eu-west-prod', version: versions.latest, tags: ['eu', 'prod'] }),
      ...replicas(2, { name: 'eu-west-staging', version: versions.near, tags: ['eu'] }),
      ...replicas(2, { name: 'us-east-prod', version: versions.expired, tags: ['us', 'prod'] }),
      { name: 'build-vms', family: 'go', host: 'build-01', tags: ['linux'] },
    ]);
    const viewer = 'vera@acme.test';
    for (const [email, name, scope, role, only] of [
      ['ana@acme.test', 'Ana Lima', 'acme', 'admin', ''],
      ['omar@acme.test', 'Omar Haddad', 'acme/payments', 'operator', ''],
      ['lena@acme.test', 'Lena Vogt', 'acme', 'operator', '_build_vms'],
      [viewer, 'Vera Novak', 'acme', 'viewer', ''],
    ] as const) {
      await addPerson(server, { email, name, scope, role, delegates: only });
    }

    await page.context().clearCookies();
    await page.goto(at(account.page()));
    await shoot(page, 'sign-in', SOME);

    await become(page, server, 'ana@acme.test');
    const create = async (name: string, days = '') => {
      await delegates.open(at(account.path('tokens')));
      await page.locator('summary').filter({ hasText: 'New token' }).click();
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByLabel('Revoke by itself after days').fill(days);
      await page.getByRole('button', { name: 'Create token' }).click();
      await expect(page.getByRole('region', { name: `Token ${name} is ready` })).toBeVisible();
    };
    await create('payments-2026', '90');
    await create('build-vms');
    await shoot(page, 'token-ready', SOME);
    await delegates.open(at(account.path('tokens')));
    await shoot(page, 'tokens', SOME);
    await delegates.open(at(account.path('users')));
    await shoot(page, 'users', SOME);

    await allowDeleting(account, '_us_east_prod');
    const menu = async (name: string) => {
      await delegates.open(at(account.page()));
      await delegates.group(name).getByRole('button', { name: `Actions for ${name}` }).click();
      return page.getByRole('menuitem', { name: 'Delete…' }).filter({ visible: true });
    };
    await (await menu('us-east-prod')).click();
    await expect(page.getByRole('dialog', { name: 'Delete delegate us-east-prod?' })).toBeVisible();
    await shoot(page, 'delete', SOME);
    await page.getByLabel('Type us-east-prod to confirm').fill('us-east-prod');
    await page.getByRole('button', { name: 'Delete delegate' }).click();
    await expect(page.getByText('us-east-prod deleted')).toBeVisible();
    await delegates.open(`${at(account.path('audit'))}?all=true`);
    await shoot(page, 'audit', SOME);

    await become(page, server, viewer);
    await shoot(page, 'denied', SOME, async () => {
      await expect(await menu('eu-west-prod')).toContainText('Needs core_delegate_delete');
    });
  } finally {
    await page.goto('about:blank');
    await server.dispose();
  }
});
