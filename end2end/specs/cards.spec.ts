import { fleet } from '../harness/api.ts';
import { CARDS, type CardName, Delegates, FIGURES, read } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

const NAMES = Object.keys(CARDS) as CardName[];

test.describe('Health cards', () => {
  for (const name of NAMES) {
    test(`${name}: a click filters the list, a second one clears it`, async ({ page, shown }) => {
      const delegates = await new Delegates(page).open(shown.account.page());
      const { counts } = await fleet(shown.account);
      const card = delegates.card(name);
      await expect(card).toContainText(String(counts[CARDS[name]]));
      await expect(card).not.toHaveAttribute('aria-current');

      await card.click();
      await expect(page).toHaveURL(new RegExp(`[?&]health=${CARDS[name]}$`));
      await expect(card).toHaveAttribute('aria-current', 'true');
      await expect(page.getByRole('list', { name: 'Active filters' })).toContainText(`Health: ${name}`);
      const rows = await read(page);
      expect(name === 'Auto-upgrade off' ? rows.groups : rows.instances).toBe(counts[CARDS[name]]);

      await card.click();
      await expect(page).toHaveURL(shown.account.page());
      await expect(card).not.toHaveAttribute('aria-current');
    });

    test(`${name}: explains what it counts, why it matters and what to do`, async ({ page, shown }) => {
      await new Delegates(page).open(shown.account.page());
      const help = page.getByRole('button', { name: `About ${name}` });
      const explanation = page.getByText(name === 'Auto-upgrade off' ? /^Counts groups/ : /^Counts connected instances/);
      await expect(explanation.filter({ visible: true })).toHaveCount(0);
      await help.click();
      await expect(explanation.filter({ visible: true })).toHaveCount(1);
      await page.keyboard.press('Escape');
      await expect(explanation.filter({ visible: true })).toHaveCount(0);
      await expect(help).toBeFocused();
    });
  }

  test('the instances that a card brings are folded away and back', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('', 'health=expired'));
    await expect(delegates.instances('mixed')).toBeVisible();
    await page.getByRole('link', { name: 'Hide the instances of all' }).click();
    await expect(page).toHaveURL(/fold=true/);
    await expect(delegates.instances('mixed')).toHaveCount(0);
    await delegates.group('mixed').getByRole('button', { name: 'Instances of mixed' }).click();
    await expect(delegates.instances('mixed').getByRole('rowheader')).toHaveCount(1);
    await page.getByRole('link', { name: 'Show the instances of all' }).click();
    await expect(page).toHaveURL(shown.account.page('', 'health=expired'));
    await expect(delegates.instances('mixed')).toBeVisible();
  });

  test('a card combines with the search, and its number does not follow it', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    const { counts } = await fleet(shown.account);
    await delegates.search.fill('mixed');
    await expect(page).toHaveURL(/[?&]search=mixed$/);
    await expect.poll(() => delegates.names()).toEqual(['mixed']);
    await expect(delegates.card('Expired')).toContainText(String(counts.expired));

    await delegates.card('Expired').click();
    await expect(page).toHaveURL(/health=expired/);
    await expect(page).toHaveURL(/search=mixed/);
    await expect.poll(() => delegates.names()).toEqual(['mixed']);
    // Only the instance that matches is listed, not its current neighbour.
    await expect(delegates.instances('mixed').getByRole('rowheader')).toHaveCount(1);
    await expect(delegates.instances('mixed')).toContainText(shown.versions.expired);
    await expect(delegates.card('Expired')).toContainText(String(counts.expired));
    await expect(page.getByRole('status').filter({ hasText: 'of' })).toContainText(`1 of ${counts.instances} instances in 1 group`);

    await page.getByRole('link', { name: 'Clear filters' }).click();
    await expect(page).toHaveURL(shown.account.page());
  });

  test('each filter can be removed alone', async ({ page, shown }) => {
    await new Delegates(page).open(shown.account.page('', 'health=expired&search=mixed&delegateTags=mixed'));
    const filters = page.getByRole('list', { name: 'Active filters' });
    await expect(filters.getByRole('listitem')).toContainText(['Health: Expired', 'Search: mixed', 'Tag: mixed']);
    await filters.getByRole('link', { name: 'Remove filter Search: mixed' }).click();
    await expect(page).not.toHaveURL(/search=/);
    await expect(page).toHaveURL(/health=expired/);
    await expect(page).toHaveURL(/delegateTags=mixed/);
  });

  for (const name of Object.keys(FIGURES) as (keyof typeof FIGURES)[]) {
    test(`the figure "${name}" counts what no card counts and filters the list`, async ({ page, shown }) => {
      const delegates = await new Delegates(page).open(shown.account.page());
      const { counts } = await fleet(shown.account);
      const count = counts[FIGURES[name]];
      expect(count).toBeGreaterThan(0);
      await expect(delegates.figure(name)).toHaveText(`${count} ${name}`);
      await delegates.figure(name).click();
      await expect(page).toHaveURL(new RegExp(`health=${FIGURES[name]}`));
      await expect(delegates.figure(name)).toHaveAttribute('aria-current', 'true');
      await expect.poll(async () => (await read(page)).instances).toBe(count);
      await delegates.figure(name).click();
      await expect(page).toHaveURL(shown.account.page());
    });
  }

  test('figures that are zero are left out, and everything adds up', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('payments/checkout'));
    await expect(delegates.card('Expired')).toContainText('3');
    await expect(delegates.figure('unreachable')).toHaveCount(0);
    await expect(delegates.figure('version unknown')).toHaveCount(0);
    const { counts } = await fleet(shown.account, '', 'all=true');
    const { expired, nearExpiry, unsupported, active, unknown, unreachable } = counts;
    expect(expired + nearExpiry + unsupported + active + unknown + unreachable).toBe(counts.instances);
  });

  test('the cards of all groups add up to those of the scope', async ({ page, shown }) => {
    const { counts, delegates: entries } = await fleet(shown.account);
    const sums: Record<string, number> = {};
    for (const { identifier } of entries) {
      await page.goto(shown.account.groupPage(identifier));
      const cards = (await read(page)).counts;
      for (const [key, count] of Object.entries(cards)) sums[key] = (sums[key] ?? 0) + count;
    }
    for (const key of [...Object.values(CARDS), ...Object.values(FIGURES)]) {
      expect.soft(sums[key], key).toBe(counts[key]);
    }
  });
});
