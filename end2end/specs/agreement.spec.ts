import type { Page } from '@playwright/test';

import { Account } from '../harness/account.ts';
import { type Fleet, fleet } from '../harness/api.ts';
import { Drill } from '../harness/drill.ts';
import { CARDS, Delegates, FIGURES, type Reading, read } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

type Key = (typeof CARDS)[keyof typeof CARDS] | (typeof FIGURES)[keyof typeof FIGURES];

const KEYS: Key[] = [...Object.values(CARDS), ...Object.values(FIGURES)];
const SCOPES = ['', 'payments', 'payments/checkout'];

/** The number that the rows of a page stand for: groups for the fourth card, instances for all others. */
function rows(key: Key, reading: Reading): number {
  return key === 'autoUpgradeOff' ? reading.groups : reading.instances;
}

/** The same of the JSON. */
function entries(key: Key, { delegates }: Fleet): number {
  const instances = delegates.reduce((sum, { delegateReplicas }) => sum + delegateReplicas.length, 0);
  return key === 'autoUpgradeOff' ? delegates.length : instances;
}

/** Reads page and JSON until both describe the same instant. */
async function together(page: Page, account: Account, below: string, query: string): Promise<[Reading, Fleet]> {
  for (let tries = 0; tries < 60; tries += 1) {
    const [, json] = await Promise.all([page.goto(account.page(below, query)), fleet(account, below, query)]);
    const reading = await read(page);
    if (reading.asOf === json.generatedAt) return [reading, json];
  }
  throw new Error('page and JSON never described the same instant');
}

/** The address that a card or figure links to; none for a figure that is not shown. */
async function target(page: Page, key: Key): Promise<string | undefined> {
  const link = page.getByRole('main').locator(`a[data-card="${key}"]`);
  return (await link.count()) > 0 ? ((await link.getAttribute('href')) ?? undefined) : undefined;
}

test.describe('Counts of the JSON, cards, and the rows that cards link to', () => {
  test('agree at rest, over all pages', async ({ page, shown }) => {
    for (const below of [...SCOPES, 'logistics', 'media']) {
      for (const all of ['', 'all=true']) {
        const { counts } = await fleet(shown.account, below, all);
        await page.goto(shown.account.page(below, all));
        for (const key of KEYS) {
          const where = `${key} in ${below || 'the account'} ${all}`;
          const href = await target(page, key);
          if (href === undefined) {
            expect(counts[key], where).toBe(0);
            continue;
          }
          expect((await read(page)).counts[key], where).toBe(counts[key]);
          expect(await walk(page, href, key), where).toBe(counts[key]);
          const query = href.split('?')[1] ?? '';
          expect(entries(key, await fleet(shown.account, below, query)), where).toBe(counts[key]);
          await page.goto(shown.account.page(below, all));
        }
      }
    }
  });

  for (const below of SCOPES) {
    for (const all of ['', 'all=true']) {
      test(`agree while the fleet changes: ${below || 'account'} ${all}`, async ({ page, server, versions }) => {
        const account = await Account.create(server, ['payments', 'payments/checkout']);
        const { expired, near, unsupported, latest, runner } = versions;
        const drill = await Drill.play(account, 'churn', { expired, near, unsupported, latest, runner }, '--ramp', '1s');
        try {
          await expect.poll(async () => (await fleet(account, '', 'all=true')).counts.groups).toBe(7);
          const seen = new Set<string>();
          for (const key of [...KEYS, ...KEYS]) {
            const query = [`health=${key}`, 'size=100', all].filter(Boolean).join('&');
            const [reading, json] = await together(page, account, below, query);
            const where = `${key} at ${new Date(reading.asOf).toISOString()}`;
            // The page against itself: one snapshot.
            expect(reading.counts[key], where).toBe(rows(key, reading));
            // The page against the JSON of the same instant.
            for (const other of KEYS) expect(reading.counts[other] ?? 0, `${other} beside ${where}`).toBe(json.counts[other]);
            expect(rows(key, reading), where).toBe(entries(key, json));
            const { instances, connected, unreachable } = json.counts;
            expect(connected + unreachable, where).toBe(instances);
            seen.add(JSON.stringify(json.delegates.map(({ delegateReplicas }) => delegateReplicas.map(({ uuid }) => uuid))));
          }
          drill.check();
          expect(seen.size).toBeGreaterThan(1);
        } finally {
          await drill.kill();
        }
      });
    }
  }

  test('agree on a page that stays open while the fleet changes', async ({ page, server, versions }) => {
    const account = await Account.create(server, ['payments', 'payments/checkout']);
    const { expired, near, unsupported, latest, runner } = versions;
    const drill = await Drill.play(account, 'churn', { expired, near, unsupported, latest, runner }, '--ramp', '1s');
    try {
      await new Delegates(page).open(account.page('', 'all=true&size=100'));
      const instants = new Set<number>();
      // Nothing is unreachable yet, so that figure is not there.
      const keys = KEYS.filter((key) => key !== 'unreachable');
      for (const key of keys) {
        const link = page.getByRole('main').locator(`a[data-card="${key}"]`);
        await link.click();
        await expect(link).toHaveAttribute('aria-current', 'true');
        for (let looks = 0; looks < 4; looks += 1) {
          const reading = await read(page);
          expect(reading.counts[key], `${key} at ${reading.asOf}`).toBe(rows(key, reading));
          instants.add(reading.asOf);
          await expect.poll(async () => (await read(page)).asOf).not.toBe(reading.asOf);
        }
        await link.click();
        await expect(link).not.toHaveAttribute('aria-current');
      }
      drill.check();
      expect(instants.size).toBeGreaterThan(keys.length);
    } finally {
      await drill.kill();
    }
  });
});

/** Opens an address and turns all pages; gives the sum of their rows. */
async function walk(page: Page, href: string, key: Key): Promise<number> {
  await page.goto(href);
  let sum = rows(key, await read(page));
  const next = page.getByRole('navigation', { name: /^Pages of/ }).getByRole('link', { name: 'Next' });
  while ((await next.count()) > 0) {
    await page.goto((await next.getAttribute('href')) ?? '');
    sum += rows(key, await read(page));
  }
  return sum;
}
