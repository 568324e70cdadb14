import { audited } from '../harness/access.ts';
import { registerAll } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { ADMIN, addPerson, become } from '../harness/people.ts';
import { expect, test } from '../harness/test.ts';

test.beforeEach(({ guard }) => guard.expect(/status of 4\d\d/));

test('A filter is saved, renamed, published, replaced and deleted by keyboard', async ({ page, keys, server, account, versions }) => {
  const delegates = new Delegates(page);
  await registerAll(account, [
    { name: 'fresh', version: versions.latest },
    { name: 'stale', version: versions.expired },
  ]);
  const viewer = `viewer@${account.name}.test`;
  await addPerson(server, { email: viewer, scope: account.name, role: 'viewer', name: 'Vera' });
  const menu = page.getByRole('button', { name: 'Saved filters' });
  const name = page.getByLabel('Name', { exact: true });
  const row = (word: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: word }) });
  const heading = (word: string) => page.getByRole('heading', { name: word });

  await keys.open(account.page('', 'health=expired&size=25'));
  await keys.item(menu, 'Save this filter…');
  await page.keyboard.press('Enter');
  await expect(heading('Save this filter')).toBeVisible();
  await expect(page.getByText('Health: Expired').last()).toBeVisible();
  await keys.sound();
  await keys.type(name, 'Late');
  await keys.press(page.getByRole('button', { name: 'Save filter' }));
  await expect(page).toHaveURL(account.page('', 'health=expired'));
  await keys.awake();
  const item = await keys.item(menu, 'Late');
  await expect(item).toHaveAttribute('aria-current', 'true');
  await keys.sound();

  // It is nobody else's.
  await become(page, server, viewer);
  await keys.open(account.path('filters'));
  await expect(page.getByText('No filter is saved here.')).toBeVisible();
  await become(page, server, ADMIN);

  // From everything, one press leads to it.
  await keys.open(account.page());
  await keys.item(menu, 'Late');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(account.page('', 'health=expired'));
  await expect.poll(() => delegates.names()).toEqual(['stale']);

  // Another name, and everyone sees it.
  await keys.awake();
  await keys.item(menu, 'Manage saved filters');
  await page.keyboard.press('Enter');
  await expect(heading('Saved filters')).toBeVisible();
  await keys.awake();
  await expect(row('Late')).toContainText('Only me');
  await keys.sound();
  await keys.press(page.getByRole('link', { name: 'Edit filter Late' }));
  await expect(heading('Edit filter Late')).toBeVisible();
  await keys.type(name, 'Expired ones');
  await page.getByRole('radio', { name: /^Everyone/ }).check();
  await keys.press(page.getByRole('button', { name: 'Save changes' }));
  await expect(row('Expired ones')).toContainText('Everyone');

  await become(page, server, viewer);
  await keys.open(account.page('', 'search=fresh'));
  await keys.item(menu, 'Expired ones');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(account.page('', 'health=expired'));
  await expect.poll(() => delegates.names()).toEqual(['stale']);
  await keys.open(account.path('filters'));
  await expect(row('Expired ones')).toContainText(`Everyone, by ${ADMIN}`);
  await expect(page.getByRole('link', { name: /filter Expired ones/ })).toHaveCount(0);

  // In place of a saved one.
  await become(page, server, ADMIN);
  await keys.open(account.page('', 'search=fresh'));
  await keys.item(menu, 'Save this filter…');
  await page.keyboard.press('Enter');
  await expect(heading('Save this filter')).toBeVisible();
  await keys.choose(page.getByLabel('Or in place of a saved filter'), 'Expired ones');
  // With scripts the form stands over the very page that it leads back to.
  const back = page.waitForEvent('framenavigated');
  await keys.press(page.getByRole('button', { name: 'Replace' }));
  await back;
  await expect(page).toHaveURL(account.page('', 'search=fresh'));
  await keys.open(account.path('filters'));
  await expect(row('Expired ones')).toContainText('Search: fresh');

  await keys.press(page.getByRole('link', { name: 'Delete filter Expired ones' }));
  await expect(heading('Delete filter Expired ones?')).toBeVisible();
  await keys.sound();
  await keys.press(page.getByRole('button', { name: 'Delete filter' }));
  await expect(page.getByText('No filter is saved here.')).toBeVisible();
  const [deleted] = await audited(page, keys, account, 'filter.delete');
  expect(deleted).toContain(`${ADMIN} filter.delete Expired ones`);
});

test('A name that is taken is told at the field', async ({ page, keys, account, versions }) => {
  await registerAll(account, [{ name: 'edge', version: versions.latest }]);
  const name = page.getByLabel('Name', { exact: true });
  for (const last of [false, true]) {
    await keys.open(`${account.path('filters')}/new?search=edge`);
    await keys.type(name, 'Mine');
    await keys.press(page.getByRole('button', { name: 'Save filter' }));
    if (!last) await expect(page).toHaveURL(account.page('', 'search=edge'));
  }
  await expect(name).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText('already exists')).toBeVisible();
  await keys.sound();
});
