import type { Page } from '@playwright/test';

import { Account } from '../harness/account.ts';
import { Delegate, registerAll, replicas } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

/** Marks a document, so that loading it again would show. */
async function mark(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => document.body.setAttribute('data-marked', ''));
  return () => page.evaluate(() => document.body.hasAttribute('data-marked'));
}

test.describe('Live updates', () => {
  test('bring a new delegate, its cards and its goodbye without loading the page again', async ({ page, account, versions }) => {
    const delegates = await new Delegates(page).open(account.page());
    const same = await mark(page);
    await expect(page.getByRole('heading', { name: `No delegates in account ${account.name} yet` })).toBeVisible();

    const first = await new Delegate(account, { name: 'first', version: versions.expired }).register();
    await expect(delegates.group('first')).toContainText('Connected');
    await expect(delegates.card('Expired')).toContainText('1');
    await expect(page.getByRole('banner').getByText(/^Live · /)).toBeVisible();

    await new Delegate(account, { name: 'second', version: versions.near }).register();
    await expect(delegates.group('second')).toBeVisible();
    await expect(delegates.card('Near expiry')).toContainText('1');

    await first.beat({ version: versions.latest });
    await expect(delegates.group('first')).toContainText('Supported');
    await expect(delegates.card('Expired')).toContainText('0');

    await first.unregister();
    await expect(delegates.group('first')).toContainText('no instances');
    expect(await same()).toBe(true);
  });

  test('pause, and catch up when resumed', async ({ page, context, account, versions }) => {
    await new Delegate(account, { name: 'old', version: versions.latest }).register();
    const delegates = await new Delegates(page).open(account.page());
    await expect(page.getByRole('banner').getByText(/^Live · /)).toBeVisible();
    await page.getByRole('banner').getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByText(/^Live updates paused/)).toBeVisible();

    // A second viewer proves that there was something to see.
    const other = await new Delegates(await context.newPage()).open(account.page());
    await new Delegate(account, { name: 'new', version: versions.latest }).register();
    await expect(other.group('new')).toBeVisible();
    await expect(delegates.group('old')).toBeVisible();
    await expect(delegates.group('new')).toHaveCount(0);

    await page.bringToFront();
    await page.getByRole('banner').getByRole('button', { name: 'Resume' }).click();
    await expect(delegates.group('new')).toBeVisible();
    await expect(page.getByText(/^Live updates paused/)).toHaveCount(0);
  });

  test('are told by voice to those who ask for it', async ({ page, account, versions }) => {
    const old = await new Delegate(account, { name: 'old', version: versions.expired }).register();
    const delegates = await new Delegates(page).open(account.page());
    const said = page.locator('#say');
    await old.beat({ version: versions.near });
    await expect(delegates.group('old')).toContainText('Near expiry');
    await expect(said).toBeEmpty();

    await page.getByRole('button', { name: 'Display' }).click();
    const asked = page.getByRole('group', { name: 'Tell screen readers of changes' });
    const kept = page.waitForResponse((answer) => answer.url().endsWith('/ui/preferences'));
    await asked.getByRole('radio', { name: 'On' }).check();
    await kept;
    await page.keyboard.press('Escape');
    await old.beat({ version: versions.latest });
    await expect(said).toHaveText('1 delegate changed.');
    await expect(delegates.group('old')).toContainText('Supported');
    // The choice stays, and what is said goes.
    await expect(said).toBeEmpty();
    await page.reload();
    await expect(page.locator('html')).toHaveAttribute('data-announce', 'on');
  });

  test('leave focus, expansion, open menus and typed text alone', async ({ page, account, versions }) => {
    await registerAll(account, replicas(2, { name: 'edge', version: versions.latest }));
    const delegates = await new Delegates(page).open(account.page());
    await delegates.group('edge').getByRole('button', { name: 'Instances of edge' }).click();
    await expect(delegates.instances('edge')).toBeVisible();
    const menu = delegates.group('edge').getByRole('button', { name: 'Actions for edge' });
    await menu.focus();
    await page.keyboard.press('Enter');
    const details = page.getByRole('menuitem', { name: 'Details' }).filter({ visible: true });
    await expect(details).toBeFocused();

    await registerAll(account, [{ name: 'another', version: versions.latest }]);
    await expect(delegates.group('another')).toBeVisible();
    await expect(details).toBeFocused();
    await expect(delegates.instances('edge').getByRole('rowheader')).toHaveCount(2);
    await page.keyboard.press('Escape');
    await expect(menu).toBeFocused();

    await registerAll(account, replicas(3, { name: 'edge', version: versions.latest }));
    await expect(delegates.instances('edge').getByRole('rowheader')).toHaveCount(3);
    await expect(menu).toBeFocused();
  });

  test('never sort rows away from under the pointer', async ({ page, account, versions }) => {
    const [first] = await registerAll(account, [
      { name: 'first', version: versions.expired },
      { name: 'second', version: versions.near },
    ]);
    const delegates = await new Delegates(page).open(account.page('', 'sort=version'));
    expect(await delegates.names()).toEqual(['first', 'second']);
    await delegates.group('second').hover();
    await first?.beat({ version: versions.latest });
    await expect(delegates.group('first')).toContainText('Supported');
    expect(await delegates.names()).toEqual(['first', 'second']);
    await page.mouse.move(2, 2);
    await expect.poll(() => delegates.names()).toEqual(['second', 'first']);
  });

  test('put a new row last while somebody points at one, and in order afterwards', async ({ page, account, versions }) => {
    await registerAll(account, [
      { name: 'bravo', version: versions.latest },
      { name: 'charlie', version: versions.latest },
    ]);
    const delegates = await new Delegates(page).open(account.page('', 'sort=name'));
    await delegates.group('bravo').hover();
    const place = await delegates.group('bravo').boundingBox();
    await registerAll(account, [{ name: 'alpha', version: versions.latest }]);
    await expect(delegates.group('alpha')).toBeVisible();
    expect(await delegates.names()).toEqual(['bravo', 'charlie', 'alpha']);
    expect(await delegates.group('bravo').boundingBox()).toEqual(place);
    await page.mouse.move(2, 2);
    await expect.poll(() => delegates.names()).toEqual(['alpha', 'bravo', 'charlie']);
  });

  test('wait while a dialog is open', async ({ page, context, account, versions }) => {
    await registerAll(account, [{ name: 'edge', version: versions.latest }]);
    const delegates = await new Delegates(page).open(account.page());
    await expect(page.getByRole('banner').getByText(/^Live · /)).toBeVisible();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(sheet).toBeVisible();
    const other = await new Delegates(await context.newPage()).open(account.page());
    await page.bringToFront();
    await registerAll(account, [{ name: 'new', version: versions.latest }]);
    await expect(other.group('new')).toBeVisible();
    await expect(delegates.group('new')).toHaveCount(0);
    await sheet.getByRole('link', { name: 'Close' }).click();
    await expect(delegates.group('new')).toBeVisible();
  });

  test('follow the filter of the address', async ({ page, account, versions }) => {
    await registerAll(account, [{ name: 'edge-a', version: versions.expired }]);
    const delegates = await new Delegates(page).open(account.page('', 'health=expired'));
    await registerAll(account, [
      { name: 'edge-b', version: versions.latest },
      { name: 'edge-c', version: versions.expired },
    ]);
    await expect(delegates.card('Expired')).toContainText('2');
    expect(await delegates.names()).toEqual(['edge-a', 'edge-c']);
  });

  test('include the scopes below when the page does', async ({ page, server, versions }) => {
    const account = await Account.create(server, ['payments']);
    const delegates = await new Delegates(page).open(account.page('', 'all=true'));
    await registerAll(account, [{ name: 'pay', below: 'payments', version: versions.latest }]);
    await expect(delegates.group('pay').getByText('payments', { exact: true })).toBeVisible();
  });

  test('say that the connection is lost, keep the figures, and come back', async ({ page, server, account, versions, guard }) => {
    guard.expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|status of 502/);
    await new Delegate(account, { name: 'edge', version: versions.latest }).register();
    const delegates = await new Delegates(page).open(account.page());
    const same = await mark(page);
    await expect(page.getByRole('banner').getByText(/^Live · /)).toBeVisible();

    await server.kill();
    await expect(page.getByText(/^Disconnected since \d\d:\d\d UTC/)).toBeVisible();
    await expect(page.getByText(/^Retrying in \d+ s\./)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
    await expect(delegates.group('edge')).toContainText('Connected');

    await server.start();
    await new Delegate(account, { name: 'meanwhile', version: versions.latest }).register();
    await expect(page.getByText(/^Disconnected since/)).toHaveCount(0, { timeout: 60_000 });
    await expect(delegates.group('meanwhile')).toBeVisible();
    await expect(page.getByRole('banner').getByText(/^Live · /)).toBeVisible();
    await expect(page.getByText(/^The server restarted at \d\d:\d\d UTC/)).toBeVisible();
    expect(await same()).toBe(true);
  });
});
