import { fleet } from '../harness/api.ts';
import { Delegate, registerAll, replicas } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { ADMIN, PASSWORD } from '../harness/people.ts';
import { expect, test } from '../harness/test.ts';

test('A filter is put together by keyboard, and lists as many groups as it said', async ({ page, keys, shown, scripts }) => {
  const delegates = new Delegates(page);
  await keys.open(shown.account.page('', 'size=25&sort=name'));
  await keys.press(page.getByRole('link', { name: 'Filter', exact: true }));
  const title = page.getByRole('heading', { name: 'Filter delegates' });
  await expect(title).toBeVisible();
  await expect(page.getByRole('dialog', { name: 'Filter delegates' })).toHaveCount(scripts ? 1 : 0);
  await keys.sound();
  const docker = page.getByRole('checkbox', { name: /^Docker \d/ });
  const count = Number(/\d+/.exec(await docker.locator('..').innerText())?.[0]);
  expect(count).toBeGreaterThan(0);
  await keys.tick(docker);
  await keys.press(page.getByRole('button', { name: 'Apply' }).filter({ visible: true }).last());
  await expect(page).toHaveURL(shown.account.page('', 'type=DOCKER&sort=name&size=25'));
  await expect(title).toHaveCount(0);
  await expect.poll(async () => (await delegates.names()).length).toBe(count);
  const { counts } = await fleet(shown.account);
  await expect(page.getByRole('status').filter({ hasText: `of ${counts.instances} instances` })).toBeVisible();

  // The filter so far is there again, and one condition is taken away.
  await keys.awake();
  await keys.press(page.getByRole('link', { name: 'Filter 1 active' }));
  await expect(docker).toBeChecked();
  await keys.press(page.getByRole('link', { name: 'Cancel' }));
  await expect(title).toHaveCount(0);
  await keys.press(page.getByRole('link', { name: 'Remove filter Type: Docker' }));
  await expect(page).toHaveURL(shown.account.page('', 'sort=name&size=25'));
});

test('An empty filter is refused with a message', async ({ page, keys, shown, guard }) => {
  guard.expect(/status of 422/);
  await keys.open(shown.account.page());
  await keys.press(page.getByRole('link', { name: 'Filter', exact: true }));
  await keys.press(page.getByRole('button', { name: 'Apply' }).filter({ visible: true }).last());
  await expect(page.getByRole('alert')).toContainText('Choose at least one condition');
  await keys.sound();
});

test('Every text field and several choices combine', async ({ page, keys, shown }) => {
  const delegates = new Delegates(page);
  await keys.open(`${shown.account.path('filter')}?size=25`);
  await keys.type(page.getByLabel('Name contains'), 'core');
  await keys.type(page.getByLabel('Description contains'), 'OLD cluster');
  await keys.tick(page.getByRole('checkbox', { name: /^eu \d/ }));
  await page.getByLabel('Name contains').press('Enter');
  await expect.poll(() => delegates.names()).toEqual(['core-old']);
  for (const chip of ['Name: core', 'Description: OLD cluster', 'Tag: eu']) {
    await expect(page.getByRole('link', { name: `Remove filter ${chip}` })).toBeVisible();
  }
});

test('The search finds versions and addresses', async ({ page, keys, shown }) => {
  const delegates = new Delegates(page);
  await keys.open(shown.account.page('', 'size=25'));
  await delegates.search.fill('our-own-build');
  await delegates.search.press('Enter');
  await expect.poll(() => delegates.names()).toEqual(['core-custom']);
  await delegates.search.fill('192.0.2.');
  await delegates.search.press('Enter');
  await expect.poll(() => delegates.names()).toContain('core-helm');
});

test('A deep link with a filter survives the sign-in', async ({ page, shown }) => {
  const deep = shown.account.page('', 'search=core&type=KUBERNETES&type=ECS&sort=-name&size=25');
  await page.context().clearCookies();
  await page.goto(deep);
  await page.getByLabel('E-mail').fill(ADMIN);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).toHaveURL(deep);
  await expect(page.getByRole('link', { name: 'Remove filter Type: ECS' })).toBeVisible();
});

test('Back returns to the same filter, page and open row', async ({ page, keys, shown }) => {
  const delegates = new Delegates(page);
  await keys.open(shown.account.page('', 'generation=classic&sort=name&page=2'));
  const [name = ''] = await delegates.names();
  const arrow = page.getByRole('button', { name: `Instances of ${name}` });
  await keys.press(arrow);
  await expect(arrow).toHaveAttribute('aria-expanded', 'true');
  const here = page.url();
  await keys.press(delegates.list.getByRole('link', { name, exact: true }));
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(here);
  await expect(arrow).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByRole('link', { name: 'Remove filter Generation: classic' })).toBeVisible();
});

test('What retention hides is shown on request, with the reason', async ({ page, keys, account, versions }) => {
  const [stays, leaves] = replicas(2, { name: 'edge', version: versions.latest });
  if (!stays || !leaves) throw new Error('two replicas');
  await registerAll(account, [stays]);
  const leaving = await new Delegate(account, leaves).register();
  await leaving.unregister();
  await keys.open(account.page());
  await expect(page.getByText('1 group · 1 instance')).toBeVisible();
  await keys.press(page.getByRole('link', { name: 'Show hidden: 1 instance' }));
  await expect(page).toHaveURL(account.page('', 'hidden=true'));
  await keys.awake();
  await keys.press(page.getByRole('button', { name: 'Instances of edge' }));
  const gone = page.getByRole('rowheader', { name: new RegExp(`^${leaves.host}`) });
  await expect(gone).toContainText('Hidden');
  await expect(gone).toContainText('It said goodbye: a planned stop');
  await expect(page.getByText('1 group · 1 instance')).toBeVisible();
  await keys.sound();
  await keys.press(page.getByRole('link', { name: 'Hidden shown. Leave them out' }));
  await expect(gone).toHaveCount(0);
});

test('The list waits while the filter is open, and catches up', async ({ page, keys, account, versions, scripts }) => {
  test.skip(!scripts, 'nothing is live without scripts');
  const delegates = new Delegates(page);
  await registerAll(account, [{ name: 'first', version: versions.latest }]);
  await keys.open(account.page());
  await keys.press(page.getByRole('link', { name: 'Filter', exact: true }));
  const dialog = page.getByRole('dialog', { name: 'Filter delegates' });
  await expect(dialog).toBeVisible();
  await registerAll(account, [{ name: 'second', version: versions.latest }]);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Filter', exact: true })).toBeFocused();
  await expect.poll(() => delegates.names()).toEqual(['first', 'second']);
});
