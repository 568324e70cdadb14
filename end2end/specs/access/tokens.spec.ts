import { audited } from '../../harness/access.ts';
import type { Token } from '../../harness/account.ts';
import { fleet } from '../../harness/api.ts';
import { Delegate } from '../../harness/delegate.ts';
import { inner } from '../../harness/jwe.ts';
import { Delegates } from '../../harness/pages.ts';
import { ADMIN } from '../../harness/people.ts';
import { expect, test } from '../../harness/test.ts';

test.beforeEach(({ guard }) => guard.expect(/status of 4\d\d/));

test.describe('Tokens', () => {
  test.beforeAll(async ({ server }) => {
    // Instead of 300 s and 180 s.
    await server.command('setting', 'set', 'connectivity.timeout_seconds', '14');
    await server.command('setting', 'set', 'connectivity.late_seconds', '7');
  });

  test.afterAll(async ({ server }) => {
    await server.command('setting', 'unset', 'connectivity.timeout_seconds');
    await server.command('setting', 'unset', 'connectivity.late_seconds');
  });

  test('open the door for delegates, and shut it over both transports', async ({ page, keys, scripts, account, versions }) => {
    const name = (label: string) => page.getByLabel(label, { exact: true });
    const row = page.getByRole('row', { name: /^blue / });
    const create = async () => {
      await keys.open(account.path('tokens'));
      await keys.unfold('New token');
      await keys.type(name('Name'), 'blue');
      await keys.press(page.getByRole('button', { name: 'Create token' }));
    };

    await keys.open(account.path('tokens'));
    await expect(page.getByRole('rowheader', { name: 'edge', exact: true })).toBeVisible();
    // What a delegate is given to find its way; never a token again.
    const given = page.getByRole('region', { name: 'For a delegate' });
    await expect(given).toContainText(`ACCOUNT_ID ${account.name}`);
    await expect(given).toContainText(`MANAGER_HOST_AND_PORT ${account.server.url}`);
    await expect(given).toContainText('Shown when a token is created, and in the files for a new delegate.');
    expect(await page.content()).not.toContain(account.token().outer);
    expect(await page.content()).not.toContain(account.token().hex);
    await keys.unfold('New token');
    await keys.sound();
    await keys.type(name('Name'), 'blue');
    await keys.type(name('Revoke by itself after days'), '30');
    await keys.press(page.getByRole('button', { name: 'Create token' }));
    const ready = page.getByRole('region', { name: 'Token blue is ready' });
    await expect(ready).toContainText('Later it stands in the files for a new delegate alone');
    const outer = (await page.locator('#secret').innerText()).trim();
    expect(inner(outer)).toMatch(/^[0-9a-f]{32}$/);
    await expect(row).toContainText('Active');
    await expect(row).toContainText(ADMIN);
    await expect(row).toContainText('0 instances');
    await keys.sound();
    // Only that once.
    await keys.open(account.path('tokens'));
    await expect(row).toBeVisible();
    for (const secret of [outer, inner(outer)]) expect(await page.content()).not.toContain(secret);

    const token: Token = { scope: account.name, outer, hex: inner(outer) };
    const polling = await new Delegate(account, { name: 'polls', family: 'go', host: 'm1' }, token).register();
    const streaming = await new Delegate(account, { name: 'streams', version: versions.latest }, token).register();
    await streaming.stream();
    const bystander = await new Delegate(account, { name: 'stays', family: 'go', host: 'm2' }).register();
    const beating = setInterval(() => {
      void bystander.beat();
      void polling.refused();
    }, 2_000);
    try {
      const delegates = new Delegates(page);
      await keys.open(account.page());
      for (const group of ['polls', 'streams', 'stays']) {
        await expect(delegates.group(group)).toContainText('Connected');
        await expect(delegates.group(group)).not.toContainText('Not connected');
      }

      await keys.open(account.path('tokens'));
      await expect(row).toContainText('2 instances');
      await expect(row).not.toContainText('never');
      await keys.press(page.getByRole('link', { name: 'Revoke… blue' }));
      await expect(page.getByRole('heading', { level: 1, name: 'Revoke token blue?' })).toBeVisible();
      if (scripts) await expect(page.getByRole('dialog', { name: 'Revoke token blue?' })).toBeVisible();
      const users = page.getByText(/^2 instances of 2 delegates lose access at once/);
      await expect(users).toContainText('polls');
      await expect(users).toContainText('streams');
      await expect(users).not.toContainText('stays');
      await keys.sound();
      const typed = page.getByLabel('Type blue to confirm');
      await keys.type(typed, 'green');
      await page.keyboard.press('Enter');
      await expect(page.getByText('Type the name of the token, blue, exactly as it is written.')).toBeVisible();
      await keys.sound();
      expect((await polling.refused()).status).toBe(200);

      const gone = streaming.farewell();
      await keys.type(typed, 'blue');
      await keys.press(page.getByRole('button', { name: 'Revoke token' }));
      await expect(page).toHaveURL(`${account.path('tokens')}?status=revoked`);
      await expect(row).toContainText('Revoked');
      await keys.sound();
      const { frames, code } = await gone;
      expect(frames.join()).toContain('[SELF_DESTRUCT]');
      expect(code).toBe(1008);
      const refused = await polling.refused();
      expect(refused.status).toBe(401);
      expect(refused.body).toContain('REVOKED_TOKEN');

      await expect
        .poll(async () => (await fleet(account)).delegates.map(({ name, connected }) => `${name} ${connected}`).toSorted(), {
          timeout: 60_000,
        })
        .toEqual(['polls false', 'stays true', 'streams false']);
      await keys.open(account.page());
      await expect(delegates.group('polls')).toContainText('Not connected');
      await expect(delegates.group('streams')).toContainText('Not connected');
      await expect(delegates.group('stays')).not.toContainText('Not connected');
    } finally {
      clearInterval(beating);
    }

    // The name stays taken until the revoked token is deleted.
    await create();
    await expect(page.getByText(/^A token of this name already exists; it is revoked/)).toBeVisible();
    await expect(name('Name')).toHaveValue('blue');
    await keys.sound();
    await keys.open(`${account.path('tokens')}?status=revoked`);
    await keys.press(page.getByRole('button', { name: 'Delete revoked token blue' }));
    await expect(row).toHaveCount(0);
    await expect(page.getByText('No token of this scope is revoked.')).toBeVisible();
    await create();
    await expect(ready).toBeVisible();
    expect((await page.locator('#secret').innerText()).trim()).not.toBe(outer);
    // The old value is of no use for the new token.
    expect((await polling.refused()).status).toBe(401);

    for (const [action, says] of [
      ['token.create', 'Token blue was created'],
      ['token.revoke', 'Token blue was revoked; 2 listed instances used it'],
      ['token.delete', 'Token blue was deleted; its name is free'],
    ] as const) {
      const [line] = await audited(page, keys, account, action);
      expect(line).toContain(`${ADMIN} ${action} blue`);
      expect(line).toContain(says);
    }
    for (const secret of [outer, inner(outer)]) expect(await page.content()).not.toContain(secret);
  });
});
