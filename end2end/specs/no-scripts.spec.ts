import { fleet } from '../harness/api.ts';
import { Delegates, read } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

test.describe('Without scripts', () => {
  test('everything can be read, with the time of the page', async ({ page, shown }) => {
    const delegates = new Delegates(page);
    await page.goto(shown.account.page());
    const { counts } = await fleet(shown.account);
    await expect(delegates.card('Expired')).toContainText(String(counts.expired));
    await expect(delegates.list.getByRole('rowheader')).toHaveCount(10);
    await expect(page.getByRole('banner').getByText(/^As of \d\d:\d\d:\d\d UTC$/)).toBeVisible();
    await expect(delegates.group('core-helm').getByRole('time').last()).toHaveText(/ UTC$/);
  });

  test('controls that need scripts are not shown', async ({ page, shown }) => {
    const delegates = new Delegates(page);
    await page.goto(shown.account.page());
    await expect(page.getByRole('button', { name: 'Pause' })).toBeHidden();
    await delegates.group('core-helm').getByRole('button', { name: 'Actions for core-helm' }).click();
    await expect(page.getByRole('menuitem', { name: 'Copy identifier' }).filter({ visible: true })).toHaveCount(0);
    await page.goto(shown.account.page('media/empty'));
    await expect(page.getByRole('button', { name: 'Copy command' })).toBeHidden();
  });

  test('a card filters and clears', async ({ page, shown }) => {
    const delegates = new Delegates(page);
    await page.goto(shown.account.page());
    await delegates.card('Near expiry').click();
    await expect(page).toHaveURL(/health=nearExpiry/);
    await expect(delegates.card('Near expiry')).toHaveAttribute('aria-current', 'true');
    const { counts } = await fleet(shown.account);
    await expect.poll(async () => (await read(page)).instances).toBe(counts.nearExpiry);
    await delegates.card('Near expiry').click();
    await expect(page).toHaveURL(shown.account.page());
  });

  test('the search keeps the filter, by Enter and by button', async ({ page, shown }) => {
    const delegates = new Delegates(page);
    await page.goto(shown.account.page('', 'health=expired&sort=-name'));
    await delegates.search.fill('core-old');
    await delegates.search.press('Enter');
    await expect(page).toHaveURL(/health=expired/);
    await expect(page).toHaveURL(/search=core-old/);
    await expect(page).toHaveURL(/sort=-name/);
    await expect.poll(() => delegates.names()).toEqual(['core-old']);
    await delegates.search.fill('mixed');
    await page.getByRole('search').getByRole('button', { name: 'Apply' }).click();
    await expect(page).toHaveURL(/search=mixed/);
    await expect.poll(() => delegates.names()).toEqual(['mixed']);
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await expect(page).toHaveURL(shown.account.page('', 'sort=-name'));
  });

  test('sorts, turns pages and changes their size', async ({ page, shown }) => {
    const delegates = new Delegates(page);
    await page.goto(shown.account.page());
    const column = delegates.list.getByRole('columnheader', { name: 'Delegate' });
    await column.getByRole('link').click();
    await expect(column).toHaveAttribute('aria-sort', 'ascending');
    const pager = page.getByRole('navigation', { name: 'Pages of groups' });
    await pager.getByRole('link', { name: 'Next' }).click();
    await expect(page).toHaveURL(/sort=name&page=2/);
    await expect(pager).toContainText(/^11–/);
    await pager.getByRole('link', { name: 'Rows per page: 25' }).click();
    const { counts } = await fleet(shown.account);
    await expect(delegates.list.getByRole('rowheader')).toHaveCount(counts.groups);
  });

  test('a mark of a chart lists what it counts, its table opens, and charts fold away', async ({ page, shown }) => {
    const charts = page.getByRole('region', { name: 'Charts' });
    await page.goto(shown.account.page('', 'all=true&size=100'));
    const mark = charts.getByRole('link', { name: /^26\.\d\d: / }).first();
    const count = Number(/: (\d+) instance/.exec((await mark.locator('title').textContent()) ?? '')?.[1]);
    await mark.locator('.hit').click();
    await expect(page).toHaveURL(/version=26\.\d\d/);
    expect((await read(page)).instances).toBe(count);
    await charts.getByRole('button', { name: 'Versions as a table' }).click();
    await expect(page.getByRole('table', { name: 'Versions' })).toBeVisible();
    await page.keyboard.press('Escape');
    await charts.getByRole('button', { name: 'Charts', exact: true }).click();
    await expect(page).toHaveURL(/version=26\.\d\d/);
    await expect(page.getByRole('figure')).toHaveCount(0);
  });

  test('rows open and close', async ({ page, shown }) => {
    const delegates = new Delegates(page);
    await page.goto(shown.account.page());
    const arrow = delegates.group('core-helm').getByRole('button', { name: 'Instances of core-helm' });
    await arrow.click();
    await expect(delegates.instances('core-helm').getByRole('rowheader')).toHaveCount(2);
    await expect(arrow).toHaveAttribute('aria-expanded', 'true');
    await arrow.click();
    await expect(delegates.instances('core-helm')).toHaveCount(0);
  });

  test('menus and explanations open, Details leads to the group and back', async ({ page, shown }) => {
    const delegates = new Delegates(page);
    await page.goto(shown.account.page('', 'search=core'));
    await delegates.group('core-helm').getByRole('button', { name: /^\+3 tags/ }).click();
    await expect(page.getByText('Tags of core-helm')).toBeVisible();
    await page.keyboard.press('Escape');
    await delegates.group('core-helm').getByRole('button', { name: 'Actions for core-helm' }).click();
    await page.getByRole('menuitem', { name: 'Details' }).filter({ visible: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'core-helm' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Overview' })).toContainText('_core_helm');
    await page.goBack();
    await expect(page).toHaveURL(shown.account.page('', 'search=core'));
  });

  test('the scope switcher leads to every scope', async ({ page, shown }) => {
    await page.goto(shown.account.page());
    await page.getByRole('button', { name: /^Scope/ }).click();
    const switcher = page.getByRole('dialog', { name: 'Scopes' });
    await expect(switcher.getByRole('searchbox')).toBeHidden();
    await switcher.getByRole('link', { name: 'streaming', exact: true }).filter({ visible: true }).last().click();
    await expect(page).toHaveURL(/\/p\/streaming\/delegates$/);
  });

  test('times are in UTC, as the Display menu says, and the list of shortcuts is a page', async ({ page, shown }) => {
    await page.goto(shown.account.page());
    await page.getByRole('button', { name: 'Display' }).click();
    const menu = page.getByRole('dialog', { name: 'Display' });
    await expect(menu.getByText(/Relative and local times need scripts/)).toBeVisible();
    await menu.getByRole('link', { name: 'List of shortcuts' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Keyboard shortcuts' })).toBeVisible();
    await page.goto('/me');
    await expect(page.getByText(/^This sign-in ends at .* UTC unless you go on/)).toBeVisible();
  });

  test('theme and row height are kept by the form, which leads back here', async ({ page, shown }) => {
    const view = shown.account.page('', 'health=expired&size=25');
    await page.goto(view);
    await page.getByRole('button', { name: 'Display' }).click();
    const menu = page.getByRole('dialog', { name: 'Display' });
    await menu.getByRole('radio', { name: 'Dark' }).check();
    await menu.getByRole('radio', { name: 'Compact' }).check();
    await menu.getByRole('button', { name: 'Apply' }).click();
    await expect(page).toHaveURL(view);
    const root = page.locator('html');
    await expect(root).toHaveAttribute('data-theme', 'dark');
    await expect(root).toHaveAttribute('data-density', 'compact');
    await page.reload();
    await expect(root).toHaveAttribute('data-theme', 'dark');
  });
});
