import { Account } from '../../harness/account.ts';
import { registerAll } from '../../harness/delegate.ts';
import { Delegates } from '../../harness/pages.ts';
import { addPerson, become } from '../../harness/people.ts';
import { expect, test } from '../../harness/test.ts';

/** D1 at the account; D2 and D4 in Alex's organization and project; D3 and D5 in Uri's (`product 2.2`). */
test('Alex can use D1, D2, D4 and Uri can use D1, D3, D5, and each sees no more', async ({ page, keys, server, versions, guard }) => {
  guard.expect(/status of 40[34]/);
  const account = await Account.create(server, ['alexs', 'alexs/web', 'uris', 'uris/shop']);
  await registerAll(
    account,
    Object.entries({ D1: '', D2: 'alexs', D3: 'uris', D4: 'alexs/web', D5: 'uris/shop' }).map(([name, below]) => ({
      name,
      below,
      version: versions.latest,
    })),
  );
  const delegates = new Delegates(page);
  const names = delegates.list.getByRole('rowheader').getByRole('link');

  for (const { who, organization, project, usable, other } of [
    { who: 'alex', organization: 'alexs', project: 'web', usable: ['D1', 'D2', 'D4'], other: 'uris' },
    { who: 'uri', organization: 'uris', project: 'shop', usable: ['D1', 'D3', 'D5'], other: 'alexs' },
  ]) {
    const home = `${organization}/${project}`;
    const email = `${who}@${account.name}.test`;
    await addPerson(server, { email, scope: `${account.name}/${organization}`, role: 'viewer' });
    await become(page, server, email);

    // The start page leads to the only place that is theirs.
    await keys.open('/');
    await expect(page).toHaveURL(account.page(organization));
    await keys.open(account.page(home));
    await expect(names).toHaveText(usable.slice(2));
    await keys.press(page.getByRole('link', { name: /^Show usable from here/ }));
    await expect(page).toHaveURL(/usable=true/);
    await expect(names).toHaveText(usable);
    await keys.awake();
    await expect(delegates.group('D1').getByText(account.name, { exact: true })).toBeVisible();
    await keys.sound();

    // The switcher shows what they reach: the account only as the way there.
    await keys.press(page.getByRole('button', { name: /^Scope/ }));
    const switcher = page.getByRole('dialog', { name: 'Scopes' });
    await expect(switcher.getByRole('link')).toHaveText([organization, project]);
    await expect(switcher.getByText(account.name, { exact: true })).toBeVisible();
    await expect(switcher.getByText(other)).toHaveCount(0);
    await keys.sound();
    await page.keyboard.press('Escape');

    for (const below of ['', other]) {
      const answer = await page.goto(account.page(below));
      expect(answer?.status(), below).toBe(403);
      // The id of the request may look like anything.
      expect((await page.getByRole('main').innerText()).replace(/Request .+/, '')).not.toMatch(/D[1-5]/);
    }
  }
});
