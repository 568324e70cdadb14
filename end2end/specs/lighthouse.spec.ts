import { registerAll, replicas } from '../harness/delegate.ts';
import { lighthouse } from '../harness/lighthouse.ts';
import { expect, test } from '../harness/test.ts';

/** Times are measured, and held to their limits, by `make bench` alone. */
const TIMED = process.env.BENCH !== undefined;

test.describe('Lighthouse, desktop, 300 groups', () => {
  test('finds nothing on the overview and on the page of a group', async ({ account, versions }) => {
    const states = [versions.expired, versions.near, versions.unsupported, versions.latest];
    const profiles = Array.from({ length: 300 }, (_, n) =>
      replicas(1, { name: `payments-cluster-${n}`, version: states[n % states.length], tags: [`region-${n % 5}`, 'linux'] }),
    );
    await registerAll(account, profiles.flat());
    for (const [name, path, blocking] of [
      ['overview', account.page(), 50],
      // Ten times the rows of the page that people open.
      ['overview, 100 rows', account.page('', 'size=100'), 100],
      ['group', account.groupPage('_payments_cluster_1'), 50],
    ] as const) {
      const report = await lighthouse(account.server, path);
      expect.soft(report.failed, name).toEqual([]);
      expect.soft(report.accessibility, name).toBe(1);
      expect.soft(report.bestPractices, name).toBe(1);
      expect.soft(report.layoutShift, name).toBeLessThanOrEqual(0.02);
      if (!TIMED) continue;
      const { performance, largestContentfulPaint: lcp, totalBlockingTime: tbt, layoutShift } = report;
      console.log(`| ${name} | ${performance} | ${(lcp / 1000).toFixed(2)} s | ${Math.round(tbt)} ms | ${layoutShift.toFixed(3)} |`);
      expect.soft(performance, name).toBeGreaterThanOrEqual(0.98);
      expect.soft(lcp, name).toBeLessThanOrEqual(1_200);
      expect.soft(tbt, name).toBeLessThanOrEqual(blocking);
    }
  });
});
