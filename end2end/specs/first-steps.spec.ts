import { Account } from '../harness/account.ts';
import { violations } from '../harness/axe.ts';
import { Delegate } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { Server } from '../harness/server.ts';
import { expect, test } from '../harness/test.ts';

test('A new server tells the first steps, leads to its only account, and asks for a catalog', async ({ page, versions }) => {
  const server = await Server.create();
  try {
    // Cookies do not know ports: this one takes the place of the other server's.
    await page.context().addCookies(server.signedIn);
    await page.goto(server.url);
    await expect(page.getByRole('heading', { level: 1, name: 'Welcome to Rollcall' })).toBeVisible();
    await expect(page.getByRole('listitem')).toContainText([/rollcall scope create acme/, /rollcall token create/, /address/]);
    expect(await violations(page)).toEqual([]);

    const account = await Account.create(server);
    await page.getByRole('link', { name: 'Look again' }).click();
    await expect(page).toHaveURL(server.url + account.page());
    await expect(page.getByRole('heading', { name: `No delegates in account ${account.name} yet` })).toBeVisible();

    const delegates = new Delegates(page);
    await new Delegate(account, { name: 'first', version: versions.latest }).register();
    await expect(delegates.group('first')).toContainText('Connected');
    await expect(page.getByText(/^No version catalog is imported/)).toBeVisible();
    expect(await violations(page)).toEqual([]);

    await server.importCatalog(versions.document);
    await expect(page.getByText(/^No version catalog is imported/)).toHaveCount(0);
    await expect(page.getByText(`Latest version ${versions.latest}`)).toBeVisible();
  } finally {
    await page.goto('about:blank');
    await server.dispose();
  }
});
