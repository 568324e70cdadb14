import { fleet } from '../harness/api.ts';
import { Delegate } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

test.describe('Silence', () => {
  test.beforeAll(async ({ server }) => {
    // Instead of 300 s and 180 s.
    await server.command('setting', 'set', 'connectivity.timeout_seconds', '14');
    await server.command('setting', 'set', 'connectivity.late_seconds', '7');
  });

  test.afterAll(async ({ server }) => {
    await server.command('setting', 'unset', 'connectivity.timeout_seconds');
    await server.command('setting', 'unset', 'connectivity.late_seconds');
  });

  test('makes a delegate late, then Not connected, by itself; a heartbeat brings it back', async ({ page, account, versions }) => {
    const silent = await new Delegate(account, { name: 'silent', version: versions.expired }).register();
    const steady = await new Delegate(account, { name: 'steady', version: versions.expired }).register();
    const beating = setInterval(() => void steady.beat(), 2_000);
    try {
      const delegates = await new Delegates(page).open(account.page());
      await expect(delegates.group('silent')).toContainText('Connected');
      await expect(delegates.card('Expired')).toContainText('2');

      await expect(delegates.group('silent')).toContainText(/late, last heartbeat \d+ s ago/);
      await expect(delegates.group('silent')).not.toContainText('Not connected');

      await expect(delegates.group('silent')).toContainText('Not connected');
      await expect(delegates.group('silent')).toContainText('N/A');
      await expect(delegates.group('steady')).not.toContainText('Not connected');
      await expect(delegates.card('Expired')).toContainText('1');
      await expect(delegates.figure('unreachable')).toHaveText('1 unreachable');
      const { counts } = await fleet(account);
      expect(counts).toMatchObject({ instances: 2, connected: 1, unreachable: 1, expired: 1 });

      await silent.beat();
      await expect(delegates.group('silent')).not.toContainText('Not connected');
      await expect(delegates.figure('unreachable')).toHaveCount(0);
    } finally {
      clearInterval(beating);
    }
  });
});
