import { fleet } from '../harness/api.ts';
import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

test.describe('Scopes', () => {
  test('have disjoint lists: neither above nor below is listed', async ({ page, shown }) => {
    const lists: Record<string, string[]> = {};
    for (const below of ['', 'payments', 'payments/checkout', 'payments/ledger', 'logistics/routing']) {
      const delegates = await new Delegates(page).open(shown.account.page(below, 'size=100'));
      lists[below] = await delegates.names();
    }
    expect(lists['payments']).toEqual(['pay-a', 'pay-b']);
    expect(lists['payments/checkout']).toEqual(['checkout-a']);
    expect(lists['payments/ledger']).toEqual(['ledger-a']);
    expect(lists['logistics/routing']).toEqual(['routing-a']);
    const all = Object.values(lists).flat();
    expect(new Set(all).size).toBe(all.length);
  });

  test('above can include those below, which then carry their scope', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('payments', 'size=25'));
    await page.getByRole('link', { name: 'Include scopes below: 2 groups' }).click();
    await expect(page).toHaveURL(/all=true/);
    await expect.poll(() => delegates.names()).toEqual(['checkout-a', 'ledger-a', 'pay-a', 'pay-b']);
    // Told from here on downwards.
    await expect(delegates.group('checkout-a').getByText('checkout', { exact: true })).toBeVisible();
    await expect(delegates.group('pay-a').getByText('payments')).toHaveCount(0);
    await delegates.open(shown.account.page('', 'all=true&search=checkout-a'));
    await expect(delegates.group('checkout-a').getByText('payments/checkout', { exact: true })).toBeVisible();
    await page.goBack();
    const { counts } = await fleet(shown.account, 'payments', 'all=true');
    await expect(delegates.card('Expired')).toContainText(String(counts.expired));
    await expect(page).toHaveURL(/size=25/);

    // Filters keep the choice.
    await delegates.card('Expired').click();
    await expect(page).toHaveURL(/health=expired/);
    await expect(page).toHaveURL(/all=true/);
    await expect.poll(() => delegates.names()).toEqual(['checkout-a']);
    await delegates.card('Expired').click();
    await expect(page).not.toHaveURL(/health=/);

    await page.getByRole('link', { name: 'Scopes below included. Leave them out' }).click();
    await expect(page).not.toHaveURL(/all=true/);
    await expect.poll(() => delegates.names()).toEqual(['pay-a', 'pay-b']);
  });

  test('a card tells what lies below and leads there', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('payments'));
    const own = await fleet(shown.account, 'payments');
    const all = await fleet(shown.account, 'payments', 'all=true');
    const below = all.counts.expired - own.counts.expired;
    expect(below).toBeGreaterThan(0);
    await page.getByRole('link', { name: new RegExp(`^${below} (more )?in scopes below: Expired$`) }).click();
    await expect(page).toHaveURL(/health=expired&all=true/);
    await expect(delegates.card('Expired')).toContainText(String(all.counts.expired));
    await expect.poll(() => delegates.names()).toContain('checkout-a');
    await expect(page.getByRole('link', { name: /in scopes below/ })).toHaveCount(0);
  });

  test('a group of a scope below is opened under its own scope', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('', 'all=true&search=checkout-a'));
    await delegates.list.getByRole('link', { name: 'checkout-a' }).click();
    await expect(page).toHaveURL(shown.account.groupPage('_checkout_a', 'payments/checkout'));
    await expect(page.getByRole('heading', { level: 1, name: 'checkout-a' })).toBeVisible();
  });

  test('the switcher lists all, finds by name and leads there', async ({ page, shown }) => {
    await new Delegates(page).open(shown.account.page('logistics/routing'));
    const button = page.getByRole('button', { name: /^Scope/ });
    await expect(button).toContainText('routing');
    await button.click();
    const switcher = page.getByRole('dialog', { name: 'Scopes' });
    await expect(switcher.getByRole('link', { name: 'routing' }).filter({ visible: true }).first()).toBeVisible();
    const mine = switcher.getByRole('listitem').filter({ has: page.getByRole('link', { name: shown.account.name, exact: true }) });
    for (const name of ['payments', 'checkout', 'ledger', 'logistics', 'routing', 'media', 'streaming', 'empty']) {
      await expect(mine.getByRole('link', { name, exact: true })).toBeVisible();
    }
    await expect(mine.getByRole('link', { name: 'routing', exact: true })).toHaveAttribute('aria-current', 'true');

    await switcher.getByRole('searchbox', { name: 'Find a scope' }).fill('ledg');
    await expect(mine.getByRole('link', { name: 'streaming', exact: true })).toBeHidden();
    await mine.getByRole('link', { name: 'ledger', exact: true }).click();
    await expect(page).toHaveURL(shown.account.page('payments/ledger'));
    await expect(page.getByRole('button', { name: /^Scope/ })).toContainText('ledger');
  });

  test('accounts are listed on the start page', async ({ page, shown, account }) => {
    await new Delegates(page).open('/');
    await expect(page.getByRole('heading', { level: 1, name: 'Accounts' })).toBeVisible();
    const card = page.getByRole('link', { name: new RegExp(`^${shown.account.name}\\b`) }).filter({ hasText: 'organization' });
    await expect(card).toContainText('3 organizations · 5 projects');
    await expect(page.getByRole('link', { name: new RegExp(`^${account.name}\\b`) }).filter({ hasText: 'organization' })).toContainText(
      '0 organizations · 0 projects',
    );
    await card.click();
    await expect(page).toHaveURL(shown.account.page());
  });
});
