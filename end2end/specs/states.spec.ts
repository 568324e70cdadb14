import { Account } from '../harness/account.ts';
import { registerAll } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

/** A page that answers with an error code is an error to the browser's console as well. */
const REFUSED = /Failed to load resource: the server responded with a status of 4\d\d/;

test.describe('Empty lists', () => {
  test('a scope without delegates says how to get one', async ({ page, shown }) => {
    const empty = shown.account.scope('media/empty');
    await new Delegates(page).open(shown.account.page('media/empty'));
    await expect(page.getByRole('heading', { name: 'No delegates in project empty yet' })).toBeVisible();
    await expect(page.getByText(`rollcall token create --scope ${empty} --name edge`)).toBeVisible();
    await expect(page.getByRole('region', { name: 'Instance health' })).toHaveCount(0);
    await expect(page.getByRole('searchbox', { name: 'Search delegates' })).toHaveCount(0);
  });

  test('a scope with delegates only below offers them', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('media'));
    await expect(page.getByRole('heading', { name: 'No delegates in organization media yet' })).toBeVisible();
    await page.getByRole('link', { name: /^Include 1 delegate/ }).click();
    await expect(page).toHaveURL(/all=true/);
    await expect.poll(() => delegates.names()).toEqual(['stream-a']);
  });

  test('filters that let nothing through can be cleared', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('', 'search=nothing-like-that&size=25'));
    await expect(page.getByRole('heading', { name: 'No delegate matches' })).toBeVisible();
    await expect(delegates.card('Expired')).toBeVisible();
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await expect(page).toHaveURL(shown.account.page('', 'size=25'));
    await expect(delegates.list).toBeVisible();
  });
});

test.describe('Pages that are not there', () => {
  test.beforeEach(({ guard }) => guard.expect(REFUSED));

  for (const [what, path, title, way] of [
    ['an unknown path', '/nothing/here', 'There is no such page', 'Go to the start page'],
    ['an unknown account', '/a/nobody/delegates', 'There is no such scope', 'See all accounts'],
    ['a scope that cannot be one', '/a/no%20body/delegates', 'There is no such page', 'Go to the start page'],
  ] as const) {
    test(`${what} is 404 and leads on`, async ({ page, account, shown }) => {
      // With a single account the start page is that account's.
      expect(account.name).not.toBe(shown.account.name);
      const answer = await page.goto(path);
      expect(answer?.status()).toBe(404);
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
      await expect(page).toHaveTitle(`${title} · Rollcall`);
      await page.getByRole('link', { name: way }).click();
      await expect(page).toHaveURL('/');
    });
  }

  test('an unknown project of a known account is 404', async ({ page, shown }) => {
    const answer = await page.goto(shown.account.page('payments/nothing'));
    expect(answer?.status()).toBe(404);
    await expect(page.getByText(`${shown.account.name}/payments/nothing does not exist here`)).toBeVisible();
  });

  test('an unknown delegate is 404 and leads to its scope', async ({ page, shown }) => {
    const answer = await page.goto(shown.account.groupPage('_nothing', 'payments'));
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole('heading', { level: 1, name: 'There is no such delegate' })).toBeVisible();
    await page.getByRole('link', { name: 'See all delegates of this scope' }).click();
    await expect(page).toHaveURL(shown.account.page('payments'));
  });

  for (const [query, words] of [
    ['health=rosy', 'health'],
    ['page=0', 'page: must be a whole number from 1'],
    ['size=7', 'size: must be one of 10, 25, 50, 100'],
    ['sort=colour', 'sort'],
    ['all=perhaps', 'all: must be one of true, false'],
    [`search=${'x'.repeat(257)}`, 'search: must have at most 256 characters'],
  ] as const) {
    test(`a query with ${query.slice(0, 12)} is 400 and says why`, async ({ page, shown }) => {
      const answer = await page.goto(shown.account.page('', query));
      expect(answer?.status()).toBe(400);
      await expect(page.getByRole('heading', { level: 1, name: 'The address cannot be understood' })).toBeVisible();
      await expect(page.getByText(words)).toBeVisible();
      await page.getByRole('link', { name: 'Open this page without filters' }).click();
      await expect(page).toHaveURL(shown.account.page());
    });
  }
});

test.describe('Hostile words', () => {
  const NAME = '<img src=x onerror=alert(1)>';

  test('from delegates are shown as text', async ({ page, account, versions }) => {
    await registerAll(account, [
      {
        name: NAME,
        host: '"><script>alert(2)</script>',
        version: versions.latest,
        tags: ["'><svg onload=alert(3)>", 'b', 'c', 'INVALID_TOKEN'],
        type: '<b>BOLD</b>',
        description: '</dd><script>alert(4)</script>',
      },
      { name: '../../..', version: '<i>1</i>' },
      { name: '\u202Ereversed\u2066', version: versions.latest },
    ]);
    page.on('dialog', () => {
      throw new Error('a word of a delegate ran as a script');
    });
    const delegates = await new Delegates(page).open(account.page());
    await expect(page.getByRole('link', { name: NAME })).toBeVisible();
    await expect(page.getByRole('cell', { name: '<i>1</i>' })).toBeVisible();
    await page.getByRole('button', { name: /Instances of <img/ }).click();
    await expect(page.getByText('"><script>alert(2)</script>')).toBeVisible();

    await page.getByRole('link', { name: NAME }).click();
    await expect(page.getByRole('heading', { level: 1, name: NAME })).toBeVisible();
    await expect(page).toHaveTitle(`${NAME} · Delegates · Rollcall`);
    await expect(page.getByText('</dd><script>alert(4)</script>')).toBeVisible();

    // A name that looks like a way up has a page of its own all the same.
    await delegates.open(account.page());
    await delegates.list.getByRole('link', { name: '../../..' }).click();
    await expect(page.getByRole('heading', { level: 1, name: '../../..' })).toBeVisible();
  });

  test('in a search are shown as text', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    await delegates.search.fill(`${NAME}&health="`);
    await expect(page.getByText(`Search: ${NAME}&health="`)).toBeVisible();
    await delegates.open(page.url());
    await expect(delegates.search).toHaveValue(`${NAME}&health="`);
  });

  test('in a path are shown as text', async ({ page, server, guard }) => {
    guard.expect(REFUSED);
    const account = await Account.create(server);
    const answer = await page.goto(account.groupPage('<script>alert(5)</script>'));
    expect(answer?.status()).toBe(404);
    await expect(page.getByText('<script>alert(5)</script> is not listed')).toBeVisible();
  });
});
